// Depth maps as OpenEXR, through its C library: flat pictures in lines or tiles, the first part.
//
// The depth is the only channel, or the one named Z or depth, or red where red, green and blue are
// the same.
// SPDX-License-Identifier: MIT
#include <OpenEXR/openexr.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "assets/depths/depth_readers.h"
#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::assets {
namespace {

constexpr int kPart = 0;
constexpr uint64_t kMostPixelsPerByte = 8192;

struct ExrChannel {
  std::string name;
  exr_pixel_type_t type;
};

// An EXR file in memory, its header read and checked.
class ExrReader {
 public:
  explicit ExrReader(const ImageBytes& file) : file_(file) {
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    options.user_data = const_cast<ImageBytes*>(&file_);
    options.read_fn = read;
    options.size_fn = size;
    options.error_handler_fn = ignore;
    options.max_image_width = options.max_image_height = 65535;
    options.max_tile_width = options.max_tile_height = 65535;
    const exr_result_t result = exr_start_read(&context_, file.path.c_str(), &options);
    try {
      check(result);
      read_header();
    } catch (...) {
      exr_finish(&context_);
      throw;
    }
  }
  ~ExrReader() { exr_finish(&context_); }
  ExrReader(const ExrReader&) = delete;
  ExrReader& operator=(const ExrReader&) = delete;

  const std::vector<ExrChannel>& channels() const { return channels_; }

  // The channels of these names as floats.
  std::vector<core::ImageF> decode(const std::vector<std::string>& names) const {
    std::vector<core::ImageF> targets;
    for (size_t i = 0; i < names.size(); ++i) targets.emplace_back(width_, height_, 1);
    Pipeline pipeline(context_);
    if (tile_width_ > 0) {
      for (int top = 0; top < height_; top += tile_height_) {
        for (int left = 0; left < width_; left += tile_width_) {
          exr_chunk_info_t chunk;
          check(exr_read_tile_chunk_info(context_, kPart, left / tile_width_, top / tile_height_, 0,
                                         0, &chunk));
          run(pipeline, chunk, left, top, names, targets);
        }
      }
    } else {
      for (int top = 0; top < height_; top += lines_per_chunk_) {
        exr_chunk_info_t chunk;
        check(exr_read_scanline_chunk_info(context_, kPart, first_line_ + top, &chunk));
        run(pipeline, chunk, 0, top, names, targets);
      }
    }
    return targets;
  }

 private:
  struct Pipeline {
    explicit Pipeline(exr_context_t context_) : context(context_) {}
    ~Pipeline() {
      if (is_begun) exr_decoding_destroy(context, &decoder);
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    exr_context_t context;
    exr_decode_pipeline_t decoder = {};
    bool is_begun = false;
  };

  static int64_t read(exr_const_context_t, void* user, void* target, uint64_t count,
                      uint64_t offset, exr_stream_error_func_ptr_t) {
    const core::View<const uint8_t>& bytes = static_cast<const ImageBytes*>(user)->bytes;
    const auto available = static_cast<uint64_t>(bytes.size);
    if (offset >= available) return 0;
    const uint64_t taken = std::min(count, available - offset);
    std::memcpy(target, bytes.data + offset, taken);
    return static_cast<int64_t>(taken);
  }
  static int64_t size(exr_const_context_t, void* user) {
    return static_cast<const ImageBytes*>(user)->bytes.size;
  }
  static void ignore(exr_const_context_t, exr_result_t, const char*) {}

  void check(exr_result_t result) const {
    if (result != EXR_ERR_SUCCESS) {
      throw_damaged(file_, "EXR", exr_get_default_error_message(result));
    }
  }

  void read_header() {
    exr_storage_t storage;
    check(exr_get_storage(context_, kPart, &storage));
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED) {
      throw core::IoError(file_.path, "is a deep EXR, which is not read; save it flat");
    }
    exr_attr_box2i_t window;
    check(exr_get_data_window(context_, kPart, &window));
    const int64_t width = int64_t{window.max.x} - window.min.x + 1;
    const int64_t height = int64_t{window.max.y} - window.min.y + 1;
    if (width < 1 || height < 1) throw_damaged(file_, "EXR", "a picture without pixels");
    check_image_size(file_, width, height, width * height / kMostPixelsPerByte);
    width_ = static_cast<int>(width);
    height_ = static_cast<int>(height);
    first_line_ = window.min.y;
    if (storage == EXR_STORAGE_TILED) {
      read_tile_size();
    } else {
      check(exr_get_scanlines_per_chunk(context_, kPart, &lines_per_chunk_));
      if (lines_per_chunk_ < 1) throw_damaged(file_, "EXR", "no lines");
    }
    read_channels();
  }

  void read_tile_size() {
    uint32_t width = 0;
    uint32_t height = 0;
    exr_tile_level_mode_t levels;
    exr_tile_round_mode_t rounding;
    check(exr_get_tile_descriptor(context_, kPart, &width, &height, &levels, &rounding));
    check_image_size(file_, width, height);
    tile_width_ = static_cast<int>(width);
    tile_height_ = static_cast<int>(height);
  }

