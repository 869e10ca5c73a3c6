// Photos of which a mask leaves nothing neither train nor count, and are named.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assets/photos/image_io.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The sample, of which DSC_0423 and DSC_0431 are held out.
class MaskedOut : public testing::Test {
 protected:
  MaskedOut() {
    fs::copy(TESSERA_SAMPLE, capture(), fs::copy_options::recursive);
    fs::create_directories(capture() / "masks");
  }
  fs::path capture() const { return folder_ / "capture"; }
  fs::path out() const { return folder_ / "out"; }
  void black(const std::string& photo) const {
    core::Image8 mask(500, 332, 1);
    mask.data.fill(0);
    assets::write_image(capture() / "masks" / (photo + ".png"), mask);
  }
  ProgramEnd reconstruct() const {
    return run_program(
        {"reconstruct", capture().string(), "-o", out().string(), "-r", "8", "-n", "5", "--eval"});
  }
  ProgramEnd eval(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"eval", out().string(), capture().string(), "-r", "8"});
    return run_program(more);
  }

  TemporaryFolder folder_;
};

TEST_F(MaskedOut, HeldOutPhotosAreLeftOutOfTheFiguresAndNamed) {
  black("DSC_0423.JPG");
  const ProgramEnd run = reconstruct();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 held-out photo (the first is DSC_0423.JPG)"));
  EXPECT_THAT(run.out, HasSubstr("over 1 photo"));
  const auto results = nlohmann::json::parse(text_of(out() / "results.json"))["ours_5"];
  const auto views = nlohmann::json::parse(text_of(out() / "per_view.json"))["ours_5"]["PSNR"];
  EXPECT_EQ(views.size(), 1U);
  EXPECT_EQ(results["PSNR"], views["DSC_0431.JPG"]);
  const ProgramEnd measured = eval({"--json", "-"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_NEAR(nlohmann::json::parse(measured.out)["psnr"].get<double>(),
              results["PSNR"].get<double>(), 1e-3);
  EXPECT_THAT(eval().out, HasSubstr("DSC_0423.JPG  masked out as a whole"));
}

TEST_F(MaskedOut, WithoutAnyOtherThereIsNoFigure) {
  black("DSC_0423.JPG");
  black("DSC_0431.JPG");
  const ProgramEnd run = reconstruct();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("2 held-out photos (the first is DSC_0423.JPG)"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("Held out: no figures"), Not(HasSubstr("PSNR"))));
  EXPECT_FALSE(fs::exists(out() / "results.json"));
  const ProgramEnd measured = eval();
  EXPECT_EQ(measured.exit_code, 2);
  EXPECT_EQ(measured.out.find("PSNR"), std::string::npos) << measured.out;
  EXPECT_THAT(measured.err, HasSubstr("2 measured photos (the first is DSC_0423.JPG)"));
}

TEST_F(MaskedOut, TrainingPhotosAreLeftOutWithAWarning) {
  black("DSC_0424.JPG");
  black("DSC_0425.JPG");
  const ProgramEnd run = reconstruct();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("2 training photos (the first is DSC_0424.JPG): left out"));
  EXPECT_EQ(nlohmann::json::parse(text_of(out() / "run.json"))["figures"]["train_photos"], 11);
}

TEST_F(MaskedOut, WithoutAnyOtherARunIsRefused) {
  for (const auto& entry : fs::directory_iterator(capture() / "images")) {
    black(entry.path().filename().string());
  }
  const ProgramEnd run = reconstruct();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("13 training photos (the first is DSC_0424.JPG): there are no "
                                 "others"));
  EXPECT_FALSE(fs::exists(out()));
}

}  // namespace
}  // namespace tessera::test
