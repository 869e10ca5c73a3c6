// Layered glTF as another reader sees it: tinygltf takes every file without an error or a warning,
// and finds the texels, triangles and camera that were written.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/multiplane_io.h"
#include "tests/support/multiplane_scenes.h"
#include "tests/support/temporary_folder.h"

#ifdef TESSERA_HAS_TINYGLTF
#include <tiny_gltf.h>
#endif

namespace tessera::assets {
namespace {

#ifdef TESSERA_HAS_TINYGLTF

tinygltf::Model opened(const std::filesystem::path& path) {
  tinygltf::TinyGLTF reader;
  tinygltf::Model model;
  std::string error;
  std::string warning;
  const bool done = path.extension() == ".glb"
                        ? reader.LoadBinaryFromFile(&model, &error, &warning, path.string())
                        : reader.LoadASCIIFromFile(&model, &error, &warning, path.string());
  EXPECT_TRUE(done);
  EXPECT_EQ(error, "");
  EXPECT_EQ(warning, "");
  return model;
}

TEST(GltfByTinygltf, FindsWhatWasWritten) {
  const test::TemporaryFolder folder;
  const core::MultiplaneImage image =
      test::in_bytes(test::tiled_image(70, 45, 32, 28, 2, 0.3, 0, 5));
  for (const char* name : {"a.glb", "a.gltf"}) {
    SCOPED_TRACE(name);
    write_multiplane(folder / name, image);
    const tinygltf::Model model = opened(folder / name);
    ASSERT_EQ(model.images.size(), image.pages.size());
    for (size_t i = 0; i < image.pages.size(); ++i) {
      const core::Image8 straight = straight_page(image.pages[i]);
      ASSERT_EQ(model.images[i].width, straight.width);
      ASSERT_EQ(model.images[i].height, straight.height);
      ASSERT_EQ(model.images[i].component, 4);
      EXPECT_TRUE(std::equal(straight.data.begin(), straight.data.end(),
                             model.images[i].image.begin(), model.images[i].image.end()));
    }
    ASSERT_EQ(model.meshes.size(), 1U);
    size_t triangles = 0;
    for (const tinygltf::Primitive& primitive : model.meshes[0].primitives) {
      const tinygltf::Accessor& indices = model.accessors.at(primitive.indices);
      const size_t vertices = model.accessors.at(primitive.attributes.at("POSITION")).count;
      EXPECT_EQ(model.accessors.at(primitive.attributes.at("TEXCOORD_0")).count, vertices);
      const tinygltf::BufferView& view = model.bufferViews.at(indices.bufferView);
      const auto* index = reinterpret_cast<const uint32_t*>(
          model.buffers.at(view.buffer).data.data() + view.byteOffset + indices.byteOffset);
      ASSERT_EQ(indices.componentType, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
      for (size_t i = 0; i < indices.count; ++i) ASSERT_LT(index[i], vertices);
      triangles += indices.count / 3;
      EXPECT_EQ(model.materials.at(primitive.material).alphaMode, "BLEND");
    }
    EXPECT_GE(triangles, 2 * image.layers.size());
    ASSERT_EQ(model.cameras.size(), 1U);
    const core::Camera& camera = image.camera.camera;
    EXPECT_DOUBLE_EQ(model.cameras[0].perspective.yfov,
                     2 * std::atan(0.5 * camera.height / camera.fy));
  }
}

#else

TEST(GltfByTinygltf, FindsWhatWasWritten) {
  GTEST_SKIP() << "tinygltf is not installed (tools/setup.sh --tests)";
}

#endif

}  // namespace
}  // namespace tessera::assets