  void read_channels() {
    const exr_attr_chlist_t* list = nullptr;
    check(exr_get_channels(context_, kPart, &list));
    for (int i = 0; i < list->num_channels; ++i) {
      const exr_attr_chlist_entry_t& entry = list->entries[i];
      if (entry.x_sampling != 1 || entry.y_sampling != 1) {
        throw core::IoError(file_.path, "has a channel of another size than the picture");
      }
      channels_.push_back({entry.name.str, entry.pixel_type});
    }
  }

  void run(Pipeline& pipeline, const exr_chunk_info_t& chunk, int left, int top,
           const std::vector<std::string>& names, std::vector<core::ImageF>& targets) const {
    if (chunk.width < 1 || chunk.height < 1 || chunk.width > width_ - left ||
        chunk.height > height_ - top) {
      throw_damaged(file_, "EXR", "a part beyond the picture");
    }
    exr_decode_pipeline_t& decoder = pipeline.decoder;
    if (pipeline.is_begun) {
      check(exr_decoding_update(context_, kPart, &chunk, &decoder));
    } else {
      check(exr_decoding_initialize(context_, kPart, &chunk, &decoder));
      pipeline.is_begun = true;
    }
    for (int i = 0; i < decoder.channel_count; ++i) {
      exr_coding_channel_info_t& channel = decoder.channels[i];
      const auto found = std::find(names.begin(), names.end(), channel.channel_name);
      channel.decode_to_ptr = nullptr;
      if (found == names.end()) continue;
      core::ImageF& target = targets[found - names.begin()];
      channel.decode_to_ptr = reinterpret_cast<uint8_t*>(&target.at(left, top));
      channel.user_data_type = EXR_PIXEL_FLOAT;
      channel.user_bytes_per_element = sizeof(float);
      channel.user_pixel_stride = sizeof(float);
      channel.user_line_stride = static_cast<int32_t>(width_ * sizeof(float));
    }
    check(exr_decoding_choose_default_routines(context_, kPart, &decoder));
    check(exr_decoding_run(context_, kPart, &decoder));
  }

  ImageBytes file_;
  exr_context_t context_ = nullptr;
  int width_ = 0;
  int height_ = 0;
  int first_line_ = 0;
  int lines_per_chunk_ = 0;
  int tile_width_ = 0;  // 0: in lines
  int tile_height_ = 0;
  std::vector<ExrChannel> channels_;
};

// "left.Z" is the channel Z of the layer "left".
bool is_depth_name(const std::string& name) {
  const std::string last = core::lower_case(name.substr(name.rfind('.') + 1));
  return last == "z" || last == "depth";
}

const ExrChannel* find_depth(const std::vector<ExrChannel>& channels) {
  if (channels.size() == 1) return channels.data();
  const auto found = std::find_if(channels.begin(), channels.end(),
                                  [](const ExrChannel& c) { return is_depth_name(c.name); });
  return found == channels.end() ? nullptr : &*found;
}

const ExrChannel* find_named(const std::vector<ExrChannel>& channels, const char* name) {
  const auto found = std::find_if(channels.begin(), channels.end(),
                                  [&](const ExrChannel& c) { return c.name == name; });
  return found == channels.end() ? nullptr : &*found;
}

DepthFile depth_of(core::ImageF values, const ExrChannel& channel, size_t channel_count) {
  DepthFile depth{std::move(values), "EXR", channel.type == EXR_PIXEL_HALF ? 16 : 32,
                  channel.type == EXR_PIXEL_UINT, ""};
  if (channel_count > 1) {
    depth.note = fmt::format("Of its {} channels '{}' is taken.", channel_count, channel.name);
  }
  return depth;
}

}  // namespace

bool is_exr(core::View<const uint8_t> start) {
  constexpr uint8_t kMagic[] = {0x76, 0x2F, 0x31, 0x01};
  return start.size >= 8 && std::equal(std::begin(kMagic), std::end(kMagic), start.data);
}

DepthFile read_exr_depth(const ImageBytes& file) {
  const ExrReader reader(file);
  const std::vector<ExrChannel>& channels = reader.channels();
  if (const ExrChannel* channel = find_depth(channels)) {
    return depth_of(std::move(reader.decode({channel->name})[0]), *channel, channels.size());
  }
  const ExrChannel* red = find_named(channels, "R");
  if (red != nullptr && find_named(channels, "G") != nullptr &&
      find_named(channels, "B") != nullptr) {
    std::vector<core::ImageF> colors = reader.decode({"R", "G", "B"});
    const auto same = [&](int i) {
      return std::memcmp(colors[0].data.data(), colors[i].data.data(),
                         colors[0].data.size() * sizeof(float)) == 0;
    };
    if (same(1) && same(2)) return depth_of(std::move(colors[0]), *red, channels.size());
  }
  std::string names;
  for (const ExrChannel& channel : channels) {
    if (names.size() < 100) names += (names.empty() ? "" : ", ") + channel.name;
  }
  throw core::IoError(file.path, fmt::format("has the channels {}, of which none is a depth map's "
                                             "(Z or depth)",
                                             names));
}

}  // namespace tessera::assets
