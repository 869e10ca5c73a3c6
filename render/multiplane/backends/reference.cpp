// SPDX-License-Identifier: MIT
#include "render/multiplane/backends/reference.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "render/multiplane/target_view.h"

namespace tessera::render {
namespace {

// What a pixel shows of a layer.
struct Hit {
  LayerDepth depth;
  int x, y;  // the upper left of its four texels, from the window's corner; may be -1
  double fraction_x, fraction_y;
  TexelQuad<double> quad;
  Rgba<double> sample;
  double transmittance = 1;  // before it
};

bool in_window(const core::PixelWindow& window, int x, int y) {
  return x >= 0 && y >= 0 && x < window.width && y < window.height;
}

template <class T>
class Pixels {
 public:
  Pixels(const core::BasicMultiplaneImage<T>& image, const core::PosedCamera& target)
      : image_(image), view_(target_view(image.camera, target)) {
    for (const core::MultiplaneLayer& layer : image.layers) {
      faces_.push_back(plane_facing(view_, plane_of(layer)) > 0);
      maps_.push_back(plane_map(view_, plane_of(layer)));
    }
  }

  const TargetView<double>& view() const { return view_; }
  const PlaneMap<double>& map(int layer) const { return maps_[layer]; }

  // The layers that the pixel shows, near to far.
  void find_hits(double u, double v, std::vector<Hit>& hits) const {
    hits.clear();
    for (int i = 0; i < static_cast<int>(image_.layers.size()); ++i) {
      if (!faces_[i] || !shows_plane(maps_[i], u, v)) continue;
      const core::MultiplaneLayer& layer = image_.layers[i];
      const math::Vec2<double> texel = texel_at(maps_[i], u, v);
      const double x = texel.x - layer.window.left - 0.5, y = texel.y - layer.window.top - 0.5;
      if (!(x > -1 && y > -1 && x < layer.window.width && y < layer.window.height)) continue;
      Hit hit;
      hit.depth = {linear_at(maps_[i].inverse_depth, u, v), i};
      hit.x = static_cast<int>(std::floor(x));
      hit.y = static_cast<int>(std::floor(y));
      hit.fraction_x = x - hit.x;
      hit.fraction_y = y - hit.y;
      for (int k = 0; k < 4; ++k) hit.quad.texel[k] = texel_of(layer, hit.x + k % 2, hit.y + k / 2);
      hit.sample = sample(hit.quad, hit.fraction_x, hit.fraction_y);
      hits.push_back(hit);
    }
    std::sort(hits.begin(), hits.end(),
              [](const Hit& a, const Hit& b) { return a.depth < b.depth; });
  }

 private:
  Rgba<double> texel_of(const core::MultiplaneLayer& layer, int x, int y) const {
    Rgba<double> value = {{0, 0, 0, 0}};
    if (!in_window(layer.window, x, y)) return value;
    const T* texel = &image_.pages[layer.page].at(layer.x + x, layer.y + y);
    constexpr double kUnit = std::is_same_v<T, uint8_t> ? 1.0 / 255 : 1.0;
    for (int c = 0; c < 4; ++c) value.c[c] = texel[c] * kUnit;
    return value;
  }

  const core::BasicMultiplaneImage<T>& image_;
  TargetView<double> view_;
  std::vector<bool> faces_;
  std::vector<PlaneMap<double>> maps_;
};

// Notes in each hit what is left before it.
Composite<double> composite(std::vector<Hit>& hits) {
  Composite<double> all = nothing_before<double>();
  for (Hit& hit : hits) {
    hit.transmittance = all.transmittance;
    blend(all, hit.sample, hit.depth.inverse_depth);
  }
  return all;
}

class ReferenceMultiplaneRenderer final : public MultiplaneRenderer {
 private:
  template <class T>
  static void draw(const core::BasicMultiplaneImage<T>& image, const core::PosedCamera& target,
                   const MultiplaneOptions& options, MultiplaneOutput& output) {
    const core::PixelWindow& window = options.window;
    const int width = window.width, height = window.height;
    output.color.resize(width, height, 3);
    output.alpha.resize(width, height, 1);
    output.disparity = options.disparity ? core::ImageF(width, height, 1) : core::ImageF();
    const float background[3] = {options.background.x, options.background.y, options.background.z};
    const Pixels<T> pixels(image, target);
    std::vector<Hit> hits;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        pixels.find_hits(window.left + x + 0.5, window.top + y + 0.5, hits);
        const Composite<double> all = composite(hits);
        for (int c = 0; c < 3; ++c) {
          output.color.at(x, y, c) =
              static_cast<float>(all.color[c] + all.transmittance * background[c]);
        }
        output.alpha.at(x, y) = static_cast<float>(1 - all.transmittance);
        if (options.disparity) output.disparity.at(x, y) = static_cast<float>(all.disparity);
      }
    }
  }

