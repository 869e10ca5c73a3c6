// SPDX-License-Identifier: MIT
#include "models/gaussian/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "core/error.h"
#include "core/file_io.h"
#include "distributed/gather.h"
#include "distributed/long_work.h"

namespace tessera::models {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are written as they lie");

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::array<char, 8> kMagic = {'T', 'E', 'S', 'S', 'G', 'S', 'C', 'K'};
constexpr std::string_view kFolderPrefix = "checkpoint_";
constexpr const char* kManifest = "manifest.json";
constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 28;
constexpr uint32_t kMaxStatisticsPlanes = 64;

struct ShardHeader {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t shard;
  uint32_t parameter_planes;
  uint32_t statistics_planes;
  uint64_t count;
};
static_assert(sizeof(ShardHeader) == 32);

uint64_t shard_bytes(uint64_t parameter_planes, uint64_t statistics_planes, uint64_t count) {
  return sizeof(ShardHeader) +
         count * (sizeof(uint64_t) + sizeof(float) * (3 * parameter_planes + statistics_planes));
}

// 64-bit FNV-1a over little-endian words of 8 bytes; a last, shorter one is filled with zeros.
class Checksum {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    while (size > 0 && pending_ > 0) take(bytes, size, 1);
    while (size >= sizeof(uint64_t)) take(bytes, size, sizeof(uint64_t));
    if (size > 0) take(bytes, size, size);
  }
  uint64_t value() const { return pending_ > 0 ? mixed(word_) : hash_; }

 private:
  uint64_t mixed(uint64_t word) const { return (hash_ ^ word) * 0x100000001B3U; }
  void take(const uint8_t*& bytes, size_t& size, size_t count) {
    std::memcpy(reinterpret_cast<uint8_t*>(&word_) + pending_, bytes, count);
    bytes += count;
    size -= count;
    pending_ += count;
    if (pending_ < sizeof(word_)) return;
    hash_ = mixed(word_);
    word_ = 0;
    pending_ = 0;
  }

  uint64_t hash_ = 0xCBF29CE484222325U;
  uint64_t word_ = 0;
  size_t pending_ = 0;
};

std::string shard_name(int shard) {
  return fmt::format("shard_{:03}.bin", shard);
}

// Writes a shard of all these Gaussians and describes the file for the manifest.
Json write_shard(const fs::path& folder, const GaussianState& state, int shard) {
  const int64_t count = state.size();
  core::AtomicFile file(folder / shard_name(shard));
  Checksum checksum;
  const auto put = [&](const void* data, size_t size) {
    file.write(data, size);
    checksum.add(data, size);
  };
  const auto put_planes = [&](const core::Planes& planes) {
    for (int p = 0; p < planes.plane_count(); ++p) {
      put(planes.plane(p), static_cast<size_t>(count) * sizeof(float));
    }
  };
  const ShardHeader header = {kMagic,
                              kVersion,
                              static_cast<uint32_t>(shard),
                              static_cast<uint32_t>(state.cloud.parameters.plane_count()),
                              static_cast<uint32_t>(state.statistics.plane_count()),
                              static_cast<uint64_t>(count)};
  put(&header, sizeof(header));
  put(state.cloud.ids.data(), static_cast<size_t>(count) * sizeof(uint64_t));
  put_planes(state.cloud.parameters);
  put_planes(state.first_moments);
  put_planes(state.second_moments);
  put_planes(state.statistics);
  Json entry;
  entry["file"] = shard_name(shard);
  entry["gaussians"] = count;
  entry["bytes"] = file.bytes_written();
  entry["checksum"] = fmt::format("{:016x}", checksum.value());
  file.commit();
  return entry;
}

// N of checkpoint_N, if the name is of that form.
std::optional<int64_t> step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kFolderPrefix)) return std::nullopt;
  int64_t step = 0;
  const char* begin = name.data() + kFolderPrefix.size();
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(begin, end, step);
  if (error != std::errc() || rest != end || begin == end) return std::nullopt;
  return step;
}

// Leaves the one just written and the newest before it. Later ones belong to a run that this one
// replaced.
void remove_others(const fs::path& folder, int64_t written) {
  std::vector<std::pair<int64_t, fs::path>> before;
  std::vector<fs::path> removable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::optional<int64_t> step = step_of(entry.path());
    const bool torn = entry.path().extension() == ".tmp" && step_of(entry.path().stem());
    if (step && *step < written) {
      before.emplace_back(*step, entry.path());
    } else if (torn || (step && *step > written)) {
      removable.push_back(entry.path());
    }
  }
  std::sort(before.begin(), before.end());
  for (size_t i = 0; i + 1 < before.size(); ++i) removable.push_back(before[i].second);
  for (const fs::path& path : removable) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) throw core::IoError(path, "cannot be removed: " + error.message() + ".");
  }
}

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw core::IoError(path, what);
}

