// Captures in map coordinates: what comes out lies where what went in did.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kEast = 432'000;
constexpr double kNorth = 5'012'000;

// The sample as a transforms.json whose world is moved.
void write_moved_sample(const fs::path& folder, double east, double north) {
  const core::Capture sample = assets::read_capture(TESSERA_SAMPLE);
  Json frames = Json::array();
  for (const core::CaptureView& view : sample.views) {
    const core::Rigid pose = view.cam_from_world.inverse();
    const auto& m = pose.rotation.m;
    const math::Vec3<double> t = pose.translation;
    // OpenGL's camera axes: y and z turned.
    frames.push_back({{"file_path", view.image_path.string()},
                      {"transform_matrix",
                       {{m[0][0], -m[0][1], -m[0][2], t.x + east},
                        {m[1][0], -m[1][1], -m[1][2], t.y + north},
                        {m[2][0], -m[2][1], -m[2][2], t.z},
                        {0, 0, 0, 1}}}});
  }
  const core::Camera& c = sample.views[0].camera;
  const Json json = {{"w", c.width}, {"h", c.height}, {"fl_x", c.fx},    {"fl_y", c.fy},
                     {"cx", c.cx},   {"cy", c.cy},    {"frames", frames}};
  fs::create_directories(folder);
  std::ofstream(folder / "transforms.json") << json.dump();
}

double measured_psnr(const fs::path& scene, const fs::path& capture) {
  const ProgramEnd end =
      run_program({"eval", scene.string(), capture.string(), "-r", "8", "--json", "-"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  return Json::parse(end.out)["psnr"].get<double>();
}

TEST(FarOrigin, SceneLiesWhereTheCaptureDoesAndIsMeasuredThere) {
  const TemporaryFolder folder;
  write_moved_sample(folder / "near", 0, 0);
  write_moved_sample(folder / "far", kEast, kNorth);
  const auto train = [&](const std::string& name) {
    const ProgramEnd end = run_program({"reconstruct", (folder / name).string(), "-o",
                                        (folder / ("out_" + name)).string(), "-r", "8", "-n", "100",
                                        "--init-points", "3000", "--eval"});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    return folder / ("out_" + name);
  };
  const fs::path near = train("near");
  const fs::path far = train("far");

  const core::GaussianScene scene = assets::read_scene(far / "scene.ply");
  EXPECT_NEAR(scene.origin_in_file[0], kEast, 20);
  EXPECT_NEAR(scene.origin_in_file[1], kNorth, 20);
  const fs::path saved = far / "point_cloud" / "iteration_100";
  EXPECT_TRUE(fs::equivalent(far / "scene.ply", saved / "point_cloud.ply")) << "written once";
  EXPECT_EQ(text_of(far / "scene_offset.xyz"), text_of(saved / "point_cloud_offset.xyz"));

  ASSERT_EQ(run_program({"convert", (far / "scene.ply").string(), (far / "scene.splat").string()})
                .exit_code,
            0);
  const double near_psnr = measured_psnr(near / "scene.ply", folder / "near");
  const double far_psnr = measured_psnr(far / "scene.ply", folder / "far");
  EXPECT_GT(near_psnr, 12);
  EXPECT_NEAR(far_psnr, near_psnr, 0.5);
  EXPECT_NEAR(measured_psnr(far / "scene.splat", folder / "far"), far_psnr, 0.5);
  const Json results = Json::parse(text_of(far / "results.json"));
  EXPECT_NEAR(results["ours_100"]["PSNR"].get<double>(), far_psnr, 1e-3);
}

}  // namespace
}  // namespace tessera::test
