// The program around the commands: names, help, and exceptions as sentences and exit codes.
// SPDX-License-Identifier: MIT
#include "apps/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "apps/command_table.h"
#include "core/file_io.h"
#include "tests/support/program.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

using test::Outcome;
using test::run_tessera;
using ::testing::HasSubstr;
using ::testing::StartsWith;

int64_t line_count(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(ProgramTest, HelpNamesEveryCommand) {
  const Outcome help = run_tessera({"--help"});
  EXPECT_EQ(help.exit_code, kExitDone);
  for (const Command& command : kCommands) {
    EXPECT_THAT(help.output, HasSubstr("\n  " + std::string(command.name) + " "));
  }
  EXPECT_LE(line_count(help.output), 24);
  const Outcome nothing = run_tessera({});
  EXPECT_EQ(nothing.exit_code, kExitInputFault);
  EXPECT_EQ(nothing.errors, help.output);
}

TEST(ProgramTest, EveryCommandsHelpFitsAScreenAndBeginsWithAnExample) {
  for (const Command& command : kCommands) {
    const std::string name(command.name);
    const Outcome help = run_tessera({name, "--help"});
    EXPECT_EQ(help.exit_code, kExitDone) << name;
    EXPECT_LE(line_count(help.output), 24) << help.output;
    EXPECT_LT(help.output.find("\n  tessera " + name + " "), help.output.find("usage:")) << name;
    // "Draws a scene ...": what the command does, in the same form for all.
    EXPECT_EQ(help.output.find("s "), help.output.find(' ') - 1) << help.output;
    const Outcome all = run_tessera({name, "--help-all"});
    EXPECT_EQ(all.exit_code, kExitDone) << name;
    std::istringstream lines(help.output + all.output);
    for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 80U) << line;
  }
}

TEST(ProgramTest, VersionSaysWhatIsInside) {
  const Outcome outcome = run_tessera({"--version"});
  EXPECT_EQ(outcome.exit_code, kExitDone);
  EXPECT_THAT(outcome.output, StartsWith("tessera " + version() + "\n"));
  for (const char* library : {"libjpeg", "libpng", "libtiff", "libwebp", "fmt"}) {
    EXPECT_THAT(outcome.output, HasSubstr(library));
  }
}

TEST(ProgramTest, AMistypedCommandIsAnsweredWithTheNearest) {
  const Outcome near = run_tessera({"reconstuct", "photos"});
  EXPECT_EQ(near.exit_code, kExitInputFault);
  EXPECT_EQ(near.errors,
            "tessera: reconstuct: there is no such command; did you mean reconstruct?\n");
  EXPECT_EQ(near.output, "");
  EXPECT_THAT(run_tessera({"fly"}).errors, HasSubstr("tessera --help lists what there is"));
}

TEST(ProgramTest, AMistypedOptionIsAnsweredWithTheNearestInEveryCommand) {
  for (const Command& command : kCommands) {
    const Outcome outcome = run_tessera({std::string(command.name), "--hlep"});
    EXPECT_EQ(outcome.exit_code, kExitInputFault);
    EXPECT_THAT(outcome.errors, HasSubstr("did you mean --help?")) << command.name;
    EXPECT_EQ(line_count(outcome.errors), 1) << command.name;
  }
}

TEST(ProgramTest, EveryCommandWithoutArgumentsSaysWhatIsMissing) {
  for (const Command& command : kCommands) {
    const Outcome outcome = run_tessera({std::string(command.name)});
    EXPECT_EQ(outcome.exit_code, kExitInputFault);
    EXPECT_THAT(outcome.errors, HasSubstr("is missing")) << command.name;
    EXPECT_EQ(line_count(outcome.errors), 1) << command.name;
  }
}

// Output that no longer fits where it is redirected to, as on a full disk.
TEST(ProgramTest, ResultsThatCannotBePrintedAreNotDone) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "a.ply",
                              "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                              "property float y\nproperty float z\nend_header\n0 0 0\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--version"},
        {"inspect", (folder / "a.ply").string(), "--json"}}) {
    test::Program program(arguments, 10);
    const test::ProgramEnd end = program.wait();
    EXPECT_EQ(end.exit_code, kExitInputFault);
    EXPECT_EQ(end.err, "tessera: s");  // this output is cut, too
  }
}

}  // namespace
}  // namespace tessera::apps
