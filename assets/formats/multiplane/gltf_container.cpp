// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/gltf_container.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "assets/bytes.h"
#include "assets/formats/multiplane/layers_json.h"
#include "assets/json_text.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint32_t kMagic = 0x46546C67;      // "glTF"
constexpr uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr uint32_t kBinChunk = 0x004E4942;   // "BIN\0"
constexpr int64_t kHeaderBytes = 12;
constexpr int64_t kChunkHeaderBytes = 8;
constexpr uint64_t kMaxJsonBytes = uint64_t{64} << 20;

void pad(std::vector<uint8_t>& bytes) {
  while (bytes.size() % 4 != 0) bytes.push_back(0);
}

// FNV-1a, 64 bits.
std::string content_name(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return fmt::format("{:016x}", hash);
}

// Whether the name is one that write_gltf_files gives beside `path`.
bool is_beside(const std::string& name, const fs::path& path) {
  const std::string start = path.stem().string() + "-";
  if (!name.starts_with(start) || !(name.ends_with(".bin") || name.ends_with(".png"))) return false;
  const std::string hash = name.substr(start.size(), name.size() - start.size() - 4);
  return hash.size() == 16 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// A file's name as a URI (RFC 3986) and back; what is no such code stays.
std::string percent_encoded(const std::string& name) {
  std::string uri;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return uri;
}

std::string percent_decoded(const std::string& uri) {
  std::string name;
  for (size_t i = 0; i < uri.size(); ++i) {
    uint8_t value = 0;
    const char* const digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      name += static_cast<char>(value);
      i += 2;
    } else {
      name += uri[i];
    }
  }
  return name;
}

// What the file of this program at `path` has beside it; nothing if it is another's or broken.
std::set<std::string> names_beside(const fs::path& path) {
  std::set<std::string> names;
  if (!fs::is_regular_file(path)) return names;
  try {
    const json root = parse_json(core::read_text_file(path, kMaxJsonBytes), path);
    for (const char* list : {"buffers", "images"}) {
      if (!root.is_object() || !root.contains(list) || !root[list].is_array()) continue;
      for (const json& entry : root[list]) {
        if (!entry.is_object() || !entry.contains("uri") || !entry["uri"].is_string()) continue;
        const std::string name = percent_decoded(entry["uri"].get<std::string>());
        if (is_beside(name, path)) names.insert(name);
      }
    }
  } catch (const core::IoError&) {
    names.clear();
  }
  return names;
}

// Files that are removed again unless all that belong together are there.
class NewFiles {
 public:
  NewFiles() = default;
  ~NewFiles() {
    std::error_code ignored;
    for (const fs::path& path : paths_) fs::remove(path, ignored);
  }
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  // One that stands there already has the same content, and an older .gltf may need it.
  void write(const fs::path& path, core::View<const uint8_t> bytes) {
    const bool is_new = !fs::exists(path);
    core::write_file_atomically(path, bytes);
    if (is_new) paths_.push_back(path);
  }
  void keep() { paths_.clear(); }

 private:
  std::vector<fs::path> paths_;
};

void append_u32(std::vector<uint8_t>& bytes, size_t value) {
  bytes.resize(bytes.size() + 4);
  store(bytes.data() + bytes.size() - 4, static_cast<uint32_t>(value));
}

core::View<const uint8_t> view_of(const std::vector<uint8_t>& bytes) {
  return {bytes.data(), static_cast<int64_t>(bytes.size())};
}

}  // namespace