Json read_manifest(const fs::path& folder) {
  if (fs::is_regular_file(folder)) {
    throw core::IoError(folder,
                        "is a file, not a checkpoint folder: a scene has no optimizer state to go "
                        "on with; give a folder checkpoint_N, or start from the scene with "
                        "--init-ply.");
  }
  if (!fs::is_directory(folder)) throw core::IoError(folder, "does not exist.");
  const fs::path path = folder / kManifest;
  if (!fs::is_regular_file(path)) {
    throw core::IoError(folder, "is no checkpoint: it has no manifest.json.");
  }
  const std::string text = core::read_text_file(path, kMaxManifestBytes);
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) refuse(path, "is not whole: it is no JSON object");
  if (!json.contains("format") || json["format"] != "tessera gaussian checkpoint") {
    refuse(path, "is no manifest of a Gaussian checkpoint");
  }
  if (!json.contains("version") || json["version"] != kVersion) {
    refuse(path, "has a version that this program does not read");
  }
  return json;
}

struct ShardEntry {
  std::string file;
  uint64_t gaussians = 0;
  uint64_t bytes = 0;
  std::string checksum;
};

// The shards that the manifest names, each there with its size, and no other.
std::vector<ShardEntry> check_shards(const fs::path& folder, const Json& manifest) {
  std::vector<ShardEntry> shards;
  std::set<std::string> names = {kManifest};
  for (const Json& item : manifest.at("shards")) {
    ShardEntry entry;
    item.at("file").get_to(entry.file);
    item.at("gaussians").get_to(entry.gaussians);
    item.at("bytes").get_to(entry.bytes);
    item.at("checksum").get_to(entry.checksum);
    const fs::path path = folder / entry.file;
    if (fs::path(entry.file).filename() != entry.file || !names.insert(entry.file).second) {
      refuse(folder / kManifest, fmt::format("names a shard that cannot be: \"{}\"", entry.file));
    }
    if (!fs::is_regular_file(path)) refuse(path, "is missing from the checkpoint");
    const uint64_t size = core::size_of_file(path);
    if (size != entry.bytes) {
      refuse(path, fmt::format("has {} bytes where the manifest says {}", size, entry.bytes));
    }
    shards.push_back(entry);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!names.contains(entry.path().filename().string())) {
      refuse(entry.path(), "is one file too many: the checkpoint's manifest does not name it");
    }
  }
  return shards;
}

// Places among the Gaussians of all shards, or of one.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

// Reads one shard, whose Gaussians are `placed` among all, and takes those of `wanted` into
// `state`, which holds these alone.
void read_shard(const fs::path& path, const ShardEntry& entry, uint32_t shard, const Range& placed,
                const Range& wanted, GaussianState& state) {
  const core::Array<uint8_t> bytes = core::read_file(path, entry.bytes);
  Checksum checksum;
  checksum.add(bytes.data(), static_cast<size_t>(bytes.size()));
  if (fmt::format("{:016x}", checksum.value()) != entry.checksum) {
    refuse(path, "was changed or damaged: its checksum is not the manifest's");
  }
  ShardHeader header;
  if (static_cast<uint64_t>(bytes.size()) < sizeof(header)) refuse(path, "is too short");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kMagic || header.version != kVersion || header.shard != shard ||
      header.count != entry.gaussians ||
      static_cast<int>(header.parameter_planes) != state.cloud.parameters.plane_count() ||
      static_cast<int>(header.statistics_planes) != state.statistics.plane_count()) {
    refuse(path, "does not fit the manifest");
  }
  const int64_t begin = std::max(placed.begin, wanted.begin);
  const int64_t count = std::min(placed.end, wanted.end) - begin;
  if (count <= 0) return;
  const uint8_t* from = bytes.data() + sizeof(header);
  const auto take = [&](auto* to) {
    std::memcpy(to + (begin - wanted.begin), from + (begin - placed.begin) * sizeof(*to),
                static_cast<size_t>(count) * sizeof(*to));
    from += header.count * sizeof(*to);
  };
  take(state.cloud.ids.data());
  for (core::Planes* planes :
       {&state.cloud.parameters, &state.first_moments, &state.second_moments, &state.statistics}) {
    for (int p = 0; p < planes->plane_count(); ++p) take(planes->plane(p));
  }
}

// The share of a rank of so many Gaussians.
Range share_of(int64_t total, int rank, int ranks) {
  return {total * rank / ranks, total * (rank + 1) / ranks};
}