  void forward_impl(const core::MultiplaneImage& image, const core::PosedCamera& target,
                    const MultiplaneOptions& options, MultiplaneOutput& output) override {
    draw(image, target, options, output);
  }
  void forward_impl(const core::MultiplaneImageF& image, const core::PosedCamera& target,
                    const MultiplaneOptions& options, MultiplaneOutput& output) override {
    draw(image, target, options, output);
    target_ = target;
    background_ = options.background;
  }

  void backward_impl(const core::MultiplaneImageF& image, const core::PixelWindow& window,
                     const MultiplaneOutputGradient& d_output,
                     MultiplaneGradient& gradient) override {
    std::vector<std::vector<double>> pages;
    for (const core::ImageF& page : image.pages) pages.emplace_back(page.data.size(), 0.0);
    std::vector<PlaneMap<double>> maps(image.layers.size(), PlaneMap<double>{});
    const double background[3] = {background_.x, background_.y, background_.z};
    const Pixels<float> pixels(image, target_);
    std::vector<Hit> hits;
    for (int y = 0; y < window.height; ++y) {
      for (int x = 0; x < window.width; ++x) {
        const double u = window.left + x + 0.5, v = window.top + y + 0.5;
        pixels.find_hits(u, v, hits);
        composite(hits);
        const CompositeGradient<double> d = {
            {d_output.color.at(x, y, 0), d_output.color.at(x, y, 1), d_output.color.at(x, y, 2)},
            d_output.alpha.empty() ? 0.0 : d_output.alpha.at(x, y),
            d_output.disparity.empty() ? 0.0 : d_output.disparity.at(x, y)};
        double behind = nothing_behind(d, background);
        for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
          const BlendGradient<double> g =
              blend_vjp(hit->transmittance, hit->sample, hit->depth.inverse_depth, d, behind);
          const core::MultiplaneLayer& layer = image.layers[hit->depth.layer];
          add_texels(layer, image.pages[layer.page], *hit, g.sample, pages[layer.page]);
          add_map(pixels.map(hit->depth.layer), u, v,
                  sample_vjp(hit->quad, hit->fraction_x, hit->fraction_y, g.sample),
                  g.inverse_depth, maps[hit->depth.layer]);
        }
      }
    }
    for (size_t p = 0; p < pages.size(); ++p) {
      float* to = gradient.pages[p].data.data();
      for (size_t k = 0; k < pages[p].size(); ++k) to[k] += static_cast<float>(pages[p][k]);
    }
    for (size_t i = 0; i < maps.size(); ++i) {
      const math::Vec3<double> plane = plane_of(image.layers[i]);
      if (!(plane_facing(pixels.view(), plane) > 0)) continue;
      const math::Vec3<double> d = plane_map_vjp(pixels.view(), plane, maps[i]);
      gradient.planes[i] =
          gradient.planes[i] + math::Vec3<float>{static_cast<float>(d.x), static_cast<float>(d.y),
                                                 static_cast<float>(d.z)};
    }
  }

  static void add_texels(const core::MultiplaneLayer& layer, const core::ImageF& page,
                         const Hit& hit, const Rgba<double>& d, std::vector<double>& to) {
    const TexelWeights<double> weights = texel_weights(hit.fraction_x, hit.fraction_y);
    for (int k = 0; k < 4; ++k) {
      const int x = hit.x + k % 2, y = hit.y + k / 2;
      if (!in_window(layer.window, x, y)) continue;
      const int64_t at = 4 * (int64_t{layer.y + y} * page.width + layer.x + x);
      for (int c = 0; c < 4; ++c) to[at + c] += weights.w[k] * d.c[c];
    }
  }

  static void add_map(const PlaneMap<double>& map, double u, double v, math::Vec2<double> d_texel,
                      double d_inverse_depth, PlaneMap<double>& to) {
    const math::Vec3<double> d = texel_at_vjp(map, u, v, d_texel);
    const double rows[3] = {d.x, d.y, d.z};
    for (int r = 0; r < 3; ++r) {
      to.texel.m[r][0] += rows[r] * u;
      to.texel.m[r][1] += rows[r] * v;
      to.texel.m[r][2] += rows[r];
    }
    to.inverse_depth = to.inverse_depth + math::Vec3<double>{u, v, 1} * d_inverse_depth;
  }

  core::PosedCamera target_;
  math::Vec3<float> background_ = {0, 0, 0};
};

}  // namespace

std::unique_ptr<MultiplaneRenderer> make_reference_multiplane_renderer(core::ThreadPool&) {
  return std::make_unique<ReferenceMultiplaneRenderer>();
}

}  // namespace tessera::render