size_t GltfParts::append(const uint8_t* bytes, size_t size, int target) {
  pad(buffer);
  json view = {{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", size}};
  if (target != 0) view["target"] = target;
  buffer.insert(buffer.end(), bytes, bytes + size);
  json& views = root["bufferViews"];
  views.push_back(view);
  return views.size() - 1;
}

void write_glb_file(const fs::path& path, GltfParts parts) {
  for (const std::vector<uint8_t>& picture : parts.pictures) {
    const size_t view = parts.append(picture.data(), picture.size(), 0);
    parts.root["images"].push_back({{"bufferView", view}, {"mimeType", "image/png"}});
  }
  pad(parts.buffer);
  if (!parts.buffer.empty()) {
    parts.root["buffers"] = json::array({{{"byteLength", parts.buffer.size()}}});
  }
  std::string text = parts.root.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const size_t binary_bytes = parts.buffer.empty() ? 0 : kChunkHeaderBytes + parts.buffer.size();
  const size_t total = kHeaderBytes + kChunkHeaderBytes + text.size() + binary_bytes;
  if (total > UINT32_MAX) {
    throw core::IoError(path, "would have more than the 4 GB that a .glb can have; write a .gltf");
  }
  std::vector<uint8_t> header;
  append_u32(header, kMagic);
  append_u32(header, 2);
  append_u32(header, total);
  append_u32(header, text.size());
  append_u32(header, kJsonChunk);
  core::AtomicFile file(path);
  file.write(header.data(), header.size());
  file.write(text);
  if (!parts.buffer.empty()) {
    header.clear();
    append_u32(header, parts.buffer.size());
    append_u32(header, kBinChunk);
    file.write(header.data(), header.size());
    file.write(parts.buffer.data(), parts.buffer.size());
  }
  file.commit();
}

void write_gltf_files(const fs::path& path, GltfParts parts) {
  std::set<std::string> stale = names_beside(path);
  NewFiles beside;
  const auto write_beside = [&](const std::vector<uint8_t>& bytes, const char* extension) {
    const std::string name = path.stem().string() + "-" + content_name(bytes) + extension;
    beside.write(path.parent_path() / name, view_of(bytes));
    stale.erase(name);
    return percent_encoded(name);
  };
  if (!parts.buffer.empty()) {
    parts.root["buffers"] = json::array(
        {{{"byteLength", parts.buffer.size()}, {"uri", write_beside(parts.buffer, ".bin")}}});
  }
  for (const std::vector<uint8_t>& picture : parts.pictures) {
    parts.root["images"].push_back({{"uri", write_beside(picture, ".png")}});
  }
  core::write_file_atomically(path, parts.root.dump());
  beside.keep();
  for (const std::string& name : stale) {
    std::error_code ignored;
    fs::remove(path.parent_path() / name, ignored);
  }
}

bool is_glb(const fs::path& path) {
  const core::Array<uint8_t> start = core::read_file_start(path, 4);
  return start.size() == 4 && load<uint32_t>(start.data()) == kMagic;
}

GltfFile::GltfFile(const fs::path& path) : path_(path) {
  const core::Array<uint8_t> bytes = core::read_file(path);
  const int64_t json_begin = kHeaderBytes + kChunkHeaderBytes;
  if (bytes.size() < 4 || load<uint32_t>(bytes.data()) != kMagic) {
    if (static_cast<uint64_t>(bytes.size()) > kMaxJsonBytes) {
      throw core::IoError(path, "is no .glb, and too long for the JSON of a .gltf");
    }
    root_ = parse_json(
        {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.size())}, path);
    return;
  }
  if (bytes.size() < json_begin) throw core::IoError(path, "is cut off within its header");
  const uint32_t version = load<uint32_t>(bytes.data() + 4);
  const int64_t total = load<uint32_t>(bytes.data() + 8);
  const int64_t json_bytes = load<uint32_t>(bytes.data() + 12);
  if (version != 2) throw core::IoError(path, fmt::format("is glTF {}; 2 is read", version));
  if (total > bytes.size() || json_bytes > total - json_begin) {
    throw core::IoError(path, fmt::format("states {} bytes, of which {} are there; copy it again",
                                          total, bytes.size()));
  }
  if (load<uint32_t>(bytes.data() + 16) != kJsonChunk ||
      static_cast<uint64_t>(json_bytes) > kMaxJsonBytes) {
    throw core::IoError(path, "has no JSON as its first part", 16);
  }
  root_ = parse_json(
      {reinterpret_cast<const char*>(bytes.data()) + json_begin, static_cast<size_t>(json_bytes)},
      path);
  const int64_t binary = json_begin + json_bytes;
  if (total - binary < kChunkHeaderBytes) return;
  const int64_t binary_bytes = load<uint32_t>(bytes.data() + binary);
  if (load<uint32_t>(bytes.data() + binary + 4) != kBinChunk) return;
  if (binary_bytes > total - binary - kChunkHeaderBytes) {
    throw core::IoError(path, "ends within its binary part; copy it again", binary);
  }
  binary_.resize(binary_bytes);
  std::copy_n(bytes.data() + binary + kChunkHeaderBytes, binary_bytes, binary_.data());
}

size_t GltfFile::picture_count() const {
  const auto images = root_.find("images");
  return images != root_.end() && images->is_array() ? images->size() : 0;
}

core::Array<uint8_t> GltfFile::view_bytes(const json& view) const {
  const auto number = [&](const char* name, uint64_t otherwise) {
    if (!view.is_object() || !view.contains(name)) return otherwise;
    const json& value = view[name];
    if (!value.is_number_unsigned()) {
      throw core::IoError(path_,
                          fmt::format("has no whole number as \"{}\" in a bufferView", name));
    }
    return value.get<uint64_t>();
  };
  const uint64_t offset = number("byteOffset", 0);
  const uint64_t size = number("byteLength", 0);
  const auto available = static_cast<uint64_t>(binary_.size());
  if (number("buffer", 0) != 0 || offset > available || size > available - offset) {
    throw core::IoError(path_, fmt::format("has a bufferView of {} bytes at {}, but its buffer has "
                                           "{}",
                                           size, offset, available));
  }
  core::Array<uint8_t> bytes(static_cast<int64_t>(size));
  std::copy_n(binary_.data() + offset, size, bytes.data());
  return bytes;
}

core::Array<uint8_t> GltfFile::picture(size_t index) const {
  const json& image = root_["images"][index];
  const std::string within = fmt::format("image {}", index);
  if (image.is_object() && image.contains("uri")) {
    const json& uri = image["uri"];
    const std::string name = uri.is_string() ? percent_decoded(uri.get<std::string>()) : "";
    if (!is_plain_name(name)) {
      throw core::IoError(path_, fmt::format("has no plain file name in {}", within));
    }
    return core::read_file(path_.parent_path() / name);
  }
  const int view = json_int(json_member(image, "bufferView", within, path_), within, path_);
  const auto views = root_.find("bufferViews");
  if (views == root_.end() || !views->is_array() || view < 0 ||
      static_cast<size_t>(view) >= views->size()) {
    throw core::IoError(path_, fmt::format("has no bufferView {} for {}", view, within));
  }
  return view_bytes((*views)[view]);
}

}  // namespace tessera::assets
