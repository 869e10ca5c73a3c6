// SPDX-License-Identifier: MIT
#include "apps/commands/refiner.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "apps/commands/interrupt.h"
#include "apps/live/detached_process.h"
#include "assets/multiplane_io.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

fs::path neural_program() {
  return program_beside("tessera-neural");
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tessera_refine_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw core::IoError(name, fmt::format("cannot be made ({})", std::strerror(errno)));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

// Its exit status, as waitpid gives it.
int run(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int fault =
      posix_spawn(&process, words[0].c_str(), nullptr, nullptr, pointers.data(), environ);
  if (fault != 0) {
    throw core::IoError(words[0], fmt::format("cannot be started ({})", std::strerror(fault)));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

void check_refiner(const fs::path& weights) {
  if (!fs::exists(neural_program())) {
    throw core::UsageError("--refiner", fmt::format("needs {}, which was not built: configure with "
                                                    "-DTESSERA_TORCH=ON, or leave the option out",
                                                    neural_program().string()));
  }
  if (!fs::exists(weights)) {
    throw core::UsageError("--refiner", fmt::format("there is no {}; tessera-neural train-refiner "
                                                    "makes such a file",
                                                    weights.string()));
  }
}

core::MultiplaneImage refined(const core::MultiplaneImage& image, const fs::path& weights,
                              int threads) {
  const TemporaryFolder folder;
  const fs::path plain = folder / "plain.tmpi";
  const fs::path result = folder / "refined.tmpi";
  assets::write_multiplane(plain, image);
  const InterruptGuard interrupt;
  const int status =
      run({neural_program().string(), "refine", plain.string(), "--refiner", weights.string(), "-o",
           result.string(), "--threads", std::to_string(threads), "--quiet"});
  if (interrupt.requested()) {
    throw core::Interrupted("Stopped before the scene was refined; nothing was written.");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw core::Error("The scene was not refined; leave --refiner out to have it plain.");
  }
  return assets::read_multiplane(result);
}

}  // namespace tessera::apps
