// SPDX-License-Identifier: MIT
#include "apps/commands/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/commands/machine.h"
#include "apps/commands/progress.h"
#include "apps/program.h"
#include "assets/photos/image_io.h"
#include "core/color_map.h"

namespace tessera::apps {
namespace {

constexpr int kPictureWidth = 480;  // enough for a third of a page at twice the pixels
constexpr int kJpegQuality = 86;

constexpr std::string_view kStyle = R"css(
:root{--ink:#1b1f24;--soft:#5c6670;--line:#dfe3e8;--ground:#fff;--panel:#f6f7f9;--curve:#1668b8}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#98a2ad;--line:#343b43;--ground:#15181b;--panel:#1e2226;--curve:#62aef0}}
@media print{:root{--ink:#111;--soft:#555;--line:#ccc;--ground:#fff;--panel:#f6f6f6;--curve:#1668b8}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 48px}
h1{font-size:28px;line-height:1.2;margin:0;overflow-wrap:anywhere}h2{font-size:18px;margin:40px 0 12px}
.sub{color:var(--soft);margin:6px 0 0}
.headline{display:flex;flex-wrap:wrap;gap:12px;margin:24px 0 0}
.headline div{background:var(--panel);border-radius:8px;padding:12px 18px;flex:1 1 130px}
.headline b{display:block;font-size:22px;font-weight:600;white-space:nowrap}.headline span{color:var(--soft);font-size:13px}
figure{margin:0 0 22px;break-inside:avoid}
figcaption{margin:0 0 6px;display:flex;justify-content:space-between;gap:16px;flex-wrap:wrap}
figcaption span{color:var(--soft)}
.three{display:grid;grid-template-columns:repeat(3,1fr);gap:6px}
.three img{width:100%;height:auto;display:block;border-radius:4px;background:var(--panel)}
.two{display:grid;grid-template-columns:repeat(2,1fr);gap:6px}.two img{width:100%;height:auto;display:block;border-radius:4px}
.three.names{color:var(--soft);font-size:13px;margin-bottom:8px}
.scale{display:inline-block;width:90px;height:10px;border-radius:3px;vertical-align:-1px;margin:0 5px;background:linear-gradient(90deg,#000004,#420a68,#932667,#dd513a,#fca50a,#fcffa4)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(330px,1fr));gap:14px}
.charts svg{width:100%;height:auto;background:var(--panel);border-radius:8px;break-inside:avoid}
svg text{fill:var(--soft);font-size:11px}svg .name{fill:var(--ink);font-size:13px;font-weight:600}
svg .last{fill:var(--curve);font-size:12px;font-weight:600}
svg .grid{stroke:var(--line);stroke-width:1}svg .curve{fill:none;stroke:var(--curve);stroke-width:1.8;stroke-linejoin:round}
svg circle{fill:var(--curve)}
table{border-collapse:collapse;width:100%;font-size:14px}
td,th{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
td{overflow-wrap:anywhere}th{color:var(--soft);font-weight:500}
.numbers td+td,.numbers th+th{text-align:right;font-variant-numeric:tabular-nums}
.columns{columns:2;column-gap:40px}.columns table{break-inside:auto}tr{break-inside:avoid}
td:first-child{color:var(--soft)}.numbers td:first-child{color:var(--ink)}
pre{background:var(--panel);border-radius:8px;padding:12px 16px;white-space:pre-wrap;overflow-wrap:anywhere;font-size:13px}
ul{margin:0;padding-left:20px}
@media (max-width:700px){.columns{columns:1}}
@media print{.columns{columns:2}main{max-width:none;padding:0}body{font-size:12px;print-color-adjust:exact;-webkit-print-color-adjust:exact}h2{break-after:avoid;margin-top:26px}.headline{gap:8px;margin-top:14px}.headline div{flex-basis:0;padding:8px 10px}.headline b{font-size:15px}.charts{grid-template-columns:repeat(3,1fr);gap:8px}@page{margin:14mm}}
)css";

std::string picture(const core::Image8& image, std::string_view what) {
  const core::Image8 small = report_picture(image);
  return fmt::format(
      "<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/jpeg;base64,{}\">", what,
      small.width, small.height, base64(assets::encode_jpeg(small, kJpegQuality)));
}

std::string views_section(const Report& report) {
  if (report.views.empty()) return "";
  std::string html = fmt::format(
      "<h2>{}</h2>\n<div class=\"three names\"><div>Photo</div><div>Render</div>"
      "<div>Difference <span class=\"scale\"></span>0 to {:.2g}</div></div>\n",
      html_escaped(report.views_heading), report.difference_white_at);
  for (const ReportView& view : report.views) {
    html += fmt::format(
        "<figure><figcaption><b>{}</b><span>{}</span></figcaption><div class=\"three\">{}{}{}"
        "</div></figure>\n",
        html_escaped(view.name), html_escaped(view.figures), picture(view.photo, "photo"),
        picture(view.render, "render"), picture(view.difference, "difference"));
  }
  return html;
}

std::string pictures_section(const Report& report) {
  if (report.pictures.empty()) return "";
  std::string html =
      fmt::format("<h2>{}</h2>\n<div class=\"two\">", html_escaped(report.pictures_heading));
  for (const ReportPicture& shown : report.pictures) {
    html += fmt::format("<figure><figcaption><b>{}</b></figcaption>{}</figure>",
                        html_escaped(shown.name), picture(shown.image, "picture"));
  }
  return html + "</div>\n";
}

std::string charts_section(const Report& report) {
  std::string drawn;
  for (const LineChart& chart : report.charts) drawn += to_svg(chart);
  if (drawn.empty()) return "";
  return fmt::format("<h2>Over the steps</h2>\n<div class=\"charts\">{}</div>\n", drawn);
}

std::string number_table(const NumberTable& table) {
  if (table.rows.empty()) return "";
  std::string html =
      fmt::format("<h2>{}</h2>\n<table class=\"numbers\"><thead><tr>", html_escaped(table.heading));
  for (const std::string& column : table.columns) {
    html += fmt::format("<th>{}</th>", html_escaped(column));
  }
  html += "</tr></thead><tbody>";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += fmt::format("<td>{}</td>", html_escaped(cell));
    html += "</tr>";
  }
  html += "</tbody></table>\n";
  if (!table.text.empty())
    html += fmt::format("<p class=\"sub\">{}</p>\n", html_escaped(table.text));
  return html;
}

std::string table(const std::string& heading, const ReportTable& rows, bool two_columns) {
  if (rows.empty()) return "";
  std::string html = fmt::format("<h2>{}</h2>\n{}<table><tbody>", heading,
                                 two_columns ? "<div class=\"columns\">" : "");
  for (const auto& [name, value] : rows) {
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>", html_escaped(name), html_escaped(value));
  }
  return html + "</tbody></table>" + (two_columns ? "</div>\n" : "\n");
}

std::string notes_section(const Report& report) {
  if (report.notes.empty()) return "";
  std::string html = "<h2>Noticed</h2>\n<ul>";
  for (const std::string& note : report.notes) {
    html += fmt::format("<li>{}</li>", html_escaped(note));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{0}</title><style>{1}</style></head>"
      "<body><main>\n<h1>{0}</h1><p class=\"sub\">{2}</p>\n<div class=\"headline\">",
      html_escaped(report.title), kStyle, html_escaped(report.subtitle));
  for (const auto& [name, value] : report.headline) {
    html +=
        fmt::format("<div><b>{}</b><span>{}</span></div>", html_escaped(value), html_escaped(name));
  }
  html += "</div>\n";
  html += views_section(report);
  html += pictures_section(report);
  html += charts_section(report);
  html += number_table(report.each_view);
  html += number_table(report.ranks);
  html += notes_section(report);
  html += table("Settings", report.settings, true);
  html += table("Run", report.record, false);
  if (!report.command.empty()) {
    html += fmt::format("<h2>The same again</h2>\n<pre>{}</pre>\n", html_escaped(report.command));
  }
  return html + "</main></body></html>\n";
}

core::Image8 report_picture(const core::Image8& image) {
  return core::shrunk(image, kPictureWidth);
}

ReportTable settings_rows(const std::string& settings) {
  ReportTable rows;
  const nlohmann::json json = nlohmann::json::parse(settings);
  for (const auto& [name, value] : json.items()) {
    if (value.is_null() || (value.is_string() && value.get<std::string>().empty()) ||
        (value.is_array() && value.empty())) {
      continue;
    }
    rows.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return rows;
}

ReportTable machine_rows() {
  const Machine machine = this_machine();
  return {{"Finished", utc_time_text()},
          {"Machine",
           fmt::format("{}, {} cores granted, {} memory, {}", machine.processor, machine.cores,
                       bytes_text(static_cast<double>(machine.memory_bytes)), machine.system)},
          {"Program", "tessera " + version()}};
}

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string base64(const std::vector<uint8_t>& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    const uint32_t group =
        (bytes[i] << 16) | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += left > 1 ? kDigits[group >> 6 & 63] : '=';
    text += left > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

}  // namespace tessera::apps
