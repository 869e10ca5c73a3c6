// Captures made for one rule each: names, matrices, sizes, masks, far origins, what is refused.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "assets/captures/capture_reader.h"
#include "assets/photos/image_io.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/exif.h"
#include "tests/support/temporary_folder.h"

namespace tessera::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// A folder in which captures are made.
class MadeCaptures : public ::testing::Test {
 protected:
  fs::path write(const fs::path& name, const std::string& text) const {
    fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  void write_photo(const fs::path& name, int width, int height, int channels = 3) const {
    core::Image8 image(width, height, channels);
    image.data.fill(100);
    fs::create_directories((folder_.path() / name).parent_path());
    assets::write_image(folder_.path() / name, image);
  }
  void write_turned_photo(const fs::path& name, int width, int height, uint8_t orientation) const {
    core::Image8 image(width, height, 3);
    image.data.fill(100);
    const auto jpeg = with_exif_orientation(assets::encode_jpeg(image), orientation);
    write(name, std::string(jpeg.begin(), jpeg.end()));
  }
  // A COLMAP text model with one PINHOLE camera of the given size and images at x = 0, 1, ...
  void write_colmap(const fs::path& sparse, int width, int height,
                    const std::vector<std::string>& names, double offset = 0) const {
    write(sparse / "cameras.txt",
          fmt::format("1 PINHOLE {} {} 50 50 {} {}\n", width, height, width / 2.0, height / 2.0));
    std::string images;
    for (size_t i = 0; i < names.size(); ++i) {
      images += fmt::format("{} 1 0 0 0 {:.6f} 0 0 1 {}\n\n", i + 1,
                            -(offset + static_cast<double>(i)), names[i]);
    }
    write(sparse / "images.txt", images);
    write(sparse / "points3D.txt", fmt::format("1 {:.6f} 0 5 1 2 3 -1\n", offset + 0.125));
  }
  static std::string frame(const std::string& path, double w = 1, const std::string& more = "") {
    return fmt::format(
        R"({{"file_path": "{}", "transform_matrix": [[{},0,0,{}],[0,{},0,{}],[0,0,{},{}],[0,0,0,{}]]{}}})",
        path, w, w * 1, w, w * 2, w, w * 3, w, more);
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(MadeCaptures, LetterCaseOfNamesMayDiffer) {
  write_photo("images/DSC_1.PNG", 8, 6);
  write_photo("images/b.png", 8, 6);
  write_photo("images/B.png", 8, 6);
  write_colmap("sparse/0", 8, 6, {"dsc_1.png", "b.png"});
  const core::Capture capture = assets::read_capture(folder());
  ASSERT_EQ(capture.views.size(), 2U);
  EXPECT_EQ(find_view(capture, "dsc_1.png")->image_path, folder() / "images/DSC_1.PNG");
  EXPECT_EQ(find_view(capture, "b.png")->image_path, folder() / "images/b.png");
  // Which of two is meant cannot be told.
  write_colmap("sparse/0", 8, 6, {"dsc_1.png", "b.PNG"});
  const core::Capture open = assets::read_capture(folder());
  EXPECT_EQ(open.views.size(), 1U);
}

TEST_F(MadeCaptures, BackslashesMissingExtensionsAndDotsInNames) {
  write_photo("images/a.png", 8, 6);
  write_photo("images/b.jpg", 8, 6);
  write_photo("images/c.0001.png", 8, 6);
  write("transforms.json", R"({"fl_x": 10, "frames": [)" + frame(R"(images\\a.png)") + "," +
                               frame("./images/b") + "," + frame("images/c.0001") + "]}");
  const core::Capture capture = assets::read_capture(folder());
  ASSERT_EQ(capture.views.size(), 3U);
  EXPECT_EQ(capture.views[0].name, "images/a.png");
  EXPECT_EQ(capture.views[1].image_path, folder() / "images/b.jpg");
  EXPECT_EQ(capture.views[2].image_path, folder() / "images/c.0001.png");
  EXPECT_EQ(capture.views[0].camera.width, 8);
  EXPECT_DOUBLE_EQ(capture.views[0].camera.fy, 10);
}

TEST_F(MadeCaptures, AMatrixScaledAsAWholeGivesTheSamePose) {
  write_photo("a.png", 8, 6);
  write_photo("b.png", 8, 6);
  write("transforms.json",
        R"({"fl_x": 10, "frames": [)" + frame("a.png") + "," + frame("b.png", 0.00118) + "]}");
  const core::Capture capture = assets::read_capture(folder());
  for (const core::CaptureView& view : capture.views) {
    const math::Vec3<double> center = core::center_in_world(view.cam_from_world);
    EXPECT_NEAR(center.x, 1, 1e-12);
    EXPECT_NEAR(center.y, 2, 1e-12);
    EXPECT_NEAR(center.z, 3, 1e-12);
    EXPECT_NEAR(view.cam_from_world.rotation.m[1][1], -1, 1e-12);
    EXPECT_NEAR(view.cam_from_world.rotation.m[2][2], -1, 1e-12);
  }
}

TEST_F(MadeCaptures, MirroredAndSkewedMatricesAreRefusedNamingTheFrame) {
  write_photo("a.png", 8, 6);
  for (const char* matrix :
       {"[[-1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]", "[[1,0.5,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]",
        "[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,1]]", "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,0]]",
        "[1, 2]"}) {
    write("transforms.json",
          fmt::format(
              R"({{"fl_x": 10, "frames": [{{"file_path": "a.png", "transform_matrix": {}}}]}})",
              matrix));
    EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }), HasSubstr("\"a.png\""))
        << matrix;
  }
}

