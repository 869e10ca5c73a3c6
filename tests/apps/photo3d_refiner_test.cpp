// `tessera photo3d --refiner` and `tessera-neural`, as users run them. Where LibTorch is left out,
// only what is said then is tested.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kSide = 140;

class Photo3dRefinerTest : public testing::Test {
 protected:
  void SetUp() override {
    core::Image8 photo(kSide, kSide, 3);
    assets::Image16 depth(kSide, kSide, 1);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool near = std::abs(x - 70) < 25 && std::abs(y - 70) < 25;
        for (int c = 0; c < 3; ++c) {
          photo.at(x, y, c) =
              static_cast<uint8_t>(near ? 60 : std::lround(128 + 80 * std::sin(0.3 * x + c)));
        }
        depth.at(x, y) = near ? 1000 : 3000;
      }
    }
    fs::create_directories(folder_ / "views/depth");
    assets::write_image(folder_ / "views/photo.png", photo);
    assets::write_image(folder_ / "views/depth/photo.png", depth);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static fs::path neural() { return fs::path(TESSERA_PROGRAM).parent_path() / "tessera-neural"; }
  // Exit code and all that it says.
  std::pair<int, std::string> run(const std::string& program, const std::string& words) const {
    const std::string said = at("said");
    const int status = std::system((program + " " + words + " >" + said + " 2>&1").c_str());
    return {WEXITSTATUS(status), text_of(said)};
  }
  ProgramEnd photo3d(const std::string& out, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "photo3d", at("views/photo.png"), "--depth", at("views/depth/photo.png"), "-o", at(out)};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

  TemporaryFolder folder_;
};

TEST_F(Photo3dRefinerTest, SaysWhatIsMissing) {
  const fs::path alone = folder_ / "tessera";
  fs::copy_file(TESSERA_PROGRAM, alone);
  const auto [code, said] = run(alone.string(), "photo3d " + at("views/photo.png") + " --depth " +
                                                    at("views/depth/photo.png") +
                                                    " --refiner w.safetensors -o " + at("x.tmpi"));
  EXPECT_EQ(code, 2);
  EXPECT_THAT(said, HasSubstr("TESSERA_TORCH"));
  EXPECT_FALSE(fs::exists(folder_ / "x.tmpi"));
}

TEST_F(Photo3dRefinerTest, TrainsRefinesAndRefuses) {
  if (!fs::exists(neural())) GTEST_SKIP() << "tessera-neural was not built: TESSERA_TORCH is off";
  const std::string training = "train-refiner " + at("views") + " -o " + at("w.safetensors") +
                               " --side 64 --patches 4 --rate 0.003 --threads 1";
  auto [code, said] = run(neural().string(), training + " -n 11");
  ASSERT_EQ(code, 0) << said;
  EXPECT_THAT(said, HasSubstr("1 photo with depth"));
  EXPECT_EQ(run(neural().string(), training + " -n 12").first, 2);
  std::tie(code, said) = run(neural().string(), training + " -n 12 --resume");
  EXPECT_EQ(code, 0) << said;
  EXPECT_THAT(said, HasSubstr("steps 12 to 12"));
  EXPECT_THAT(said, HasSubstr("Held out after 12 steps"));

  ASSERT_EQ(photo3d("plain.tmpi", {}).exit_code, 0);
  const ProgramEnd end = photo3d("refined.tmpi", {"--refiner", at("w.safetensors")});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("Refined in"));
  const core::MultiplaneImage plain = assets::read_multiplane(folder_ / "plain.tmpi");
  const core::MultiplaneImage refined = assets::read_multiplane(folder_ / "refined.tmpi");
  EXPECT_EQ(refined.layers, plain.layers);
  EXPECT_NE(refined.pages, plain.pages);
  // What twelve steps change is little.
  double squares = 0;
  for (size_t page = 0; page < plain.pages.size(); ++page) {
    for (int64_t i = 0; i < plain.pages[page].data.size(); ++i) {
      squares += std::pow(plain.pages[page].data[i] - refined.pages[page].data[i], 2);
    }
  }
  EXPECT_LT(squares / static_cast<double>(4 * core::texel_count(plain.layers)), 25);

  const ProgramEnd refused = photo3d("other.tmpi", {"--refiner", at("w.checkpoint.safetensors")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("no weights of a refiner"));
  EXPECT_FALSE(fs::exists(folder_ / "other.tmpi"));
  EXPECT_EQ(photo3d("none.tmpi", {"--refiner", at("none")}).exit_code, 2);
}

}  // namespace
}  // namespace tessera::test
