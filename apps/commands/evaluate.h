// A scene held against photos: PSNR, SSIM and MS-SSIM of each and their means. Several ranks that
// share its Gaussians draw together and share the photos.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/gaussian_cloud.h"
#include "core/image.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::apps {

struct ViewFigures {
  std::string name;
  int width = 0;
  int height = 0;
  int64_t counted_pixels = 0;  // those that the mask leaves; 0: the view counts for nothing
  double psnr = 0;             // dB
  double ssim = 0;
  std::optional<double> ms_ssim;  // not for pictures too small for five scales
};

struct EvalFigures {
  std::vector<ViewFigures> views;
  // Means of the views that count: of pictures, not of pixels.
  double psnr = 0;
  double ssim = 0;
  std::optional<double> ms_ssim;  // if every view has one
};

// Sets the means from the views. Zero if none counts.
void take_means(EvalFigures& figures);

// One view as it is compared: values of 0 to 1, photos with alpha over the background.
struct ComparedView {
  core::ImageF photo;
  core::ImageF render;
  core::Image8 mask;  // empty: every pixel counts
};

class Evaluator {
 public:
  // `rasterizer` is a name of render::rasterizers(); several ranks draw as ShardedRenderer does.
  // `ranks` and `pool` must outlive it.
  Evaluator(const std::string& rasterizer, distributed::Communicator& ranks,
            core::ThreadPool& pool);
  ~Evaluator();

  // Collective: draws the ranks' clouds from `camera`, which fits the photo; the first rank
  // compares. Its `compared` gets the pictures; other ranks get nothing.
  ViewFigures measure(const core::GaussianCloud& cloud, const render::RasterizeOptions& options,
                      core::PhotoSource& photos, int view, const core::PosedCamera& camera,
                      ComparedView& compared);

  // Collective: all of `views`, in their order, on all ranks; each compares a part of them. `each`
  // is called for each one with its index in `views`. If it returns false on any rank, all stop
  // early: then not all views are in the figures.
  EvalFigures measure_all(const core::GaussianCloud& cloud, const render::RasterizeOptions& options,
                          core::PhotoSource& photos, const std::vector<int>& views,
                          const std::function<bool(size_t index, const ViewFigures&)>& each);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::apps