TEST_F(MadeCaptures, FisheyeAndThirdRadialCoefficient) {
  write_photo("a.png", 8, 6);
  write_photo("b.png", 8, 6);
  write("transforms.json", R"({"fl_x": 10, "k1": 0.1, "k2": 0.2, "frames": [)" +
                               frame("a.png", 1, R"(, "is_fisheye": true, "k3": 0.3, "k4": 0.4)") +
                               "," + frame("b.png", 1, R"(, "k3": 0.3, "p1": 0.01)") + "]}");
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.views[0].camera.model, core::CameraModel::kOpenCvFisheye);
  EXPECT_DOUBLE_EQ(capture.views[0].camera.distortion[3], 0.4);
  EXPECT_EQ(capture.views[1].camera.model, core::CameraModel::kFullOpenCv);
  EXPECT_DOUBLE_EQ(capture.views[1].camera.distortion[2], 0.01);
  EXPECT_DOUBLE_EQ(capture.views[1].camera.distortion[4], 0.3);
}

TEST_F(MadeCaptures, AppliedTransformMovesTheColmapPointsBeside) {
  write_photo("a.png", 8, 6);
  write_colmap("colmap/sparse/0", 8, 6, {"a.png"});
  write("transforms.json", R"({"fl_x": 10, "applied_transform": [[0,1,0,0],[1,0,0,0],[0,0,-1,1]],
    "frames": [)" + frame("a.png") +
                               "]}");
  fs::remove_all(folder() / "images");
  const core::Capture capture = assets::read_capture(folder() / "transforms.json");
  ASSERT_EQ(capture.points.size(), 1U);
  EXPECT_DOUBLE_EQ(capture.points[0].position.x, 0);
  EXPECT_DOUBLE_EQ(capture.points[0].position.y, 0.125);
  EXPECT_DOUBLE_EQ(capture.points[0].position.z, -4);
}

TEST_F(MadeCaptures, TransformsGoBeforeTheModelThatTheyWereMadeFrom) {
  write_photo("images/a.png", 8, 6);
  write_photo("images/b.png", 8, 6);
  write_colmap("colmap/sparse/0", 8, 6, {"a.png", "b.png"});
  EXPECT_EQ(assets::read_capture(folder()).kind, "COLMAP");
  write("transforms.json", R"({"fl_x": 10, "frames": [)" + frame("images/a.png") + "]}");
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.kind, "transforms.json");
  EXPECT_EQ(capture.views.size(), 1U);

  write_colmap("sparse/0", 8, 6, {"a.png", "b.png"});
  const core::Capture colmap = assets::read_capture(folder());
  EXPECT_EQ(colmap.kind, "COLMAP");
  EXPECT_THAT(colmap.notes, Contains(HasSubstr("transforms.json is there too")));
  EXPECT_EQ(assets::read_capture(folder() / "transforms.json").kind, "transforms.json");
}

