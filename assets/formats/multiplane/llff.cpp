// LLFF's multiplane images (Mildenhall et al., "Local Light Field Fusion", 2019; the layout is that
// of its mpi_utils.py): a folder with metadata.txt ("N W H D") and a folder mpi00, mpi01, ... for
// each image, which holds metadata.txt and mpi.b.
//
//   H W D f
//   four rows: right, up and back axes and the center of the camera in the world
//   depth of the farthest plane, depth of the nearest plane
//
// mpi.b is RGBA with straight alpha, [D][H][W][4] bytes; plane 0 is the farthest, and planes are at
// equal steps of inverse depth. The principal point is the middle of the picture.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "assets/formats/multiplane/full_planes.h"
#include "assets/formats/multiplane/layers_json.h"
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/photos/decoders.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadata = "metadata.txt";
constexpr const char* kTexels = "mpi.b";
constexpr const char* kNode = "mpi00";
constexpr uint64_t kMaxMetadataBytes = 1 << 16;

// `count` finite numbers that a text begins with.
std::vector<double> numbers_of(const fs::path& file, size_t count) {
  std::istringstream text(core::read_text_file(file, kMaxMetadataBytes));
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    if (!(text >> numbers[i]) || !std::isfinite(numbers[i])) {
      throw core::IoError(file, fmt::format("has {} numbers, but {} are needed", i, count));
    }
  }
  return numbers;
}

uint64_t whole_number(double number, const fs::path& file) {
  if (!(number >= 0) || number > 65535 || number != std::floor(number)) {
    throw core::IoError(file, fmt::format("has {} as a number of pixels or planes", number));
  }
  return static_cast<uint64_t>(number);
}

core::Rigid cam_from_world_of(const double* columns, const fs::path& file) {
  core::Rigid world_from_cam;
  const double center[3] = {columns[9], columns[10], columns[11]};
  for (int i = 0; i < 3; ++i) {
    world_from_cam.rotation.m[i][0] = columns[i];
    world_from_cam.rotation.m[i][1] = -columns[3 + i];
    world_from_cam.rotation.m[i][2] = -columns[6 + i];
  }
  world_from_cam.translation = {center[0], center[1], center[2]};
  if (std::abs(determinant(world_from_cam.rotation) - 1) > 1e-2) {
    throw core::IoError(file, "has camera axes that are no rotation");
  }
  return world_from_cam.inverse();
}

// The folder of the only image in `folder`, which may be that of the image itself.
fs::path node_folder(const fs::path& folder) {
  if (fs::exists(folder / kTexels)) return folder;
  const double count = numbers_of(folder / kMetadata, 1)[0];
  if (count != 1) {
    throw core::IoError(folder, fmt::format("holds {} multiplane images, but one is read; name the "
                                            "folder of one of them, such as {}",
                                            count, (folder / kNode).string()));
  }
  return folder / kNode;
}

FullPlanes read_planes(const fs::path& node) {
  const fs::path file = node / kMetadata;
  const std::vector<double> numbers = numbers_of(file, 4 + 12 + 2);
  const uint64_t height = whole_number(numbers[0], file);
  const uint64_t width = whole_number(numbers[1], file);
  const uint64_t count = whole_number(numbers[2], file);
  FullPlanes planes;
  core::Camera& camera = planes.camera.camera;
  camera.fx = camera.fy = numbers[3];
  camera.cx = 0.5 * static_cast<double>(width);
  camera.cy = 0.5 * static_cast<double>(height);
  planes.camera.cam_from_world = cam_from_world_of(numbers.data() + 4, file);
  planes.farthest = 1 / numbers[16];
  planes.nearest = 1 / numbers[17];
  if (!(numbers[16] >= numbers[17]) || !(numbers[17] > 0)) {
    throw core::IoError(file,
                        fmt::format("has planes from depth {} to {}", numbers[16], numbers[17]));
  }
  const fs::path texels = node / kTexels;
  const core::Array<uint8_t> bytes = core::read_file(texels);
  check_image_size({texels, bytes.view()}, width, height);
  if (static_cast<uint64_t>(bytes.size()) != width * height * count * 4) {
    throw core::IoError(
        texels, fmt::format("has {} bytes, but {} planes of {}x{} texels have {}", bytes.size(),
                            count, width, height, width * height * count * 4));
  }
  camera.width = static_cast<int>(width);
  camera.height = static_cast<int>(height);
  for (uint64_t k = 0; k < count; ++k) {
    core::Image8& plane = planes.straight.emplace_back(camera.width, camera.height, 4);
    std::copy_n(bytes.data() + k * plane.data.size(), plane.data.size(), plane.data.data());
  }
  return planes;
}

