// SPDX-License-Identifier: MIT
#include "models/gaussian/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "core/error.h"
#include "core/file_io.h"
#include "distributed/gather.h"
#include "distributed/long_work.h"
#include "models/gaussian/checkpoint_shard.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kFolderPrefix = "checkpoint_";
constexpr const char* kManifest = "manifest.json";
constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 28;
constexpr uint32_t kMaxStatisticsPlanes = 64;

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
  if (!json.is_object()) throw core::IoError(path, "is not whole: it is no JSON object");
  if (!json.contains("format") || json["format"] != "tessera gaussian checkpoint") {
    throw core::IoError(path, "is no manifest of a Gaussian checkpoint");
  }
  if (!json.contains("version") || json["version"] != kCheckpointVersion) {
    throw core::IoError(path, "has a version that this program does not read");
  }
  return json;
}

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
      throw core::IoError(folder / kManifest,
                          fmt::format("names a shard that cannot be: \"{}\"", entry.file));
    }
    if (!fs::is_regular_file(path)) throw core::IoError(path, "is missing from the checkpoint");
    const uint64_t size = core::size_of_file(path);
    if (size != entry.bytes) {
      throw core::IoError(
          path, fmt::format("has {} bytes where the manifest says {}", size, entry.bytes));
    }
    shards.push_back(entry);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!names.contains(entry.path().filename().string())) {
      throw core::IoError(entry.path(),
                          "is one file too many: the checkpoint's manifest does not name it");
    }
  }
  return shards;
}

// Everything of the manifest but the shards; planes get their numbers, and room for the share.
Checkpoint checkpoint_from(const fs::path& folder, const Json& manifest,
                           const std::vector<ShardEntry>& shards, int rank, int ranks,
                           IndexRange& share) {
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
    throw core::IoError(folder / kManifest, "has numbers that cannot be");
  }
  const int planes = core::plane_count(info.settings.sh_degree);
  uint64_t total = 0;
  for (const ShardEntry& entry : shards) {
    // The sizes were compared with the files', so what they hold fits in memory's count.
    if (entry.gaussians > entry.bytes ||
        entry.bytes != shard_bytes(planes, statistics_planes, entry.gaussians)) {
      throw core::IoError(folder / entry.file,
                          "has a size that does not fit its number of Gaussians");
    }
    total += entry.gaussians;
  }
  share = share_of(static_cast<int64_t>(total), {rank, ranks});
  const int64_t size = share.end - share.begin;
  checkpoint.gaussians.cloud = core::GaussianCloud(info.settings.sh_degree, size);
  checkpoint.gaussians.first_moments.reset(planes, size);
  checkpoint.gaussians.second_moments.reset(planes, size);
  checkpoint.gaussians.statistics.reset(static_cast<int>(statistics_planes), size);
  return checkpoint;
}

Json to_json(const ShardEntry& entry) {
  Json json;
  json["file"] = entry.file;
  json["gaussians"] = entry.gaussians;
  json["bytes"] = entry.bytes;
  json["checksum"] = entry.checksum;
  return json;
}

// `entries`: those of the shards, one a line.
void write_manifest(const fs::path& folder, const CheckpointInfo& info, int statistics_planes,
                    const std::vector<char>& entries) {
  Json manifest;
  manifest["format"] = "tessera gaussian checkpoint";
  manifest["version"] = kCheckpointVersion;
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
      to_json(write_shard(core::AtomicFolder::unfinished(target), gaussians, ranks.rank())).dump() +
      '\n';
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
    IndexRange share;
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
    throw core::IoError(path / kManifest, fmt::format("is not whole ({})", error.what()));
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
  if (!manifest.contains("settings")) throw core::IoError(path / kManifest, "has no settings");
  TrainSettings settings = settings_from_json(manifest["settings"].dump());
  check(settings);
  return settings;
}

}  // namespace tessera::models