TEST_F(MadeCaptures, ValidationIsHeldOutWhereNothingElseIs) {
  for (const char* name : {"images/a.png", "images/b.png"}) write_photo(name, 8, 6);
  const auto write_split = [&](const std::string& split, const std::string& name) {
    write("transforms_" + split + ".json",
          R"({"camera_angle_x": 1, "frames": [)" + frame("images/" + name) + "]}");
  };
  write_split("train", "a");
  write_split("val", "b");
  const core::Capture capture = assets::read_capture(folder());
  ASSERT_EQ(capture.views.size(), 2U);
  EXPECT_FALSE(find_view(capture, "images/a")->is_test);
  EXPECT_TRUE(find_view(capture, "images/b")->is_test);
  EXPECT_THAT(capture.notes, ::testing::ElementsAre(HasSubstr("transforms_val.json are held out")));

  write_photo("images/c.png", 8, 6);
  write_split("test", "c");
  const core::Capture tested = assets::read_capture(folder());
  EXPECT_EQ(find_view(tested, "images/b"), nullptr);
  EXPECT_TRUE(find_view(tested, "images/c")->is_test);
  EXPECT_THAT(tested.notes, Contains(HasSubstr("transforms_val.json is not used")));
}

TEST_F(MadeCaptures, TheSubModelWithMostImagesIsTakenAndSaid) {
  for (const char* name : {"a.png", "b.png", "c.png"}) write_photo(fs::path("images") / name, 8, 6);
  write_colmap("sparse/0", 8, 6, {"a.png"});
  write_colmap("sparse/1", 8, 6, {"a.png", "b.png", "c.png"});
  write_colmap("sparse/2", 8, 6, {"b.png", "c.png"});
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.views.size(), 3U);
  EXPECT_THAT(capture.notes, Contains(AllOf(HasSubstr("3 sub-models"), HasSubstr("sparse/1"))));
}

TEST_F(MadeCaptures, ADamagedSubModelIsLeftOut) {
  write_photo("images/a.png", 8, 6);
  write_colmap("sparse/0", 8, 6, {"a.png"});
  write_colmap("sparse/1", 8, 6, {"a.png"});
  write("sparse/1/images.txt", "1 1 0 0");
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.views.size(), 1U);
  EXPECT_THAT(capture.warnings, ::testing::ElementsAre(AllOf(HasSubstr("sparse/1 is left out"),
                                                             HasSubstr("images.txt"))));
  write("sparse/0/images.txt", "1 1 0 0");
  EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }), HasSubstr("sparse/0/images.txt"));
}

TEST_F(MadeCaptures, AModelFolderByItselfFindsItsPhotos) {
  write_photo("images/a b.png", 8, 6);
  write_colmap("sparse/0", 8, 6, {"a b.png"});
  EXPECT_EQ(assets::read_capture(folder() / "sparse" / "0").views[0].name, "a b.png");
  EXPECT_EQ(assets::read_capture(folder() / "sparse").views.size(), 1U);
}

TEST_F(MadeCaptures, ImagesOptionNamesThePhotoFolder) {
  write_photo("elsewhere/a.png", 8, 6);
  write_colmap("sparse/0", 8, 6, {"a.png"});
  assets::CaptureOptions options;
  options.images = folder() / "elsewhere";
  EXPECT_EQ(assets::read_capture(folder(), options).views[0].image_path,
            folder() / "elsewhere/a.png");
  options.images = folder() / "nowhere";
  EXPECT_THAT(error_of([&] { assets::read_capture(folder(), options); }), HasSubstr("--images"));
}

