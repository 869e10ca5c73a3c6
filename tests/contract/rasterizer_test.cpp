// Every rasterizer backend against the definition in double: pictures and all gradients, over
// scenes that have what real ones have and what only odd ones have.
//
// Where an alpha stands within rounding of a cut-off (1/255; transmittance 1e-4), float and double
// may decide differently. So the check has two tiers: pixels where they decided alike agree
// tightly; the others are few, differ by little, and not always to the same side. Gradients are
// compared for losses on the pixels of the first tier.
// SPDX-License-Identifier: MIT
#include "render/gaussian/rasterizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <vector>

#include "render/gaussian/backends/reference_render.h"
#include "tests/support/garden.h"
#include "tests/support/raster_scenes.h"
#include "tests/support/raster_variant.h"
#include "tests/support/test_data.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

using test::RasterScene;

double largest(const std::vector<double>& values, double at_least) {
  double result = at_least;
  for (const double v : values) result = std::max(result, std::fabs(v));
  return result;
}

// Pixels where a decision differed, over all scenes.
struct Crossings {
  int64_t pixels = 0;
  int64_t crossed = 0;
  double signed_sum = 0;  // of differences, each over the largest allowed

  void expect_few_and_unbiased() const {
    const auto count = static_cast<double>(crossed);
    EXPECT_LE(count, test::kCrossingShare * static_cast<double>(pixels) + 1);
    EXPECT_LE(std::fabs(signed_sum), 3 * std::sqrt(count) + 1);
  }
};

// One backend's pictures of a scene beside the reference's.
class Comparison {
 public:
  Comparison(Rasterizer& rasterizer, const RasterScene& scene)
      : rasterizer_(rasterizer),
        scene_(scene),
        reference_(scene.cloud, scene.camera, options_with_everything(scene)),
        want_(reference_render(reference_)),
        same_(want_.alpha.size(), true) {
    rasterizer_.forward(scene.cloud, scene.camera, options_with_everything(scene), got_);
  }

  void compare_pictures(Crossings& crossings) {
    const double color = scene_.condition * largest(want_.color, 1);
    find_crossings(got_.color, want_.color, color, crossings);
    find_crossings(got_.alpha, want_.alpha, scene_.condition, crossings);
    crossings.pixels += static_cast<int64_t>(same_.size());
    const double z = scene_.condition * largest(want_.depth, 1e-9);
    expect_picture("depth", got_.depth, want_.depth, test::kDepthPicture * z);
    expect_picture("depth_variance", got_.depth_variance, want_.depth_variance,
                   test::kDepthPicture * z * z);
    expect_picture("normal", got_.normal, want_.normal, 4 * test::kPicture * scene_.condition);
    compare_medians();
  }

  void compare_radii() const {
    const std::span<const float> radii = rasterizer_.radii();
    ASSERT_EQ(radii.size(), want_.radii.size());
    int64_t visible = 0;
    for (size_t i = 0; i < radii.size(); ++i) {
      EXPECT_TRUE(test::near(radii[i], want_.radii[i], test::kRadius)) << "of " << i;
      visible += radii[i] > 0 ? 1 : 0;
    }
    EXPECT_EQ(rasterizer_.counts().visible, visible);
  }

  void compare_gradients(bool with_alpha_and_depth) {
    set_output_gradients(with_alpha_and_depth);
    RasterizeGradient got;
    got.parameters.reset(reference_.planes, reference_.count);
    got.absolute = got.pose = true;
    rasterizer_.backward(scene_.cloud, d_output_, got);
    const ReferenceGradients want = reference_render_vjp(reference_, d_reference_);

    const int planes = reference_.planes;
    const double scale_size = largest_of_planes(want, core::kLogScalePlane, core::kQuaternionPlane);
    expect_planes("mean", got, want, 0, core::kLogScalePlane, 0);
    expect_planes("log scale", got, want, core::kLogScalePlane, core::kQuaternionPlane, 0);
    // Zero for a sphere, so its size says nothing.
    expect_planes("quaternion", got, want, core::kQuaternionPlane, core::kOpacityPlane, scale_size);
    expect_planes("opacity", got, want, core::kOpacityPlane, core::kShPlane, 0);
    expect_planes("sh", got, want, core::kShPlane, planes, 0);
    expect_mean2d(got.mean2d_x, got.mean2d_y, want.mean2d);
    expect_mean2d(got.absolute_mean2d_x, got.absolute_mean2d_y, want.absolute_mean2d);
    expect_vector("camera rotation", got.camera_rotation, want.camera_rotation);
    expect_vector("camera translation", got.camera_translation, want.camera_translation);
    const test::Tolerance t = {test::kBackgroundGradient.absolute * scene_.condition,
                               test::kBackgroundGradient.relative * scene_.condition};
    EXPECT_TRUE(test::near(got.background.x, want.background.x, t));
    EXPECT_TRUE(test::near(got.background.y, want.background.y, t));
    EXPECT_TRUE(test::near(got.background.z, want.background.z, t));
  }

