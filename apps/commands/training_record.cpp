// SPDX-License-Identifier: MIT
#include "apps/commands/training_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr uint64_t kMaxRecordBytes = 1 << 20;

fs::path find_record(const fs::path& scene) {
  const fs::path folder = fs::absolute(scene).lexically_normal().parent_path();
  std::vector<fs::path> candidates = {folder / (scene.stem().string() + "_run") / "run.json",
                                      folder / "run.json"};
  const fs::path above = folder.parent_path();
  if (above.filename() == "point_cloud") candidates.push_back(above.parent_path() / "run.json");
  std::error_code ignored;
  for (const fs::path& candidate : candidates) {
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

}  // namespace

std::optional<TrainingRecord> training_record(const fs::path& scene) {
  const fs::path file = find_record(scene);
  if (file.empty()) return std::nullopt;
  try {
    const Json settings = Json::parse(core::read_text_file(file, kMaxRecordBytes)).at("settings");
    TrainingRecord record;
    record.file = file;
    record.capture = settings.at("capture").get<std::string>();
    record.resolution = settings.at("resolution");
    record.max_resolution = settings.at("max-resolution");
    record.camera = settings.at("camera").get<std::string>();
    record.refined_poses = settings.at("pose-opt");
    const Json& every = settings.at("test-every");
    record.held_out = settings.at("eval").get<bool>() || !every.is_null() ||
                      !settings.at("test-iterations").empty();
    if (!every.is_null()) record.test_every = std::max(1, every.get<int>());
    return record;
  } catch (const Json::exception&) {
    return std::nullopt;  // some other program's run.json
  } catch (const core::IoError&) {
    return std::nullopt;
  }
}

bool is_capture_of(const TrainingRecord& record, const fs::path& capture) {
  const auto last = [](const fs::path& path) {
    return (fs::absolute(path) / "").lexically_normal().parent_path().filename();
  };
  return last(record.capture) == last(capture);
}

}  // namespace tessera::apps