TEST_F(MadeCaptures, PrescaledPhotosAreTakenWhereTheyAreWhole) {
  write_photo("images/a.png", 16, 12);
  write_photo("images/b.png", 16, 12);
  write_photo("images_2/a.png", 8, 6);
  write_photo("images_2/b.png", 8, 6);
  write_photo("images_4/a.png", 4, 3);
  write_colmap("sparse/0", 16, 12, {"a.png", "b.png"});
  assets::CaptureOptions options;
  options.resolution = 2;
  const core::Capture half = assets::read_capture(folder(), options);
  EXPECT_EQ(half.views[1].image_path, folder() / "images_2/b.png");
  EXPECT_EQ(half.views[1].prescaled, 2);
  EXPECT_EQ(half.views[1].camera.width, 8);
  EXPECT_DOUBLE_EQ(half.views[1].camera.fx, 25);
  options.resolution = 4;  // b.png is not there
  EXPECT_EQ(assets::read_capture(folder(), options).views[0].prescaled, 1);
}

TEST_F(MadeCaptures, PrescaledPhotosOfAnotherSizeAreNotTaken) {
  write_photo("images/a.png", 41, 31);
  write_photo("images_2/a.png", 41, 31);
  write_photo("images_4/a.png", 11, 8);  // rounded up
  write_colmap("sparse/0", 41, 31, {"a.png"});
  assets::CaptureOptions options;
  options.resolution = 2;
  const core::Capture capture = assets::read_capture(folder(), options);
  EXPECT_EQ(capture.views[0].image_path, folder() / "images/a.png");
  EXPECT_EQ(capture.views[0].prescaled, 1);
  EXPECT_THAT(capture.notes, Contains(HasSubstr("images_2 is not used")));
  options.resolution = 4;
  EXPECT_EQ(assets::read_capture(folder(), options).views[0].prescaled, 4);
  fs::remove(folder() / "images/a.png");
  options.resolution = 2;
  const core::Capture alone = assets::read_capture(folder(), options);
  EXPECT_EQ(alone.views[0].image_path, folder() / "images_2/a.png");
  EXPECT_EQ(alone.views[0].prescaled, 1);
}

TEST_F(MadeCaptures, PhotosOfAnotherSizeScaleTheCameraIfTheShapeIsTheSame) {
  write_photo("images/a.png", 8, 6);
  write_colmap("sparse/0", 17, 13, {"a.png"});
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.views[0].camera.width, 8);
  EXPECT_DOUBLE_EQ(capture.views[0].camera.fx, 50.0 * 8 / 17);
  EXPECT_THAT(capture.notes, Contains(HasSubstr("from 17 x 13 to 8 x 6")));

  write_photo("images/a.png", 8, 8);
  EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }),
              AllOf(HasSubstr("8 x 8"), HasSubstr("17 x 13"), HasSubstr("a.png")));
}

TEST_F(MadeCaptures, ExifTurnsAPhotoOnlyIfItsCameraIsTurned) {
  write_turned_photo("images/a.jpg", 16, 12, 6);
  ASSERT_EQ(assets::probe_image(folder() / "images/a.jpg").exif_orientation, 6);
  write_colmap("sparse/0", 16, 12, {"a.jpg"});
  EXPECT_EQ(assets::read_capture(folder()).views[0].camera.width, 16);
  write_colmap("sparse/0", 12, 16, {"a.jpg"});
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.views[0].camera.width, 12);
  EXPECT_THAT(capture.notes, Contains(HasSubstr("EXIF")));
}

