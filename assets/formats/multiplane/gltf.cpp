// Layered glTF 2.0: the layers as one mesh with pages as textures, which any viewer shows, and in
// the extras of its node what is needed to read the image again bit for bit (layers_json.h).
//
// The node stands where the reference camera does, its axes x right, y up, z back, and holds a
// camera that sees what the reference does (but for a principal point off the middle, which glTF
// has not). Triangles go from far to near, one primitive for each change of the page, so viewers
// that draw in order blend rightly. Written through nlohmann/json: tinygltf takes an image's place
// in a buffer unchecked and extras of any depth, and writes files in place.
// Specification: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "assets/bytes.h"
#include "assets/formats/multiplane/gltf_container.h"
#include "assets/formats/multiplane/layer_mesh.h"
#include "assets/formats/multiplane/layers_json.h"
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/json_text.h"
#include "assets/photos/decoders.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kExtras = "tessera_multiplane";
constexpr int kVersion = 1;

enum GltfConstant {
  kFloat = 5126,
  kUnsignedInt = 5125,
  kArrayBuffer = 34962,
  kElementArrayBuffer = 34963,
  kLinear = 9729,
  kClampToEdge = 33071,
};

// glTF's axes from those of a camera or of a world with y down, both ways.
constexpr double kFlip[3] = {1, -1, -1};

// Column by column.
json node_matrix(const core::Rigid& cam_from_world) {
  const core::Rigid world_from_cam = cam_from_world.inverse();
  const auto& [x, y, z] = world_from_cam.translation;
  const double center[3] = {x, y, z};
  json matrix = json::array();
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) {
      matrix.push_back(kFlip[row] * world_from_cam.rotation.m[row][column] * kFlip[column]);
    }
    matrix.push_back(0);
  }
  for (int row = 0; row < 3; ++row) matrix.push_back(kFlip[row] * center[row]);
  matrix.push_back(1);
  return matrix;
}

json camera_of(const core::Camera& camera, const InverseDepthRange& range) {
  return {{"type", "perspective"},
          {"perspective",
           {{"yfov", 2 * std::atan(0.5 * camera.height / camera.fy)},
            {"aspectRatio", (camera.width / camera.fx) / (camera.height / camera.fy)},
            {"znear", 0.01 / range.nearest}}}};
}

json page_material(size_t page) {
  return {
      {"name", fmt::format("page {}", page)},
      {"pbrMetallicRoughness",
       {{"baseColorTexture", {{"index", page}}}, {"metallicFactor", 0}, {"roughnessFactor", 1}}},
      {"alphaMode", "BLEND"},
      {"doubleSided", true},
      {"extensions", {{"KHR_materials_unlit", json::object()}}}};
}

// The bytes of a vector, appended to the buffer as a view of their own.
template <class T>
size_t append_view(GltfParts& parts, const std::vector<T>& values, int target) {
  return parts.append(reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T),
                      target);
}

json position_accessor(const std::vector<float>& positions, size_t view) {
  float least[3], most[3];
  std::fill_n(least, 3, std::numeric_limits<float>::max());
  std::fill_n(most, 3, std::numeric_limits<float>::lowest());
  for (size_t i = 0; i < positions.size(); ++i) {
    least[i % 3] = std::min(least[i % 3], positions[i]);
    most[i % 3] = std::max(most[i % 3], positions[i]);
  }
  return {{"bufferView", view},
          {"componentType", kFloat},
          {"count", positions.size() / 3},
          {"type", "VEC3"},
          {"min", least},
          {"max", most}};
}

void add_mesh(GltfParts& parts, LayerMesh mesh) {
  for (size_t i = 0; i < mesh.positions.size(); ++i) {
    mesh.positions[i] *= static_cast<float>(kFlip[i % 3]);
  }
  json& accessors = parts.root["accessors"];
  accessors.push_back(
      position_accessor(mesh.positions, append_view(parts, mesh.positions, kArrayBuffer)));
  accessors.push_back({{"bufferView", append_view(parts, mesh.texels, kArrayBuffer)},
                       {"componentType", kFloat},
                       {"count", mesh.texels.size() / 2},
                       {"type", "VEC2"}});
  const size_t indices = append_view(parts, mesh.indices, kElementArrayBuffer);
  json primitives = json::array();
  for (const MeshRun& run : mesh.runs) {
    primitives.push_back({{"attributes", {{"POSITION", 0}, {"TEXCOORD_0", 1}}},
                          {"indices", accessors.size()},
                          {"material", run.page}});
    accessors.push_back({{"bufferView", indices},
                         {"byteOffset", run.first_index * sizeof(uint32_t)},
                         {"componentType", kUnsignedInt},
                         {"count", run.index_count},
                         {"type", "SCALAR"}});
  }
  parts.root["meshes"] = json::array({{{"name", "layers"}, {"primitives", primitives}}});
}

