// A made city to measure locality by: boxes of buildings between the streets of a grid, Gaussians
// evenly over ground, walls and roofs; cameras above it and in its streets.
//
// x and y along the ground, z up, in metres; the city is around the origin.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "tests/support/facing_camera.h"
#include "tests/support/random_scene.h"

namespace tessera::models {

struct CityPlan {
  double side = 3000;
  double pitch = 60;     // from street to street
  double building = 40;  // a building's side; streets take the rest
  double lowest = 8;
  double highest = 40;

  int blocks() const { return static_cast<int>(side / pitch); }
  // The corner of the block of that number along an axis; its street is before its building.
  double corner(int block) const { return block * pitch - side / 2; }
};

// Balls as large as their distances. Heights of buildings are random.
inline core::GaussianCloud city(const CityPlan& plan, int64_t count) {
  struct Surface {  // a rectangle: corner and two sides
    math::Vec3<double> corner, u, v;
    double area() const { return std::sqrt(dot(u, u) * dot(v, v)); }
  };
  test::Random random(1);
  std::vector<Surface> surfaces;
  for (int by = 0; by < plan.blocks(); ++by) {
    for (int bx = 0; bx < plan.blocks(); ++bx) {
      const double street = plan.pitch - plan.building, b = plan.building;
      const double x = plan.corner(bx), y = plan.corner(by);
      const double h = random.uniform(plan.lowest, plan.highest);
      const double x0 = x + street, y0 = y + street;
      surfaces.push_back({{x, y, 0}, {plan.pitch, 0, 0}, {0, street, 0}});
      surfaces.push_back({{x, y0, 0}, {street, 0, 0}, {0, b, 0}});
      surfaces.push_back({{x0, y0, h}, {b, 0, 0}, {0, b, 0}});
      surfaces.push_back({{x0, y0, 0}, {b, 0, 0}, {0, 0, h}});
      surfaces.push_back({{x0, y0 + b, 0}, {b, 0, 0}, {0, 0, h}});
      surfaces.push_back({{x0, y0, 0}, {0, b, 0}, {0, 0, h}});
      surfaces.push_back({{x0 + b, y0, 0}, {0, b, 0}, {0, 0, h}});
    }
  }
  double area = 0;
  for (const Surface& surface : surfaces) area += surface.area();
  core::GaussianCloud cloud(0, count);
  const double spacing = std::sqrt(area / static_cast<double>(count));
  double before = 0;  // area of the surfaces that are done
  int64_t i = 0;
  for (const Surface& surface : surfaces) {
    before += surface.area();
    const auto end = static_cast<int64_t>(before / area * static_cast<double>(count) + 0.5);
    for (; i < end && i < count; ++i) {
      const math::Vec3<double> p =
          surface.corner + random.uniform(0, 1) * surface.u + random.uniform(0, 1) * surface.v;
      const double mean[3] = {p.x, p.y, p.z};
      for (int k = 0; k < 3; ++k) {
        cloud.plane(core::kMeanPlane + k)[i] = static_cast<float>(mean[k]);
        cloud.plane(core::kLogScalePlane + k)[i] = static_cast<float>(std::log(spacing / 2));
      }
      cloud.plane(core::kQuaternionPlane)[i] = 1;
      cloud.plane(core::kOpacityPlane)[i] = 2;
    }
  }
  return cloud;
}

// A pinhole camera at `center` that looks along `forward`; its picture's x axis is `right`.
inline core::PosedCamera camera_in_city(math::Vec3<double> center, math::Vec3<double> right,
                                        math::Vec3<double> forward, int width, int height,
                                        double field_of_view) {
  return test::facing_camera(center, right, forward, width, height,
                             width / (2 * std::tan(field_of_view / 2)));
}

// A survey in straight flights, straight down, 4:3 with 74 degrees across (24 mm on 36 mm film);
// photos overlap by 80 % along a flight and 70 % across.
inline std::vector<core::PosedCamera> cameras_from_the_air(const CityPlan& plan, double altitude) {
  constexpr double kFieldOfView = 1.287;
  const double across = 2 * altitude * std::tan(kFieldOfView / 2), along = across * 3 / 4;
  std::vector<core::PosedCamera> cameras;
  for (double x = -plan.side / 2; x <= plan.side / 2; x += 0.3 * across) {
    for (double y = -plan.side / 2; y <= plan.side / 2; y += 0.2 * along) {
      cameras.push_back(
          camera_in_city({x, y, altitude}, {1, 0, 0}, {0, 0, -1}, 1600, 1200, kFieldOfView));
    }
  }
  return cameras;
}

// In the middle of each street that runs along x, a photo every 10 m, along the street by turns
// this way and that; 90 degrees across.
inline std::vector<core::PosedCamera> cameras_in_streets(const CityPlan& plan, int width,
                                                         int height) {
  constexpr double kEyes = 2, kStep = 10, kFieldOfView = 1.5708;
  std::vector<core::PosedCamera> cameras;
  for (int street = 0; street < plan.blocks(); ++street) {
    const double y = plan.corner(street) + (plan.pitch - plan.building) / 2;
    double way = 1;
    for (double x = -plan.side / 2; x <= plan.side / 2; x += kStep, way = -way) {
      cameras.push_back(
          camera_in_city({x, y, kEyes}, {0, -way, 0}, {way, 0, 0}, width, height, kFieldOfView));
    }
  }
  return cameras;
}

}  // namespace tessera::models
