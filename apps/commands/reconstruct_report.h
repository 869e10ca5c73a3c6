// The report of a run: what reconstruct knows, put on the page that report.h draws.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/commands/evaluate.h"
#include "apps/commands/rank_figures.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/report.h"
#include "apps/commands/run_record.h"
#include "core/capture.h"
#include "core/photo_source.h"
#include "models/gaussian/train.h"

namespace tessera::apps {

struct ReportInput {
  const core::Capture* capture = nullptr;
  const ReconstructOptions* options = nullptr;
  const History* history = nullptr;
  std::string settings;  // JSON, as recorded
  std::string command;
  int photos = 0;        // of the run
  int curve_photos = 0;  // held-out photos behind the curve of PSNR
  RunFigures figures;
  const RankFigures* ranks = nullptr;  // null for a single one
  std::string ranks_text;              // "4 ranks as threads of one process, 1 thread each"
  std::vector<std::string> warnings;
};

// Collective: draws a few views of the trainer's scene once more for the report's pictures, which
// the first rank gets. `train` and `test` are places among `photos`; the figures' views are those
// of `test` in order.
std::vector<ReportView> report_views(const RunFigures& figures, const models::Trainer& trainer,
                                     Evaluator& evaluator, core::PhotoSource& photos,
                                     const std::vector<int>& train, const std::vector<int>& test);

void write_reconstruct_report(const std::filesystem::path& path, const ReportInput& input,
                              const models::Trainer& trainer, std::vector<ReportView> views);

}  // namespace tessera::apps
