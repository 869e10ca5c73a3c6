// What the window remembers between runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <vector>

namespace tessera::viewer {

struct Settings {
  bool dark = true;
  float font_scale = 1;
  int width = 1280, height = 720;             // of the window, in pixels / the display's scale
  std::vector<std::filesystem::path> recent;  // the last one first, absolute

  friend bool operator==(const Settings&, const Settings&) = default;
};

// Puts a path first, once, and forgets the oldest.
void note_recent(std::vector<std::filesystem::path>& recent, const std::filesystem::path& path);

// $XDG_CONFIG_HOME/tessera, or ~/.config/tessera. Empty if neither variable is set.
std::filesystem::path settings_folder();

// The settings of a file, read once, and written again when they change, by another thread.
class SettingsFile {
 public:
  // A file that cannot be understood is set aside as FILE.broken.
  explicit SettingsFile(std::filesystem::path file);
  // Waits until the newest settings are written.
  ~SettingsFile();
  SettingsFile(const SettingsFile&) = delete;
  SettingsFile& operator=(const SettingsFile&) = delete;

  const Settings& settings() const { return wanted_; }
  // What went wrong when they were read, a sentence; empty: nothing.
  const std::string& trouble() const { return trouble_; }
  void keep(Settings settings);

 private:
  void write_newest();

  std::filesystem::path file_;
  Settings wanted_, written_;
  std::string trouble_;
  std::future<void> writing_;
};

}  // namespace tessera::viewer
