// SPDX-License-Identifier: MIT
#include "assets/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "assets/bytes.h"
#include "assets/json_text.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using core::TensorType;
using nlohmann::json;

constexpr int64_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = 100'000'000;  // as the format's own reader has it
constexpr const char* kMetadata = "__metadata__";

constexpr std::pair<std::string_view, TensorType> kTypes[] = {
    {"F32", TensorType::kFloat32}, {"F16", TensorType::kFloat16}, {"BF16", TensorType::kBfloat16},
    {"F64", TensorType::kFloat64}, {"I8", TensorType::kInt8},     {"I16", TensorType::kInt16},
    {"I32", TensorType::kInt32},   {"I64", TensorType::kInt64},   {"U8", TensorType::kUint8},
    {"U16", TensorType::kUint16},  {"U32", TensorType::kUint32},  {"U64", TensorType::kUint64},
    {"BOOL", TensorType::kBool},
};

// Where a tensor's bytes are, counted from the first of all.
struct Place {
  core::TensorData* tensor = nullptr;
  const std::string* name = nullptr;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The header's text. The file's size is checked before anything is allocated.
std::string header_of(const fs::path& path, uint64_t file_size) {
  if (file_size < kLengthBytes) throw core::IoError(path, "is too short for a safetensors file");
  const auto length = load<uint64_t>(core::read_file_start(path, kLengthBytes).data());
  if (length > kLongestHeader || length > file_size - kLengthBytes) {
    throw core::IoError(
        path,
        fmt::format("is no safetensors file, or cut off: its header would have {} bytes", length));
  }
  const core::Array<uint8_t> start = core::read_file_start(path, kLengthBytes + length);
  if (start.size() != static_cast<int64_t>(kLengthBytes + length)) {
    throw core::IoError(path, "is cut off in its header");
  }
  return {start.begin() + kLengthBytes, start.end()};
}

TensorType type_named(const json& value, const std::string& name, const fs::path& path) {
  const std::string type = value.is_string() ? value.get<std::string>() : "";
  const auto* found =
      std::ranges::find(kTypes, type, &std::pair<std::string_view, TensorType>::first);
  if (found == std::end(kTypes)) {
    throw core::IoError(path, fmt::format("its tensor {} is of the type '{}', which is not read",
                                          name.substr(0, 60), type.substr(0, 20)));
  }
  return found->second;
}

// Sets type and shape of the tensor, and its place, whose length fits these.
Place place_of(const json& entry, const std::string& name, core::TensorData& tensor,
               uint64_t data_size, const fs::path& path) {
  const auto refuse = [&](const char* what) {
    throw core::IoError(path, fmt::format("its tensor {} has {}", name.substr(0, 60), what));
  };
  const auto member = [&](const char* key) {
    return entry.is_object() ? entry.value(key, json()) : json();
  };
  tensor.type = type_named(member("dtype"), name, path);
  const json shape = member("shape");
  const json offsets = member("data_offsets");
  if (!shape.is_array()) refuse("no shape");
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    refuse("no data_offsets");
  }
  Place place{&tensor, &name, offsets[0].get<uint64_t>(), offsets[1].get<uint64_t>()};
  if (place.begin > place.end || place.end > data_size) refuse("bytes beyond the file's end");
  uint64_t bytes = core::bytes_of(tensor.type);
  for (const json& length : shape) {
    if (!length.is_number_unsigned()) refuse("a length that is no whole number");
    const auto count = length.get<uint64_t>();
    if (count > INT64_MAX || !fits(count, bytes, INT64_MAX)) refuse("too large a shape");
    tensor.shape.push_back(static_cast<int64_t>(count));
    bytes *= count;
  }
  if (bytes != place.end - place.begin) refuse("as many bytes as its shape does not ask for");
  return place;
}

void read_metadata(const json& entry, core::TensorMap& map, const fs::path& path) {
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) throw core::IoError(path, "has metadata that are no texts");
    map.metadata[key] = value.get<std::string>();
  }
}

}  // namespace

core::TensorMap read_safetensors(const fs::path& path) {
  const uint64_t file_size = core::size_of_file(path);
  const std::string text = header_of(path, file_size);
  const uint64_t data_begin = kLengthBytes + text.size();
  const json header = parse_json(text, path);
  if (!header.is_object()) throw core::IoError(path, "is no safetensors file");
  core::TensorMap map;
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      read_metadata(entry, map, path);
      continue;
    }
    const auto at = map.tensors.try_emplace(name).first;
    places.push_back(place_of(entry, at->first, at->second, file_size - data_begin, path));
  }
  std::ranges::sort(places, [](const Place& a, const Place& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t end = 0;
  for (const Place& place : places) {
    if (place.begin != end) {
      throw core::IoError(
          path, fmt::format("its tensor {} {}", place.name->substr(0, 60),
                            place.begin < end ? "overlaps another" : "stands behind a gap"));
    }
    end = place.end;
  }
  if (end != file_size - data_begin) {
    throw core::IoError(path, "has bytes behind its last tensor", data_begin + end);
  }
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(data_begin));
  for (const Place& place : places) {
    place.tensor->bytes.resize(static_cast<int64_t>(place.end - place.begin));
    file.read(reinterpret_cast<char*>(place.tensor->bytes.data()), place.tensor->bytes.size());
  }
  if (!file) throw core::IoError(path, "cannot be read to its end");
  return map;
}

void write_safetensors(const fs::path& path, const core::TensorMap& map) {
  json header = json::object();
  if (!map.metadata.empty()) header[kMetadata] = map.metadata;
  uint64_t end = 0;
  for (const auto& [name, tensor] : map.tensors) {
    const auto* type =
        std::ranges::find(kTypes, tensor.type, &std::pair<std::string_view, TensorType>::second);
    const uint64_t begin = end;
    end += tensor.bytes.size();
    header[name] = {
        {"dtype", type->first}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  core::AtomicFile file(path);
  const uint64_t length = text.size();
  file.write(&length, kLengthBytes);
  file.write(text);
  for (const auto& [name, tensor] : map.tensors)
    file.write(tensor.bytes.data(), tensor.bytes.size());
  file.commit();
}

}  // namespace tessera::assets