 private:
  static RasterizeOptions options_with_everything(const RasterScene& scene) {
    RasterizeOptions options = scene.options;
    options.depth = options.normals = true;
    return options;
  }

  void find_crossings(const core::ImageF& got, const std::vector<double>& want, double scale,
                      Crossings& crossings) {
    ASSERT_EQ(got.data.size(), static_cast<int64_t>(want.size()));
    for (int64_t i = 0; i < got.data.size(); ++i) {
      const double difference = got.data[i] - want[i];
      if (std::fabs(difference) <= test::kPicture * scale) continue;
      const double most = test::kPictureCrossing * scale;
      EXPECT_LE(std::fabs(difference), most) << "at pixel " << i / got.channels;
      const int64_t pixel = i / got.channels;
      if (!same_[pixel]) continue;
      same_[pixel] = false;
      ++crossings.crossed;
      crossings.signed_sum += difference / most;
    }
  }

  void expect_picture(const char* name, const core::ImageF& got, const std::vector<double>& want,
                      double allowed) const {
    ASSERT_EQ(got.data.size(), static_cast<int64_t>(want.size())) << name;
    for (int64_t i = 0; i < got.data.size(); ++i) {
      if (same_[i / got.channels]) {
        ASSERT_NEAR(got.data[i], want[i], allowed) << name << " at " << i / got.channels;
      }
    }
  }

  // Where the transmittance stands within rounding of 1/2 the neighbouring splat may be taken.
  void compare_medians() const {
    int64_t different = 0;
    for (int64_t i = 0; i < got_.median_depth.data.size(); ++i) {
      if (!test::near(got_.median_depth.data[i], want_.median_depth[i], test::kFloatMean)) {
        ++different;
      }
    }
    EXPECT_LE(different, 1 + static_cast<int64_t>(test::kCrossingShare * scene_.condition *
                                                  static_cast<double>(same_.size())));
  }

  void set_output_gradients(bool with_alpha_and_depth) {
    const core::Camera& c = scene_.camera.camera;
    d_output_.color = core::ImageF(c.width, c.height, 3);
    d_output_.alpha = with_alpha_and_depth ? core::ImageF(c.width, c.height, 1) : core::ImageF();
    d_output_.depth = d_output_.alpha;
    test::Random random(99);
    const auto fill = [&](core::ImageF& image, std::vector<double>& values) {
      values.clear();
      for (int64_t i = 0; i < image.data.size(); ++i) {
        const float value = static_cast<float>(random.uniform(-1, 1));
        image.data[i] = same_[i / image.channels] ? value : 0.0F;
        values.push_back(image.data[i]);
      }
    };
    fill(d_output_.color, d_reference_.color);
    fill(d_output_.alpha, d_reference_.alpha);
    fill(d_output_.depth, d_reference_.depth);
  }

  double largest_of_planes(const ReferenceGradients& g, int first, int last) const {
    const auto begin = g.parameters.begin();
    return largest({begin + first * reference_.count, begin + last * reference_.count}, 0);
  }

  double allowed(double want, double largest_value) const {
    return scene_.condition *
           (test::kGradientRelative * std::fabs(want) + test::kGradientOfLargest * largest_value);
  }