TEST_F(MadeCaptures, MasksAreFoundUnderEachNameAndAFolderThatFitsNothingIsReported) {
  for (const char* name : {"a.jpg", "sub/b.jpg", "c.png", "d.jpg"}) {
    write_photo(fs::path("images") / name, 8, 6);
  }
  write_colmap("sparse/0", 8, 6, {"a.jpg", "sub/b.jpg", "c.png", "d.jpg"});
  write_photo("masks/other.png", 8, 6, 1);
  EXPECT_THAT(assets::read_capture(folder()).warnings, Contains(HasSubstr("no mask is used")));
  write_photo("masks/a.jpg.png", 8, 6, 1);
  write_photo("masks/sub/b.png", 8, 6, 1);
  write_photo("masks/c.png", 8, 6, 1);
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(find_view(capture, "a.jpg")->mask_path, folder() / "masks/a.jpg.png");
  EXPECT_EQ(find_view(capture, "sub/b.jpg")->mask_path, folder() / "masks/sub/b.png");
  EXPECT_EQ(find_view(capture, "c.png")->mask_path, folder() / "masks/c.png");
  EXPECT_TRUE(find_view(capture, "d.jpg")->mask_path.empty());
  EXPECT_THAT(capture.notes, Contains(HasSubstr("3 of 4")));
}

TEST_F(MadeCaptures, DepthThatIsMissingOrOfAnotherShapeIsWarnedAbout) {
  for (const char* name : {"a.png", "b.png", "c.png"}) write_photo(name, 16, 12);
  write_photo("depth/a.png", 8, 6, 1);
  write_photo("depth/c.png", 12, 16, 1);
  const auto with_depth = [](const std::string& name) {
    return frame(name, 1, R"(, "depth_file_path": "depth/)" + name + "\"");
  };
  write("transforms.json", R"({"fl_x": 10, "frames": [)" + with_depth("a.png") + "," +
                               with_depth("b.png") + "," + with_depth("c.png") + "]}");
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_EQ(capture.views[0].depth_path, folder() / "depth/a.png");
  EXPECT_TRUE(capture.views[1].depth_path.empty());
  EXPECT_TRUE(capture.views[2].depth_path.empty());
  EXPECT_THAT(capture.warnings,
              ::testing::ElementsAre(AllOf(HasSubstr("Missing on disk"), HasSubstr("b.png")),
                                     AllOf(HasSubstr("another shape"), HasSubstr("c.png"))));
}

TEST_F(MadeCaptures, FarCoordinatesAreShiftedInDouble) {
  write_photo("images/a.png", 8, 6);
  write_photo("images/b.png", 8, 6);
  write_colmap("sparse/0", 8, 6, {"a.png", "b.png"}, 5e6 + 0.25);
  const core::Capture capture = assets::read_capture(folder());
  EXPECT_NEAR(capture.origin_in_file.x, 5e6, 2);
  EXPECT_EQ(capture.origin_in_file.x, std::round(capture.origin_in_file.x));
  const math::Vec3<double> a = core::center_in_world(capture.views[0].cam_from_world);
  EXPECT_NEAR(a.x + capture.origin_in_file.x, 5e6 + 0.25, 1e-6);
  EXPECT_NEAR(capture.points[0].position.x + capture.origin_in_file.x, 5e6 + 0.375, 1e-6);
  EXPECT_LT(std::abs(a.x), 3);
}

TEST_F(MadeCaptures, OtherKindsAreRefusedSayingWhatToDo) {
  EXPECT_THAT(error_of([&] { assets::read_capture(folder() / "none"); }),
              HasSubstr("no such file or folder"));
  EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }), HasSubstr("transforms.json"));
  EXPECT_THAT(error_of([&] { assets::read_capture(write("film.MP4", "x")); }),
              AllOf(HasSubstr("ffmpeg"), HasSubstr("colmap")));
  write_photo("a.jpg", 8, 6);
  EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }),
              AllOf(HasSubstr("no cameras"), HasSubstr("colmap")));
  write("poses_bounds.npy", "x");
  EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }), HasSubstr("LLFF"));
  write("reconstruction.json", "[]");
  EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }), HasSubstr("OpenSfM"));
}

TEST_F(MadeCaptures, BrokenJsonIsNamed) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"frames": 3})", R"({"frames": []})", R"({"frames": [3]})",
        R"({"frames": [{}]})", R"({"frames": [{"file_path": "a"}]})", R"({"frames": 1e999})"}) {
    write("transforms.json", text);
    EXPECT_THAT(error_of([&] { assets::read_capture(folder()); }), HasSubstr(folder().string()))
        << text;
  }
}

}  // namespace
}  // namespace tessera::tests