std::string node_metadata(const FullPlaneGrid& grid) {
  const core::Camera& camera = grid.camera.camera;
  const core::Rigid world_from_cam = grid.camera.cam_from_world.inverse();
  const auto& m = world_from_cam.rotation.m;
  const auto& c = world_from_cam.translation;
  std::string text =
      fmt::format("{} {} {} {}\n", camera.height, camera.width, grid.count, camera.fx);
  text += fmt::format("{} {} {}\n", m[0][0], m[1][0], m[2][0]);
  text += fmt::format("{} {} {}\n", -m[0][1], -m[1][1], -m[2][1]);
  text += fmt::format("{} {} {}\n", -m[0][2], -m[1][2], -m[2][2]);
  text += fmt::format("{} {} {}\n", c.x, c.y, c.z);
  return text + fmt::format("{} {}\n", 1 / grid.farthest, 1 / grid.nearest);
}

}  // namespace

bool probe_llff(const fs::path& folder) {
  return fs::is_regular_file(folder / kMetadata) &&
         (fs::is_regular_file(folder / kTexels) || fs::is_directory(folder / kNode));
}

core::MultiplaneImage read_llff(const fs::path& folder) {
  core::MultiplaneImage image = layers_of(read_planes(node_folder(folder)));
  check_read_image(image, folder);
  return image;
}

void write_llff(const fs::path& folder, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options) {
  const FullPlaneGrid grid = full_plane_grid(image, options.planes);
  const core::Camera& camera = grid.camera.camera;
  core::AtomicFolder written(folder);
  const fs::path node = written.path() / kNode;
  fs::create_directory(node);
  core::write_file_atomically(written.path() / kMetadata,
                              fmt::format("1 {} {} {}\n", camera.width, camera.height, grid.count));
  core::write_file_atomically(node / kMetadata, node_metadata(grid));
  core::AtomicFile texels(node / kTexels);
  const BandDrawer drawer(image, grid);
  for (int k = 0; k < grid.count; ++k) {
    const core::Image8 plane = drawer.draw(k);
    texels.write(plane.data.data(), static_cast<size_t>(plane.data.size()));
  }
  texels.commit();
  written.commit();
}

bool holds_only_llff(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    const bool is_own = name == kMetadata || name == kNode ||
                        name == std::string(kNode) + "/" + kMetadata ||
                        name == std::string(kNode) + "/" + kTexels;
    if (!is_own) return false;
  }
  return probe_llff(folder);
}

std::vector<std::string> llff_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options) {
  std::vector<std::string> losses = {
      fmt::format("planes: layers are moved to the nearest of {} that face the camera and fill the "
                  "picture",
                  options.planes)};
  const core::Camera& c = image.camera.camera;
  if (c.fx != c.fy || c.cx != 0.5 * c.width || c.cy != 0.5 * c.height) {
    losses.emplace_back(
        "fractions of a pixel: the picture is moved and stretched so that its "
        "middle is the principal point and pixels are square");
  }
  if (image.metric) losses.emplace_back("the mark that units are meters");
  return losses;
}

}  // namespace tessera::assets
