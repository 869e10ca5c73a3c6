// Planes keep their values through every change of shape.
// SPDX-License-Identifier: MIT
#include "core/gaussian_cloud.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tessera::core {
namespace {

Planes numbered(int planes, int64_t size) {
  Planes p(planes, size);
  for (int k = 0; k < planes; ++k) {
    for (int64_t i = 0; i < size; ++i) p.plane(k)[i] = static_cast<float>(1000 * k + i);
  }
  return p;
}

TEST(Planes, AreAlignedAndMayBeReadPastTheEnd) {
  for (const int64_t size : {0, 1, 15, 16, 17, 100}) {
    const Planes p(3, size);
    EXPECT_GE(p.stride(), size + 16);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(reinterpret_cast<uintptr_t>(p.plane(k)) % 64, 0U);
  }
}

TEST(Planes, ResizeKeepsWhatFitsAndZeroesTheRest) {
  Planes p = numbered(2, 20);
  p.resize(30);
  EXPECT_EQ(p.plane(1)[19], 1019);
  EXPECT_EQ(p.plane(0)[20], 0);
  p.resize(5);
  EXPECT_EQ(p.size(), 5);
  EXPECT_EQ(p.plane(1)[4], 1004);
}

TEST(Planes, GatherRepeatsAndDrops) {
  Planes p = numbered(2, 20);
  p.gather({3, 3, 19});
  ASSERT_EQ(p.size(), 3);
  EXPECT_EQ(p.plane(0)[1], 3);
  EXPECT_EQ(p.plane(1)[2], 1019);
}

TEST(Planes, PlanesAreAddedAsZeros) {
  Planes p = numbered(2, 20);
  p.set_plane_count(4);
  EXPECT_EQ(p.plane(1)[7], 1007);
  EXPECT_EQ(p.plane(3)[7], 0);
  p.set_plane_count(1);
  EXPECT_EQ(p.plane_count(), 1);
  EXPECT_EQ(p.plane(0)[7], 7);
}

TEST(Planes, EqualityLooksAtValuesNotAtPadding) {
  Planes a = numbered(2, 20), b = numbered(2, 20);
  a.plane(0)[20] = 5;
  EXPECT_TRUE(a == b);
  b.plane(1)[19] = 0;
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a == numbered(2, 19));
}

TEST(GaussianCloud, StartsAsZerosWithIdsInOrder) {
  const GaussianCloud cloud(2, 5);
  EXPECT_EQ(cloud.parameters.plane_count(), 11 + 27);
  EXPECT_EQ(cloud.size(), 5);
  EXPECT_EQ(cloud.ids[4], 4U);
  EXPECT_EQ(cloud.plane(kOpacityPlane)[2], 0);
}

TEST(Array, GrowsAndComparesByValue) {
  Array<int> a(3, 7);
  a.push_back(8);
  Array<int> b = a;
  EXPECT_TRUE(a == b);
  EXPECT_EQ(b.size(), 4);
  EXPECT_EQ(b[3], 8);
  b.resize(2);
  EXPECT_FALSE(a == b);
  Array<int> c = std::move(a);
  EXPECT_EQ(c[0], 7);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(c.data()) % 64, 0U);
}

}  // namespace
}  // namespace tessera::core
