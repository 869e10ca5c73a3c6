// The table of options: every way to write one, what is refused and in which words, help, records.
// SPDX-License-Identifier: MIT
#include "core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/nearest_name.h"

namespace tessera::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Settings {
  std::filesystem::path capture;
  std::filesystem::path output;
  int iterations = 30000;
  int64_t init_points = 0;
  std::optional<uint64_t> seed;
  double ssim_weight = 0.2;
  bool eval = false;
  bool antialiasing = false;
  std::string strategy = "default";
  std::string device = "cpu";
  std::vector<int> save_iterations = {30000};
  std::vector<std::string> images;
  uint64_t max_memory = 0;
};

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    table.positional("CAPTURE", s.capture, "folder of photos", "-d, --data, -s, --source-path");
    table.add("-o, --output, -m, --model-path", s.output, "OUT", "folder or file").common();
    table.group("Training");
    table.add("-n, --iterations, --iter, --max-steps", s.iterations, "N", "photos to train on")
        .range(1, 1e9)
        .common();
    table.add("--init-points", s.init_points, "N", "random start points").range(0);
    table.add("--seed", s.seed, "N", "for all random numbers");
    table.add("--ssim-weight, --lambda-dssim", s.ssim_weight, "W", "share of SSIM").range(0, 1);
    table.flag("--eval", s.eval, "hold out every 8th photo").common();
    table.flag("-a, --antialiasing", s.antialiasing, "compensate opacity");
    table.add("--strategy", s.strategy, "NAME", "growing and pruning").choices({"default", "mcmc"});
    table.add("--device", s.device, "NAME", "where to compute").shorthand("--cpu", "cpu");
    table.add("--save-iterations", s.save_iterations, "LIST", "steps to save at");
    table.add("--images", s.images, "LIST", "photo folders");
    table.add_parsed(
        "--max-memory", "SIZE", "a budget",
        [this](const std::string& text) {
          if (text != "2GB") throw std::invalid_argument("a size like 2GB");
          s.max_memory = 2'000'000'000;
        },
        [this] { return s.max_memory == 0 ? std::string() : std::string("2GB"); });
    table.accept_config();
    table.refuse("-i", "means three things in three programs; use --data");
  }

  std::string error_of(std::vector<std::string> arguments) {
    try {
      table.parse(arguments);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }

  Settings s;
  OptionTable table{"tessera reconstruct", "Train a scene from photos.",
                    "tessera reconstruct photos -o scene"};
};

TEST_F(OptionsTest, EveryWayToWriteAnOption) {
  EXPECT_FALSE(table.parse({"photos", "-o", "out", "--max_steps=70", "--eval", "-a", "--cpu",
                            "--lambda_dssim", "0.5", "--init-points=5"}));
  EXPECT_EQ(s.capture, "photos");
  EXPECT_EQ(s.output, "out");
  EXPECT_EQ(s.iterations, 70);
  EXPECT_TRUE(s.eval);
  EXPECT_TRUE(s.antialiasing);
  EXPECT_EQ(s.device, "cpu");
  EXPECT_EQ(s.ssim_weight, 0.5);
  EXPECT_EQ(s.init_points, 5);
  EXPECT_FALSE(s.seed);
  EXPECT_TRUE(table.is_given("--iterations"));
  EXPECT_TRUE(table.is_given("CAPTURE"));
  EXPECT_FALSE(table.is_given("--seed"));
}

TEST_F(OptionsTest, ShortOptionsTakeTheirValueInThreeWays) {
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"-n", "5"}, {"-n5"}, {"-n=5"}}) {
    s.iterations = 1;
    std::vector<std::string> arguments = form;
    arguments.insert(arguments.begin(), "photos");
    table.parse(arguments);
    EXPECT_EQ(s.iterations, 5) << form[0];
  }
}

TEST_F(OptionsTest, TheLastOneCountsAndFlagsCanBeTurnedOff) {
  table.parse({"photos", "-n", "5", "--iter", "6", "--eval", "--eval=false", "--seed",
               "18446744073709551615"});
  EXPECT_EQ(s.iterations, 6);
  EXPECT_FALSE(s.eval);
  EXPECT_EQ(s.seed, 18446744073709551615U);
}

TEST_F(OptionsTest, ListsTakeCommasRepeatsAndFurtherNumbers) {
  table.parse({"--save-iterations", "7000,8000", "9000", "--images", "a,b", "--save_iterations=10",
               "--images", "c", "--save-iterations", "20", "2024_photos"});
  EXPECT_THAT(s.save_iterations, ElementsAre(7000, 8000, 9000, 10, 20));
  EXPECT_THAT(s.images, ElementsAre("a", "b", "c"));
  EXPECT_EQ(s.capture, "2024_photos");
}

TEST_F(OptionsTest, AnArgumentCanBeNamedAndMayBeginWithADash) {
  table.parse({"--source_path", "photos"});
  EXPECT_EQ(s.capture, "photos");
  table.parse({"--", "-photos"});
  EXPECT_EQ(s.capture, "-photos");
}

