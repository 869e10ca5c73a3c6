// A finished run on one page: HTML that needs no network, no script and no other file, and prints.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands/line_chart.h"
#include "core/image.h"

namespace tessera::apps {

// One photo beside what the scene shows from there.
struct ReportView {
  std::string name;
  std::string figures;  // "27.41 dB, SSIM 0.871"
  core::Image8 photo, render, difference;
};

// A picture beside others, two in a row.
struct ReportPicture {
  std::string name;
  core::Image8 image;
};

// Rows of name and value.
using ReportTable = std::vector<std::pair<std::string, std::string>>;

// Rows of a name and numbers under a heading each; nothing without rows.
struct NumberTable {
  std::string heading;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string text;  // below it
};

struct Report {
  std::string title;
  std::string subtitle;
  ReportTable headline;            // the few figures that matter most: value large, name below
  std::string views_heading;       // "Held-out photos" or "Training photos"
  std::vector<ReportView> views;   // shown as pictures
  double difference_white_at = 0;  // what the difference pictures' brightest color stands for
  std::string pictures_heading;
  std::vector<ReportPicture> pictures;
  std::vector<LineChart> charts;
  NumberTable each_view;
  NumberTable ranks;  // what they cost one another
  std::vector<std::string> notes;
  ReportTable settings;
  ReportTable record;   // versions, machine, times
  std::string command;  // how the run can be done again
};

std::string to_html(const Report& report);

// As large as a report shows it, for those that keep many.
core::Image8 report_picture(const core::Image8& image);

// What differs from empty in a JSON object of settings.
ReportTable settings_rows(const std::string& settings);
// When, where and with what it ran.
ReportTable machine_rows();

std::string html_escaped(const std::string& text);
std::string base64(const std::vector<uint8_t>& bytes);

}  // namespace tessera::apps
