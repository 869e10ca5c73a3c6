// SPDX-License-Identifier: MIT
#include "assets/captures/view_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "assets/photos/image_io.h"
#include "core/count_text.h"
#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPhotoExtensions[] = {".png",  ".jpg", ".jpeg", ".JPG", ".JPEG", ".PNG",
                                            ".webp", ".tif", ".tiff", ".TIF", ".bmp"};

bool has_photo_extension(const fs::path& path) {
  const std::string extension = core::lower_case(path.extension().string());
  return std::find(std::begin(kPhotoExtensions), std::end(kPhotoExtensions), extension) !=
         std::end(kPhotoExtensions);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// "x/images/a.png" -> "x/images_4/a.png"; the last folder of that name counts. Empty if none is.
fs::path prescaled_path(const fs::path& image_path, const std::string& folder, int factor) {
  const std::vector<fs::path> parts(image_path.begin(), image_path.end());
  const auto last = std::find(parts.rbegin(), parts.rend(), fs::path(folder));
  if (last == parts.rend()) return {};
  fs::path result;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const bool found = part == last.base() - 1;
    result /= found ? fs::path(folder + "_" + std::to_string(factor)) : *part;
  }
  return result;
}

// Whether the photo `small` is `factor` times smaller than the view's own, or than its camera where
// that is not on disk. Roundings differ between programs. Photos that cannot be opened are named
// elsewhere.
bool is_prescaled(const fs::path& small, const core::CaptureView& view, int factor) {
  constexpr int kRounding = 2;
  try {
    int width = view.camera.width;
    int height = view.camera.height;
    const ImageInfo photo = probe_image(small);
    if (const fs::path full = find_photo(view.image_path); is_file(full)) {
      const ImageInfo info = probe_image(full);
      width = info.width;
      height = info.height;
    }
    const auto fits = [&](int w, int h) {
      return std::abs(photo.width - w / factor) <= kRounding &&
             std::abs(photo.height - h / factor) <= kRounding;
    };
    return fits(width, height) || fits(height, width);  // one of them may be turned by its EXIF
  } catch (const core::IoError&) {
    return true;
  }
}

// Takes the photos of images_<factor> if none that stands in images is lacking there and all are
// smaller by that factor.
bool take_prescaled(core::Capture& capture, const CaptureOptions& options) {
  const int factor = options.resolution;
  if (factor != 2 && factor != 4 && factor != 8) return false;
  const std::string folder =
      options.images.empty() ? "images" : options.images.lexically_normal().filename().string();
  if (folder.empty()) return false;
  std::vector<fs::path> found;
  for (const core::CaptureView& view : capture.views) {
    found.push_back(find_photo(prescaled_path(view.image_path, folder, factor)));
    if (found.back().empty() && is_file(view.image_path)) return false;
  }
  if (std::all_of(found.begin(), found.end(), [](const fs::path& p) { return p.empty(); })) {
    return false;
  }
  std::vector<int> factors(found.size(), factor);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty() || is_prescaled(found[i], capture.views[i], factor)) continue;
    if (!is_file(find_photo(capture.views[i].image_path))) {
      factors[i] = 1;  // the only photo that there is
      continue;
    }
    capture.notes.push_back(fmt::format(
        "{} is not 1/{} of its size in {}, so {}_{} is not used and the photos are scaled.",
        found[i].string(), factor, folder, folder, factor));
    return false;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    capture.views[i].image_path = found[i];
    capture.views[i].prescaled = factors[i];
  }
  capture.notes.push_back(
      fmt::format("Photos are taken from {}_{}, which is there already.", folder, factor));
  return true;
}

// Files beside the capture's photos that no view names.
int count_unnamed_photos(const core::Capture& capture) {
  std::set<fs::path> named;
  std::set<fs::path> folders;
  for (const core::CaptureView& view : capture.views) {
    named.insert(view.image_path);
    folders.insert(view.image_path.parent_path());
  }
  int count = 0;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (has_photo_extension(entry.path()) && !named.contains(entry.path())) ++count;
    }
  }
  return count;
}

// The name below the photo folder: "images/left/a.png" of a transforms.json is "left/a.png".
fs::path name_below_photos(const core::Capture& capture, const core::CaptureView& view) {
  fs::path name = fs::path(view.name).relative_path();
  if (capture.kind == "COLMAP") return name;
  fs::path result;
  auto part = name.begin();
  if (std::distance(part, name.end()) > 1) ++part;
  for (; part != name.end(); ++part) result /= *part;
  return result;
}