TEST_F(OptionsTest, RefusalsNameTheOptionAndWhatToDo) {
  EXPECT_THAT(error_of({"photos", "--iteratons", "5"}), HasSubstr("did you mean --iterations?"));
  EXPECT_THAT(error_of({"photos", "--ssim_wieght", "5"}), HasSubstr("did you mean --ssim-weight?"));
  EXPECT_THAT(error_of({"photos", "--zzz"}), HasSubstr("--help-all lists what there is"));
  EXPECT_THAT(error_of({"photos", "-i", "x"}), HasSubstr("-i: means three things"));
  EXPECT_THAT(error_of({"photos", "-n", "five"}), HasSubstr("-n: 'five' is not a whole number"));
  EXPECT_THAT(error_of({"photos", "-n", "5.5"}), HasSubstr("'5.5' is not a whole number"));
  EXPECT_THAT(error_of({"photos", "-n", "99999999999"}), HasSubstr("not so large"));
  EXPECT_THAT(error_of({"photos", "-n", "0"}), HasSubstr("0 is not within 1 to"));
  EXPECT_THAT(error_of({"photos", "--init-points", "-1"}), HasSubstr("the least is 0"));
  EXPECT_THAT(error_of({"photos", "--ssim-weight", "nan"}), HasSubstr("a finite number"));
  EXPECT_THAT(error_of({"photos", "--seed", "-1"}), HasSubstr("a whole number from 0 up"));
  EXPECT_THAT(error_of({"photos", "-n"}), HasSubstr("-n: needs a value: -n N"));
  EXPECT_THAT(error_of({"photos", "-n", "--eval"}), HasSubstr("needs a value"));
  EXPECT_THAT(error_of({"photos", "--strategy", "mcmcc"}), HasSubstr("did you mean mcmc?"));
  EXPECT_THAT(error_of({"photos", "--cpu=1"}), HasSubstr("takes no value"));
  EXPECT_THAT(error_of({"photos", "--eval=maybe"}), HasSubstr("true or false"));
  EXPECT_THAT(error_of({"photos", "more"}), HasSubstr("more: is one argument too many"));
  EXPECT_THAT(error_of({"photos", "--max-memory", "lots"}), HasSubstr("is not a size like 2GB"));
  EXPECT_THAT(error_of({}), HasSubstr("CAPTURE: is missing (folder of photos); for example"));
}

TEST_F(OptionsTest, HelpIsAskedForWithoutTheRest) {
  const std::optional<std::string> help = table.parse({"--help"});
  ASSERT_TRUE(help);
  EXPECT_LT(help->find("tessera reconstruct photos -o scene"), help->find("usage:"));
  EXPECT_THAT(*help, HasSubstr("-n, --iterations N"));
  EXPECT_THAT(*help, HasSubstr("[30000]"));
  EXPECT_THAT(*help, Not(HasSubstr("--seed")));
  const std::optional<std::string> all = table.parse({"--help-all"});
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, HasSubstr("Training"));
  EXPECT_THAT(*all, HasSubstr("default, mcmc [default]"));
  EXPECT_THAT(*all, HasSubstr("(also --cpu for cpu)"));
  EXPECT_THAT(*help, HasSubstr("  -o, --output OUT "));
  EXPECT_THAT(*all, HasSubstr("(also -m, --model-path)"));
  EXPECT_THAT(*all, HasSubstr("(also --data, -d, -s, --source-path)"));
  for (const std::string& text : {*help, *all}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 80U) << line;
  }
}

TEST_F(OptionsTest, ARecordReadsBack) {
  table.parse({"photos", "-n", "5", "--eval", "--save-iterations", "1,2", "--ssim-weight", "0.1",
               "--strategy", "mcmc", "--max-memory", "2GB", "--seed", "18446744073709551615"});
  const std::string record = table.to_json();
  OptionsTest_ARecordReadsBack_Test other;
  other.table.apply_json(record, "settings.json");
  EXPECT_EQ(other.table.to_json(), record);
  EXPECT_EQ(other.s.iterations, 5);
  EXPECT_EQ(other.s.seed, 18446744073709551615U);
  EXPECT_THAT(other.s.save_iterations, ElementsAre(1, 2));
  EXPECT_TRUE(other.s.output.empty());
  OptionsTest_ARecordReadsBack_Test nested;
  nested.table.apply_json("{\"version\": 1, \"settings\": " + record + "}", "settings.json");
  EXPECT_EQ(nested.table.to_json(), record);

  constexpr std::string_view kLeftOut[] = {"strategy"};
  OptionsTest_ARecordReadsBack_Test typed;
  typed.table.parse(table.to_arguments(kLeftOut));
  typed.s.strategy = "mcmc";
  EXPECT_EQ(typed.table.to_json(), record);
  EXPECT_THAT(typed.table.to_arguments({}),
              ElementsAre("photos", "--iterations", "5", "--seed", "18446744073709551615",
                          "--ssim-weight", "0.1", "--eval", "--strategy", "mcmc",
                          "--save-iterations", "1,2", "--max-memory", "2GB"));
}

TEST_F(OptionsTest, ABadRecordIsRefused) {
  const auto error = [&](const std::string& json) -> std::string {
    try {
      table.apply_json(json, "settings.json");
    } catch (const Error& caught) {
      return caught.what();
    }
    return "no error";
  };
  EXPECT_THAT(error("{"), HasSubstr("settings.json: is no JSON object"));
  EXPECT_THAT(error("[]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(error("{\"iteratons\": 5}"), HasSubstr("did you mean --iterations?"));
  EXPECT_THAT(error("{\"iterations\": \"x\"}"), HasSubstr("iterations: 'x' is not a whole number"));
  EXPECT_THAT(error("{\"iterations\": [{}]}"), HasSubstr("'{}' is not a whole number"));
}

TEST(NearestNameTest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"convert", "inspect", "render", "reconstruct"};
  EXPECT_EQ(nearest_name("reconstuct", names), "reconstruct");
  EXPECT_EQ(nearest_name("rendre", names), "render");
  EXPECT_EQ(nearest_name("convert", names), "convert");
  EXPECT_EQ(nearest_name("video", names), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), names), std::nullopt);
}

}  // namespace
}  // namespace tessera::core