// Everything of the manifest but the shards; planes get their numbers, and room for the share.
Checkpoint checkpoint_from(const fs::path& folder, const Json& manifest,
                           const std::vector<ShardEntry>& shards, int rank, int ranks,
                           Range& share) {
  Checkpoint checkpoint;
  CheckpointInfo& info = checkpoint.info;
  info.settings = settings_from_json(manifest.at("settings").dump());
  check(info.settings);
  manifest.at("images_seen").get_to(info.images_seen);
  manifest.at("scene_extent").get_to(info.scene_extent);
  manifest.at("dropped_gaussians").get_to(info.dropped_gaussians);
  manifest.at("photos").get_to(info.photos);
  manifest.at("camera_state").get_to(info.camera_state);
  const auto statistics_planes = manifest.at("statistics_planes").get<uint32_t>();
  if (statistics_planes > kMaxStatisticsPlanes || info.images_seen < 0) {
    refuse(folder / kManifest, "has numbers that cannot be");
  }
  const int planes = core::plane_count(info.settings.sh_degree);
  uint64_t total = 0;
  for (const ShardEntry& entry : shards) {
    // The sizes were compared with the files', so what they hold fits in memory's count.
    if (entry.gaussians > entry.bytes ||
        entry.bytes != shard_bytes(planes, statistics_planes, entry.gaussians)) {
      refuse(folder / entry.file, "has a size that does not fit its number of Gaussians");
    }
    total += entry.gaussians;
  }
  share = share_of(static_cast<int64_t>(total), rank, ranks);
  const int64_t size = share.end - share.begin;
  checkpoint.gaussians.cloud = core::GaussianCloud(info.settings.sh_degree, size);
  checkpoint.gaussians.first_moments.reset(planes, size);
  checkpoint.gaussians.second_moments.reset(planes, size);
  checkpoint.gaussians.statistics.reset(static_cast<int>(statistics_planes), size);
  return checkpoint;
}

}  // namespace

namespace {

// `entries`: those of the shards, one a line.
void write_manifest(const fs::path& folder, const CheckpointInfo& info, int statistics_planes,
                    const std::vector<char>& entries) {
  Json manifest;
  manifest["format"] = "tessera gaussian checkpoint";
  manifest["version"] = kVersion;
  manifest["images_seen"] = info.images_seen;
  manifest["scene_extent"] = info.scene_extent;
  manifest["dropped_gaussians"] = info.dropped_gaussians;
  manifest["statistics_planes"] = statistics_planes;
  manifest["settings"] = Json::parse(to_json(info.settings));
  manifest["photos"] = info.photos;
  manifest["camera_state"] = info.camera_state;
  manifest["shards"] = Json::array();
  for (auto line = entries.begin(); line != entries.end();) {
    const auto end = std::find(line, entries.end(), '\n');
    manifest["shards"].push_back(Json::parse(line, end));
    line = end + 1;
  }
  core::write_file_atomically(folder / kManifest, manifest.dump(1));
}

}  // namespace

fs::path write_checkpoint(const fs::path& folder, const CheckpointInfo& info,
                          const GaussianState& gaussians, distributed::Communicator& ranks) {
  const distributed::LongWork working(ranks, "writing a checkpoint");
  fs::path target = folder / fmt::format("{}{}", kFolderPrefix, info.images_seen);
  std::optional<core::AtomicFolder> written;
  if (ranks.rank() == 0) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw core::IoError(folder, "cannot be made: " + error.message() + ".");
    written.emplace(target);
  }
  ranks.barrier("checkpoint");
  const std::string entry =
      write_shard(core::AtomicFolder::unfinished(target), gaussians, ranks.rank()).dump() + '\n';
  const std::vector<char> entries =
      distributed::gather_lists(ranks, "checkpoint", std::span<const char>(entry));
  if (ranks.rank() == 0) {
    write_manifest(written->path(), info, gaussians.statistics.plane_count(), entries);
    written->commit();
    remove_others(folder, info.images_seen);
  }
  ranks.barrier("checkpoint");
  return target;
}

Checkpoint read_checkpoint(const fs::path& path, int rank, int ranks) {
  const Json manifest = read_manifest(path);
  try {
    const std::vector<ShardEntry> shards = check_shards(path, manifest);
    Range share;
    Checkpoint checkpoint = checkpoint_from(path, manifest, shards, rank, ranks, share);
    int64_t begin = 0;
    for (size_t s = 0; s < shards.size(); ++s) {
      const int64_t end = begin + static_cast<int64_t>(shards[s].gaussians);
      read_shard(path / shards[s].file, shards[s], static_cast<uint32_t>(s), {begin, end}, share,
                 checkpoint.gaussians);
      begin = end;
    }
    return checkpoint;
  } catch (const nlohmann::json::exception& error) {
    refuse(path / kManifest, fmt::format("is not whole ({})", error.what()));
  }
}

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (step_of(entry.path()) && fs::is_regular_file(entry.path() / kManifest)) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return step_of(a) > step_of(b); });
  return found;
}

int64_t checkpoint_step(const fs::path& path) {
  return step_of(path).value();
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  const std::vector<fs::path> all = checkpoints_in(folder);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

TrainSettings read_checkpoint_settings(const fs::path& path) {
  const Json manifest = read_manifest(path);
  if (!manifest.contains("settings")) refuse(path / kManifest, "has no settings");
  TrainSettings settings = settings_from_json(manifest["settings"].dump());
  check(settings);
  return settings;
}

}  // namespace tessera::models
