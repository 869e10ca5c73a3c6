// COLMAP captures: the reports' kinds of fault, odd models, and a model written by COLMAP 4.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "assets/captures/capture_reader.h"
#include "assets/captures/colmap_model.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Colmap, C01AllElevenModelsAreProjectedThrough) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C01");
  const core::Capture capture = assets::read_capture(folder / "distorted");
  std::set<core::CameraModel> models;
  for (const core::CaptureView& view : capture.views) models.insert(view.camera.model);
  EXPECT_EQ(models.size(), 11U);
  expect_pixels(capture, folder / "expect.txt", 33);
}

TEST(Colmap, C01UnknownModelIsRefusedByNumberWithAWayOut) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C01/unknown_model");
  EXPECT_THAT(error_of([&] { assets::read_capture(folder); }),
              AllOf(HasSubstr("cameras.bin"), HasSubstr("camera 1"), HasSubstr("99"),
                    HasSubstr("image_undistorter")));
}

TEST(Colmap, C04PointsOfUnknownErrorAreKept) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C04");
  const core::Capture binary = assets::read_capture(folder / "bin");
  const core::Capture text = assets::read_capture(folder / "txt");
  const core::Capture no_tracks = assets::read_capture(folder / "no_tracks");
  EXPECT_EQ(binary.points.size(), 240U);
  EXPECT_EQ(no_tracks.points.size(), 240U);
  ASSERT_EQ(text.points.size(), 240U);
  for (size_t i = 0; i < text.points.size(); ++i) {
    EXPECT_NEAR(text.points[i].position.x, binary.points[i].position.x, 1e-9);
    EXPECT_EQ(text.points[i].rgb[1], binary.points[i].rgb[1]);
  }
}

TEST(Colmap, C06SubfoldersArePartOfTheName) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C06");
  const core::Capture capture = assets::read_capture(folder);
  ASSERT_EQ(capture.views.size(), 8U);
  for (const core::CaptureView& view : capture.views) {
    EXPECT_EQ(view.image_path, folder / "images" / view.name);
  }
  expect_pixels(capture, folder / "expect.txt", 8);
}

TEST(Colmap, C08IdsAreNamesNotPositions) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C08");
  const core::Capture capture = assets::read_capture(folder);
  expect_pixels(capture, folder / "expect.txt", 8);
  EXPECT_NE(find_view(capture, "img_05.png")->camera, find_view(capture, "img_00.png")->camera);
}

TEST(Colmap, C11MissingPhotosAreNamedAndPhotosWithoutAPoseCounted) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C11");
  const core::Capture capture = assets::read_capture(folder);
  EXPECT_EQ(capture.views.size(), 7U);
  EXPECT_EQ(find_view(capture, "img_02.png"), nullptr);
  EXPECT_THAT(capture.warnings,
              ElementsAre(AllOf(HasSubstr("1 of 8 photos"), HasSubstr("img_02.png"))));
  EXPECT_THAT(capture.notes, Contains(HasSubstr("1 photo beside them has no pose")));
}

TEST(Colmap, N03MixedSizesKeepTheirCameras) {
  TESSERA_NEED_TEST_DATA(folder, "reports/N03");
  expect_pixels(assets::read_capture(folder), folder / "expect.txt", 8);
}

TEST(Colmap, N05PrincipalPointMayLieOutsideThePicture) {
  TESSERA_NEED_TEST_DATA(folder, "reports/N05");
  const core::Capture capture = assets::read_capture(folder / "crops");
  EXPECT_EQ(capture.views.size(), 16U);
  expect_pixels(capture, folder / "expect.txt", 4);
  EXPECT_DOUBLE_EQ(find_view(capture, "img_00_r.png")->camera.cx, -16);
}

TEST(Colmap, L02OnlyTheModelsOwnFilesAreRead) {
  TESSERA_NEED_TEST_DATA(folder, "reports/L02");
  const core::Capture capture = assets::read_capture(folder);
  EXPECT_EQ(capture.views.size(), 8U);
  EXPECT_EQ(capture.points.size(), 240U);
}

void expect_odd_model(const assets::ColmapModel& model) {
  ASSERT_EQ(model.cameras.size(), 11U);
  EXPECT_EQ(model.cameras.at(65000).model, core::CameraModel::kThinPrismFisheye);
  EXPECT_DOUBLE_EQ(model.cameras.at(65000).distortion[7], 0.000861313);
  EXPECT_DOUBLE_EQ(model.cameras.at(12).distortion[0], 0.93);
  ASSERT_EQ(model.images.size(), 11U);
  ASSERT_EQ(model.points.size(), 5U);
  EXPECT_EQ(model.points[0].id, 7U);
  EXPECT_DOUBLE_EQ(model.points[0].point.position.x, 0.63820601361473717);
  EXPECT_EQ(model.points[0].point.rgb[2], 30);
}

std::set<std::string> names_of(const assets::ColmapModel& model) {
  std::set<std::string> names;
  for (const assets::ColmapImage& image : model.images) names.insert(image.name);
  return names;
}

TEST(Colmap, OddTextModelKeepsSpacesUmlautsAndEmptyLines) {
  TESSERA_NEED_TEST_DATA(folder, "odd/colmap/all_camera_models_txt");
  const assets::ColmapModel model = assets::read_colmap_model(folder);
  expect_odd_model(model);
  const std::set<std::string> names = names_of(model);
  EXPECT_TRUE(names.contains("with space2.JPG"));
  EXPECT_TRUE(names.contains("\u00fcmlaut3.jpg"));
  EXPECT_TRUE(names.contains("sub/dir/nested9.png"));
}

TEST(Colmap, OddBinaryModelIsReadWhole) {
  TESSERA_NEED_TEST_DATA(folder, "odd/colmap/all_camera_models_bin");
  expect_odd_model(assets::read_colmap_model(folder));
}

TEST(Colmap, ACaptureWithoutPhotosNamesTheFirstAndTheWayOut) {
  TESSERA_NEED_TEST_DATA(folder, "odd/colmap/all_camera_models_txt");
  EXPECT_THAT(error_of([&] { assets::read_capture(folder); }),
              AllOf(HasSubstr("11 photos"), HasSubstr("--images")));
  assets::CaptureOptions options;
  options.photos_required = false;
  EXPECT_EQ(assets::read_capture(folder, options).views.size(), 11U);
}

TEST(Colmap, BinaryAndTextOfColmap4Agree) {
  const std::filesystem::path fixtures = TESSERA_FIXTURES "/colmap";
  const assets::ColmapModel binary = assets::read_colmap_model(fixtures / "binary");
  const assets::ColmapModel text = assets::read_colmap_model(fixtures / "text");
  ASSERT_EQ(binary.cameras.size(), 12U);
  ASSERT_EQ(binary.images.size(), 12U);
  EXPECT_EQ(binary.points.size(), 5U);
  EXPECT_EQ(binary.cameras, text.cameras);
  EXPECT_EQ(names_of(binary), names_of(text));
  EXPECT_TRUE(names_of(binary).contains("02 with space in it.JPG"));
  for (const assets::ColmapImage& a : binary.images) {
    for (const assets::ColmapImage& b : text.images) {
      if (a.id != b.id) continue;
      EXPECT_EQ(a.camera_id, b.camera_id);
      EXPECT_NEAR(a.cam_from_world.rotation.m[0][1], b.cam_from_world.rotation.m[0][1], 1e-12);
      EXPECT_NEAR(a.cam_from_world.translation.z, b.cam_from_world.translation.z, 1e-12);
    }
  }
}

}  // namespace
}  // namespace tessera::tests
