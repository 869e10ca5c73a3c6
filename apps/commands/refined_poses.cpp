// SPDX-License-Identifier: MIT
#include "apps/commands/refined_poses.h"

#include <map>
#include <optional>
#include <string>

#include "apps/commands/camera_path.h"
#include "apps/commands/scene_view.h"
#include "apps/commands/training_record.h"

namespace tessera::apps {

void take_refined_poses(core::Capture& capture, const std::filesystem::path& capture_path,
                        const std::filesystem::path& scene, math::Vec3<double> scene_origin,
                        core::Log& log) {
  const std::optional<TrainingRecord> record = training_record(scene);
  if (!record || !record->refined_poses || !is_capture_of(*record, capture_path)) return;
  const std::filesystem::path file = record->file.parent_path() / "cameras.json";
  if (!std::filesystem::is_regular_file(file)) return;
  const PathFile refined = read_cameras_json(file);
  std::map<std::string, core::Rigid> poses;
  for (size_t i = 0; i < refined.cameras.size(); ++i) {
    const math::Vec3<double> shift = capture.origin_in_file - scene_origin;
    poses.emplace(refined.names[i], shifted(refined.cameras[i], shift).cam_from_world);
  }
  for (core::CaptureView& view : capture.views) {
    const auto found = poses.find(view.name);
    if (found != poses.end()) view.cam_from_world = found->second;
  }
  log.info("Photos that the scene was trained on are seen from the poses that its run refined, {}.",
           file.string());
}

}  // namespace tessera::apps