  // A splat at a cut-off in a pixel whose picture hardly shows it is not found by its picture, so
  // of many Gaussians a few may differ.
  class FewExceed {
   public:
    explicit FewExceed(const char* name) : name_(name) {}
    void add(double got, double want, double allowed_difference, int64_t gaussian) {
      ++compared_;
      if (std::fabs(got - want) <= allowed_difference) return;
      if (++exceeding_ > 1) return;
      first_ << name_ << " of Gaussian " << gaussian << " is " << got << " instead of " << want
             << "; " << allowed_difference << " is allowed";
    }
    ~FewExceed() {
      EXPECT_LE(static_cast<double>(exceeding_),
                test::kCrossingShare * static_cast<double>(compared_))
          << first_.str();
    }

   private:
    const char* name_;
    std::ostringstream first_;
    int64_t compared_ = 0;
    int64_t exceeding_ = 0;
  };

  void expect_planes(const char* name, const RasterizeGradient& got, const ReferenceGradients& want,
                     int first, int last, double at_least) const {
    const double most = std::max(at_least, largest_of_planes(want, first, last));
    for (int p = first; p < last; ++p) {
      FewExceed few(name);
      for (int64_t i = 0; i < reference_.count; ++i) {
        const double w = want.parameters[p * reference_.count + i];
        few.add(got.parameters.plane(p)[i], w, allowed(w, most), i);
      }
    }
  }

  void expect_mean2d(const core::Array<float>& x, const core::Array<float>& y,
                     const std::vector<math::Vec2<double>>& want) const {
    ASSERT_EQ(x.size(), reference_.count);
    ASSERT_EQ(y.size(), reference_.count);
    double most = 0;
    for (const auto& w : want) most = std::max({most, std::fabs(w.x), std::fabs(w.y)});
    FewExceed few("2D mean");
    for (int64_t i = 0; i < x.size(); ++i) {
      few.add(x[i], want[i].x, allowed(want[i].x, most), i);
      few.add(y[i], want[i].y, allowed(want[i].y, most), i);
    }
  }

  void expect_vector(const char* name, const math::Vec3<double>& got,
                     const math::Vec3<double>& want) const {
    const double most = largest({want.x, want.y, want.z}, 0);
    const double limit = scene_.condition * test::kPoseOfLargest * most;
    EXPECT_NEAR(got.x, want.x, limit) << name;
    EXPECT_NEAR(got.y, want.y, limit) << name;
    EXPECT_NEAR(got.z, want.z, limit) << name;
  }

  Rasterizer& rasterizer_;
  const RasterScene& scene_;
  ReferenceScene reference_;
  ReferencePictures want_;
  RenderOutput got_;
  std::vector<bool> same_;  // per pixel: both took the same decisions
  RenderOutputGradient d_output_;
  ReferencePictureGradients d_reference_;
};

class RasterizerTest : public testing::TestWithParam<test::RasterVariant> {};

TEST_P(RasterizerTest, AgreesWithTheReference) {
  core::ThreadPool pool(2);
  const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
  Crossings crossings;
  for (const RasterScene& scene : test::raster_scenes()) {
    SCOPED_TRACE(scene.name);
    Comparison comparison(*rasterizer, scene);
    comparison.compare_pictures(crossings);
    comparison.compare_radii();
    comparison.compare_gradients(false);
    comparison.compare_gradients(true);
  }
  crossings.expect_few_and_unbiased();
}

// A real scene's points and cameras.
TEST_P(RasterizerTest, AgreesWithTheReferenceOnRealPoints) {
  TESSERA_NEED_TEST_DATA(npz, "garden/test_garden.npz");
  core::ThreadPool pool(2);
  const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
  Crossings crossings;
  for (int view = 0; view < 3; ++view) {
    const RasterScene scene = test::garden_scene(npz, view, view == 0 ? 4 : 16);
    SCOPED_TRACE(scene.name);
    Comparison comparison(*rasterizer, scene);
    comparison.compare_pictures(crossings);
    comparison.compare_radii();
    if (view > 0) comparison.compare_gradients(false);
  }
  crossings.expect_few_and_unbiased();
}

INSTANTIATE_TEST_SUITE_P(Backends, RasterizerTest, testing::ValuesIn(test::raster_variants()),
                         [](const auto& variant) { return variant.param.name(); });

}  // namespace
}  // namespace tessera::render
