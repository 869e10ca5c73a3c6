// What the viewer asks for, by the readers and writers of assets.
// SPDX-License-Identifier: MIT
#pragma once

#include "viewer/host.h"

namespace tessera::apps {

class ViewerHost : public viewer::Host {
 public:
  viewer::OpenedFile open(const std::filesystem::path& path) override;
  viewer::PinholePhoto photo(const core::CaptureView& view, int longest) override;
  std::vector<std::string> readable_extensions() const override;
  std::filesystem::path sample() const override;
  std::vector<viewer::SaveFormat> save_formats() const override;
  std::vector<std::string> losses(const std::filesystem::path& path,
                                  const core::GaussianScene& scene) const override;
  void save(const std::filesystem::path& path, const core::GaussianScene& scene) override;
  void save_picture(const std::filesystem::path& path, const core::Image8& picture) override;
  std::unique_ptr<viewer::Film> film(const std::filesystem::path& path, int width, int height,
                                     double frames_per_second) override;
  std::unique_ptr<viewer::Training> attach(const std::filesystem::path& output) override;
  void start_training(const std::filesystem::path& capture, const std::filesystem::path& output,
                      const std::vector<std::string>& options) override;
};

}  // namespace tessera::apps
