// SPDX-License-Identifier: MIT
#include "viewer/files/file_dialog.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::viewer {

FileDialog::FileDialog(FileWish wish, std::vector<std::string> extensions)
    : wish_(std::move(wish)), extensions_(std::move(extensions)) {
  go(wish_.folder);
}

FileDialog::Listing FileDialog::listing_of(const std::filesystem::path& folder) {
  Listing listing;
  std::error_code fault;
  std::filesystem::directory_iterator at(folder, fault);
  for (; !fault && at != std::filesystem::directory_iterator(); at.increment(fault)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!name.starts_with('.')) listing.entries.push_back({name, at->is_directory(unknown)});
  }
  if (fault) listing.trouble = folder.string() + ": cannot be read (" + fault.message() + ")";
  std::sort(listing.entries.begin(), listing.entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(!a.is_folder, a.name) < std::pair(!b.is_folder, b.name);
  });
  return listing;
}

bool FileDialog::is_wanted(const Entry& entry) const {
  if (!wish_.saves && !typed_.empty() && typed_.find('/') == std::string::npos &&
      !core::lower_case(entry.name).starts_with(core::lower_case(typed_))) {
    return false;
  }
  if (entry.is_folder || all_) return true;
  const std::string name = core::lower_case(entry.name);
  return std::any_of(extensions_.begin(), extensions_.end(),
                     [&name](const std::string& extension) { return name.ends_with(extension); });
}

void FileDialog::filter() {
  entries_.clear();
  for (const Entry& entry : listed_) {
    if (is_wanted(entry)) entries_.push_back(entry);
  }
  marked_ = -1;
}

void FileDialog::go(const std::filesystem::path& folder) {
  folder_ = std::filesystem::absolute(folder).lexically_normal();
  typed_.clear();
  listed_.clear();
  filter();
  reading_ = std::async(std::launch::async, listing_of, folder_);
}

void FileDialog::show_all(bool all) {
  all_ = all;
  filter();
}

void FileDialog::type(std::string text) {
  typed_ = std::move(text);
  filter();
}

void FileDialog::mark(int entry) {
  marked_ = std::clamp(entry, -1, static_cast<int>(entries_.size()) - 1);
}

bool FileDialog::update() {
  if (!reading_.valid()) return false;
  if (reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return true;
  Listing listing = reading_.get();
  listed_ = std::move(listing.entries);
  filter();
  if (!listing.trouble.empty()) throw core::Error(listing.trouble);
  return false;
}

void FileDialog::wait() {
  if (reading_.valid()) reading_.wait();
}

std::optional<std::filesystem::path> FileDialog::accept() {
  std::string name = typed_;
  if (marked_ >= 0) name = entries_[marked_].name;
  if (name.empty()) throw core::Error("type a name, or choose one by the arrow keys");
  const std::filesystem::path path = (folder_ / name).lexically_normal();
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) {
    go(path);
    return std::nullopt;
  }
  const bool is_there = std::filesystem::exists(path, fault);
  if (!wish_.saves && !is_there) throw core::Error(path.string() + " is not there");
  if (wish_.saves && is_there && warned_ != path) {
    warned_ = path;
    throw core::Error(path.string() + " is there already; Enter once more replaces it");
  }
  return path;
}

}  // namespace tessera::viewer
