// SPDX-License-Identifier: MIT
#include "viewer/session/settings.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::viewer {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostRecent = 10;
constexpr uint64_t kMostBytes = 1 << 20;
constexpr int kLeastSide = 200, kMostSide = 16384;

std::string text_of(const Settings& settings) {
  nlohmann::ordered_json json = {{"dark", settings.dark},
                                 {"font_scale", settings.font_scale},
                                 {"window", {settings.width, settings.height}}};
  json["recent"] = Json::array();
  for (const std::filesystem::path& path : settings.recent) json["recent"].push_back(path.string());
  // Names of files are bytes and need not be text.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Throws Json::exception.
Settings parsed(const std::string& text) {
  const Json json = Json::parse(text);
  Settings settings;
  settings.dark = json.at("dark").get<bool>();
  settings.font_scale = std::clamp(json.at("font_scale").get<float>(), 0.5F, 3.0F);
  settings.width = std::clamp(json.at("window").at(0).get<int>(), kLeastSide, kMostSide);
  settings.height = std::clamp(json.at("window").at(1).get<int>(), kLeastSide, kMostSide);
  for (const Json& path : json.at("recent")) {
    if (settings.recent.size() < kMostRecent) settings.recent.emplace_back(path.get<std::string>());
  }
  return settings;
}

void write(const std::filesystem::path& file, const Settings& settings) {
  std::filesystem::create_directories(file.parent_path());
  core::write_file_atomically(file, text_of(settings));
}

}  // namespace

void note_recent(std::vector<std::filesystem::path>& recent, const std::filesystem::path& path) {
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > kMostRecent) recent.pop_back();
}

std::filesystem::path settings_folder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return std::filesystem::path(config) / "tessera";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".config" / "tessera";
}

SettingsFile::SettingsFile(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code fault;
  if (!std::filesystem::exists(file_, fault)) return;
  try {
    wanted_ = parsed(core::read_text_file(file_, kMostBytes));
  } catch (const core::Error& error) {
    trouble_ = error.what();
  } catch (const Json::exception&) {
    std::filesystem::path aside = file_;
    aside += ".broken";
    std::filesystem::rename(file_, aside, fault);
    trouble_ = file_.string() + " could not be understood; it is kept as " +
               aside.filename().string() + ", and settings begin anew";
  }
  written_ = wanted_;
}

SettingsFile::~SettingsFile() {
  if (writing_.valid()) writing_.wait();
  write_newest();
  if (writing_.valid()) writing_.wait();
}

void SettingsFile::keep(Settings settings) {
  wanted_ = std::move(settings);
  const bool busy =
      writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  if (!busy) write_newest();
}

void SettingsFile::write_newest() {
  if (wanted_ == written_) return;
  written_ = wanted_;
  writing_ = std::async(std::launch::async, [file = file_, settings = wanted_] {
    try {
      write(file, settings);
    } catch (const std::exception&) {
      // A folder that cannot be written forgets; that is no reason to disturb anyone.
    }
  });
}

}  // namespace tessera::viewer
