// SPDX-License-Identifier: MIT
#include "apps/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "assets/versions.h"
#include "core/error.h"
#include "core/nearest_name.h"
#include "distributed/liveness.h"

namespace tessera::apps {
namespace {

std::string help_text(const Program& program) {
  std::string text = fmt::format("{}\n\n  {}\n\nusage: {} COMMAND ...\n", program.introduction,
                                 program.example, program.name);
  for (const Command& command : program.commands) {
    text += fmt::format("  {:<13} {}\n", command.name, command.summary);
  }
  return text + fmt::format(
                    "  --version     what this program was built with\n"
                    "{} COMMAND --help says what a command takes.\n",
                    program.name);
}

int dispatch(const Program& program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(help_text(program).c_str(), stderr);
    return kExitInputFault;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(help_text(program).c_str(), stdout);
    return kExitDone;
  }
  if (name == "--version") {
    std::fputs(version_text().c_str(), stdout);
    return kExitDone;
  }
  std::vector<std::string> names;
  for (const Command& command : program.commands) {
    if (command.name == name) return command.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  const std::optional<std::string> nearest = core::nearest_name(name, names);
  throw core::UsageError(
      name, "there is no such command" +
                (nearest ? "; did you mean " + *nearest + "?"
                         : fmt::format("; {} --help lists what there is", program.name)));
}

// Results that were printed into a full disk or a closed pipe are not done.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw core::IoError("standard output",
                        fmt::format("cannot be written ({})", std::strerror(errno)));
  }
}

int report(std::string_view program, int code, const std::string& sentence) {
  std::fflush(stdout);
  std::fputs(fmt::format("{}: {}\n", program, sentence).c_str(), stderr);
  return code;
}

}  // namespace

int run_program(const Program& program, const std::vector<std::string>& arguments) {
  try {
    const int code = dispatch(program, arguments);
    flush_output();
    return code;
  } catch (...) {
    return report_current_exception(program.name);
  }
}

int report_current_exception(std::string_view program) {
  try {
    throw;
  } catch (const core::Interrupted& error) {
    return report(program, kExitInterrupted, error.what());
  } catch (const distributed::RankFailed& error) {
    return error.told() ? kExitInputFault : report(program, kExitInputFault, error.what());
  } catch (const core::Error& error) {
    return report(program, kExitInputFault, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return report(program, kExitInputFault,
                  fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    return report(program, kExitInputFault, fmt::format("the system refused: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return report(
        program, kExitInputFault,
        "there is not enough memory for this; close other programs, raise a limit such as "
        "ulimit -v, or give it less to do: smaller photos (-r), fewer Gaussians "
        "(--max-gaussians), or more ranks to share them (--ranks)");
  } catch (const std::exception& error) {
    return report(program, kExitOurFault,
                  fmt::format("a fault of the program itself: {}; please report it "
                              "with the command that led to it",
                              error.what()));
  }
}

std::string version() {
  return TESSERA_VERSION;
}

std::string version_text() {
  std::string text = fmt::format("tessera {}\n", version());
#if defined(__clang__)
  text += fmt::format("  compiler  clang {}\n", __clang_version__);
#else
  text += fmt::format("  compiler  g++ {}\n", __VERSION__);
#endif
  for (const auto& [name, number] : assets::library_versions()) {
    text += fmt::format("  {:<9} {}\n", name, number);
  }
  return text;
}

}  // namespace tessera::apps
