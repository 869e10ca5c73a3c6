// The HTML viewer in a real browser without a window: its picture of the reference view is ours.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "bench/models/stereo_pairs.h"
#include "core/metrics.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> find_browser() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                           "/usr/bin/google-chrome", "/snap/bin/chromium"}) {
    if (fs::exists(path)) return path;
  }
  return std::nullopt;
}

// Runs a program without its output; false if it ends otherwise than well, or not in time.
bool run(std::vector<std::string> words, std::chrono::seconds limit) {
  const pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(-process, SIGKILL);
      waitpid(process, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(HtmlViewer, ShowsTheReferenceViewAsWeDo) {
  TESSERA_NEED_TEST_DATA(folder, "stereo/middlebury_cones");
  const std::optional<std::string> browser = find_browser();
  if (!browser) GTEST_SKIP() << "no Chromium is installed, in which the page would be opened";
  core::ThreadPool pool(2);
  const StereoPair pair = stereo_pairs(folder.parent_path()).at(1);
  PlanSettings settings;
  settings.baseline = 1;
  const core::MultiplaneImage image =
      build_multiplane(depth_photo(pair, pair.disparity), settings, pool);
  const test::TemporaryFolder out;
  assets::write_multiplane(out / "cones.html", image);
  const fs::path picture = out / "screen.png";
  const int width = pair.left.width, height = pair.left.height;
  // The window is resized for the screenshot, a frame within it is not.
  std::ofstream(out / "page.html")
      << "<body style='margin: 0'><iframe style='border: 0' src='cones.html#still' width='" << width
      << "' height='" << height << "'></iframe>";
  const std::vector<std::string> words = {*browser,
                                          "--headless",
                                          "--no-sandbox",
                                          "--disable-dev-shm-usage",
                                          "--hide-scrollbars",
                                          "--use-angle=swiftshader",
                                          "--enable-unsafe-swiftshader",
                                          "--force-device-scale-factor=1",
                                          "--force-color-profile=srgb",
                                          "--user-data-dir=" + (out / "profile").string(),
                                          "--window-size=1000,800",
                                          "--virtual-time-budget=8000",
                                          "--screenshot=" + picture.string(),
                                          "file://" + (out / "page.html").string()};
  ASSERT_TRUE(run(words, std::chrono::seconds(300)));
  const core::Image8 screen = assets::read_image(picture);
  ASSERT_GE(screen.width, width);
  ASSERT_GE(screen.height, height);
  core::Image8 shown(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) shown.at(x, y, c) = screen.at(x, y, c);
    }
  }
  if (const char* keep = std::getenv("TESSERA_KEEP_SCREENSHOT")) assets::write_image(keep, shown);
  render::MultiplaneOutput output;
  render::make_multiplane_renderer("cpu", pool)->forward(image, image.camera, {}, output);
  const double psnr = core::measure(output.color, shown, {}, pool).psnr;
  RecordProperty("psnr", std::to_string(psnr));
  EXPECT_GT(psnr, 30);
}

}  // namespace
}  // namespace tessera::models