GltfParts parts_of(const core::MultiplaneImage& image) {
  GltfParts parts;
  const std::vector<LayerPatch> patches = layer_patches(image, kLargestTexelError);
  json extras = layers_to_json(image);
  extras["version"] = kVersion;
  extras["texels"] = "straight alpha; round(color * alpha / 255) is the premultiplied texel";
  json node = {{"name", "multiplane image"},
               {"matrix", node_matrix(image.camera.cam_from_world)},
               {"children", json::array({1})},
               {"extras", {{kExtras, extras}}}};
  json& root = parts.root;
  root["asset"] = {{"version", "2.0"}, {"generator", "tessera"}};
  root["scene"] = 0;
  root["scenes"] = json::array({{{"nodes", json::array({0})}}});
  root["cameras"] = json::array({camera_of(image.camera.camera, inverse_depth_range(patches))});
  if (!patches.empty()) {
    node["mesh"] = 0;
    add_mesh(parts, layer_mesh(image, patches));
  }
  root["nodes"] = json::array({node, {{"name", "reference camera"}, {"camera", 0}}});
  if (!image.pages.empty()) {
    root["extensionsUsed"] = json::array({"KHR_materials_unlit"});
    root["samplers"] = json::array({{{"magFilter", kLinear},
                                     {"minFilter", kLinear},
                                     {"wrapS", kClampToEdge},
                                     {"wrapT", kClampToEdge}}});
  }
  for (size_t i = 0; i < image.pages.size(); ++i) {
    root["materials"].push_back(page_material(i));
    root["textures"].push_back({{"sampler", 0}, {"source", i}});
    parts.pictures.push_back(encode_png(straight_page(image.pages[i])));
  }
  return parts;
}

const json& extras_of(const json& root, const fs::path& path) {
  const auto nodes = root.is_object() ? root.find("nodes") : root.end();
  if (root.is_object() && nodes != root.end() && nodes->is_array()) {
    for (const json& node : *nodes) {
      if (!node.is_object() || !node.contains("extras")) continue;
      const json& extras = node["extras"];
      if (extras.is_object() && extras.contains(kExtras)) return extras[kExtras];
    }
  }
  throw core::IoError(path,
                      "is a glTF file without a multiplane image of this program, and other "
                      "meshes are not read");
}

core::MultiplaneImage image_of(const GltfFile& file) {
  const json& extras = extras_of(file.root(), file.path());
  const int version =
      json_int(json_member(extras, "version", kExtras, file.path()), "version", file.path());
  if (version != kVersion) {
    throw core::IoError(file.path(), fmt::format("holds a multiplane image of version {}; version "
                                                 "{} is read",
                                                 version, kVersion));
  }
  core::MultiplaneImage image = layers_from_json(extras, file.path());
  PageBudget budget(file.path());
  for (size_t i = 0; i < file.picture_count(); ++i) {
    const core::Array<uint8_t> bytes = file.picture(i);
    const ImageBytes picture{file.path(), bytes.view()};
    if (!is_png(bytes.view())) {
      throw core::IoError(file.path(), fmt::format("has no PNG as its image {}", i));
    }
    const ImageInfo info = probe_png(picture);
    budget.take(info.width, info.height);
    core::Image8 page = decode_png(picture);
    if (page.channels != 4) {
      throw core::IoError(file.path(), fmt::format("has no alpha channel in its image {}", i));
    }
    image.pages.push_back(premultiplied_page(std::move(page)));
  }
  check_read_image(image, file.path());
  return image;
}

}  // namespace

core::MultiplaneImage read_gltf(const fs::path& path) {
  return image_of(GltfFile(path));
}

void write_glb(const fs::path& path, const core::MultiplaneImage& image,
               const MultiplaneWriteOptions& /*options*/) {
  write_glb_file(path, parts_of(image));
}

void write_gltf(const fs::path& path, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& /*options*/) {
  write_gltf_files(path, parts_of(image));
}

std::vector<std::string> gltf_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& /*options*/) {
  if (std::all_of(image.pages.begin(), image.pages.end(), comes_back)) return {};
  return {"colors above their alpha, cut to that"};
}

}  // namespace tessera::assets