fs::path mask_beside(const fs::path& masks, const fs::path& name) {
  for (const fs::path& candidate :
       {fs::path(name.string() + ".png"), fs::path(name).replace_extension(".png"), name}) {
    if (is_file(masks / candidate)) return masks / candidate;
  }
  return {};
}

}  // namespace

fs::path find_photo(const fs::path& path) {
  if (path.empty() || is_file(path)) return path;
  if (!has_photo_extension(path)) {
    for (const char* extension : kPhotoExtensions) {
      fs::path candidate = path.string() + extension;
      if (is_file(candidate)) return candidate;
    }
    return {};
  }
  // Captures made where letter case does not matter name a.jpg what is A.JPG here. Two such files
  // would leave open which is meant.
  const std::string name = core::lower_case(path.filename().string());
  fs::path found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), ignored)) {
    if (core::lower_case(entry.path().filename().string()) != name) continue;
    if (!found.empty()) return {};
    found = entry.path();
  }
  return found;
}

std::string list_first(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    list += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return list;
}

void find_photos(core::Capture& capture, const CaptureOptions& options) {
  if (!take_prescaled(capture, options)) {
    for (core::CaptureView& view : capture.views) {
      const fs::path found = find_photo(view.image_path);
      if (!found.empty()) view.image_path = found;
    }
  }
  std::vector<std::string> missing;
  fs::path first_missing;
  std::set<fs::path> searched;
  for (core::CaptureView& view : capture.views) {
    if (is_file(view.image_path)) continue;
    if (missing.empty()) first_missing = view.image_path;
    missing.push_back(view.name);
    searched.insert(view.image_path.parent_path());
    view.image_path.clear();
  }
  const size_t total = capture.views.size();
  if (missing.size() == total && options.photos_required) {
    throw core::IoError(first_missing,
                        total == 1 ? "not found, the only photo of the capture; give its folder "
                                     "with --images"
                                   : fmt::format("not found, nor any other of the capture's {} "
                                                 "photos; give their folder with --images",
                                                 total));
  }
  if (!missing.empty()) {
    capture.warnings.push_back(fmt::format(
        "{} of {} photos {} missing in {}{}: {}.", missing.size(), total,
        missing.size() == 1 ? "is" : "are", first_missing.parent_path().lexically_normal().string(),
        searched.size() == 1 ? "" : " and other folders", list_first(missing)));
  }
  if (options.photos_required) {
    std::erase_if(capture.views,
                  [](const core::CaptureView& view) { return view.image_path.empty(); });
  }
  const int unnamed = count_unnamed_photos(capture);
  if (unnamed > 0) {
    capture.notes.push_back(fmt::format(
        "{} photo{} beside them {} no pose and {} left out.", unnamed, unnamed == 1 ? "" : "s",
        unnamed == 1 ? "has" : "have", unnamed == 1 ? "is" : "are"));
  }
}

void find_masks(core::Capture& capture) {
  const fs::path masks = capture.folder / "masks";
  const bool has_folder = fs::is_directory(masks);
  std::vector<std::string> missing;
  std::vector<std::string> missing_depth;
  size_t found = 0;
  for (core::CaptureView& view : capture.views) {
    if (!view.mask_path.empty()) {
      view.mask_path = find_photo(view.mask_path);
      if (view.mask_path.empty()) missing.push_back(view.name);
    } else if (has_folder) {
      view.mask_path = mask_beside(masks, name_below_photos(capture, view));
    }
    if (!view.mask_path.empty()) ++found;
    if (view.depth_path.empty()) continue;
    view.depth_path = find_photo(view.depth_path);
    if (view.depth_path.empty()) missing_depth.push_back(view.name);
  }
  const auto photos = [](const std::vector<std::string>& names) {
    return core::plural(static_cast<int64_t>(names.size()), "photo");
  };
  if (!missing_depth.empty()) {
    capture.warnings.push_back(fmt::format("Missing on disk are the depth files of {}: {}.",
                                           photos(missing_depth), list_first(missing_depth)));
  }
  if (!missing.empty()) {
    capture.warnings.push_back(fmt::format("Missing on disk are the masks of {}: {}.",
                                           photos(missing), list_first(missing)));
  }
  if (found > 0) {
    capture.notes.push_back(fmt::format("Masks: {} of {} photos {} one.", found,
                                        capture.views.size(), found == 1 ? "has" : "have"));
  } else if (has_folder) {
    capture.warnings.push_back(
        fmt::format("{} holds no file named after a photo (NAME.EXT.png, NAME.png or NAME.EXT); no "
                    "mask is used.",
                    masks.string()));
  }
}

}  // namespace tessera::assets
