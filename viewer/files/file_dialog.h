// The built-in file dialog, without its pictures: a folder, what is in it, what is typed.
// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "viewer/files/file_wish.h"

namespace tessera::viewer {

class FileDialog {
 public:
  // Files that end in none of `extensions` are left out until show_all(true).
  FileDialog(FileWish wish, std::vector<std::string> extensions);

  struct Entry {
    std::string name;
    bool is_folder = false;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  const FileWish& wish() const { return wish_; }
  const std::filesystem::path& folder() const { return folder_; }
  // Folders first, both by name; without hidden ones.
  const std::vector<Entry>& entries() const { return entries_; }
  // The entry that Enter takes; -1: none.
  int marked() const { return marked_; }
  // A path, or the beginning of a name; what stands here goes before the mark.
  const std::string& typed() const { return typed_; }
  bool shows_all() const { return all_; }

  // The folder is read by another thread, and shown by a later update().
  void go(const std::filesystem::path& folder);
  void show_all(bool all);
  void type(std::string text);
  void mark(int entry);
  // Takes a listing that was read; whether one is being read still.
  bool update();
  void wait();
  // Enters the folder that is marked or typed, or gives the file. Throws core::Error for what is
  // not there, and once for a file that would be replaced.
  std::optional<std::filesystem::path> accept();

 private:
  struct Listing {
    std::vector<Entry> entries;
    std::string trouble;
  };
  static Listing listing_of(const std::filesystem::path& folder);
  bool is_wanted(const Entry& entry) const;
  void filter();

  FileWish wish_;
  std::vector<std::string> extensions_;
  std::filesystem::path folder_;
  std::future<Listing> reading_;
  std::vector<Entry> listed_, entries_;
  std::string typed_;
  std::filesystem::path warned_;  // that it would be replaced
  int marked_ = -1;
  bool all_ = false;
};

}  // namespace tessera::viewer
