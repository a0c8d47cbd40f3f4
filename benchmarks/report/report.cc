#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>

#include "json/builder.h"

namespace hearth::bench {
namespace {

constexpr size_t kColumns = 7;
using Cells = std::array<std::string, kColumns>;

const Cells kTitles = {"bench", "ours", "against", "unit", "ratio (quartiles)", "goal", "met"};

constexpr std::string_view kPageHead = R"(## {0}

Written by `./bench {0} --markdown FILE`. A ratio is the median of the ratios of all rounds, with quartiles in brackets. Figures in
units are context: they depend on the machine.

)";

std::string Number(double value) {
  const double size = value < 0 ? -value : value;
  return size >= 100  ? fmt::format("{:.0f}", value)
         : size >= 10 ? fmt::format("{:.1f}", value)
                      : fmt::format("{:.2f}", value);
}

std::string GoalText(const Row& row) {
  if (!row.goal) {
    return "-";
  }
  return fmt::format("{} {}", row.better == Better::kHigher ? ">=" : "<=", Number(*row.goal));
}

std::string MetText(const Row& row) {
  return !row.goal || !row.ratio ? "-" : row.Met() ? "yes" : "NO";
}

Cells ToCells(const Row& row) {
  if (!row.ratio) {
    return {row.bench,
            row.ours > 0 ? Number(row.ours) : "-",
            row.peer_name,
            row.unit,
            "not run: " + row.not_run,
            GoalText(row),
            "-"};
  }
  return {row.bench,
          Number(row.ours),
          fmt::format("{} ({})", Number(row.peer), row.peer_name),
          row.unit,
          fmt::format("{} ({} to {})", Number(row.ratio->median), Number(row.ratio->low),
                      Number(row.ratio->high)),
          GoalText(row),
          MetText(row)};
}

std::vector<Cells> AllCells(const std::vector<Row>& rows) {
  std::vector<Cells> lines = {kTitles};
  std::transform(rows.begin(), rows.end(), std::back_inserter(lines), ToCells);
  return lines;
}

void OptionalDouble(json::Builder& line, std::string_view name, std::optional<double> value) {
  line.Key(name);
  if (value) {
    line.Double(*value);
  } else {
    line.Null();
  }
}

std::string JsonLine(const Row& row) {
  json::Builder line;
  const bool run = row.ratio.has_value();
  const auto when_run = [run](double value) { return run ? std::optional(value) : std::nullopt; };
  line.BeginObject().Key("bench").String(row.bench);
  OptionalDouble(line, "ratio", when_run(run ? row.ratio->median : 0));
  OptionalDouble(line, "goal", row.goal);
  line.Key("better").String(row.better == Better::kHigher ? "higher" : "lower");
  OptionalDouble(line, "ours", run || row.ours > 0 ? std::optional(row.ours) : std::nullopt);
  OptionalDouble(line, "peer", when_run(row.peer));
  line.Key("peer_name").String(row.peer_name).Key("unit").String(row.unit);
  line.Key("rounds").Uint(run ? row.ratio->rounds : 0);
  OptionalDouble(line, "ratio_q1", when_run(run ? row.ratio->low : 0));
  OptionalDouble(line, "ratio_q3", when_run(run ? row.ratio->high : 0));
  if (!run) {
    line.Key("not_run").String(row.not_run);
  }
  line.EndObject();
  return line.Take();
}

}  // namespace

bool Row::Met() const {
  if (!goal) {
    return true;
  }
  return ratio && (better == Better::kHigher ? ratio->median >= *goal : ratio->median <= *goal);
}

std::string ToTable(const std::vector<Row>& rows) {
  const std::vector<Cells> lines = AllCells(rows);
  std::array<size_t, kColumns> widths{};
  for (const Cells& cells : lines) {
    for (size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string text;
  for (const Cells& cells : lines) {
    for (size_t i = 0; i + 1 < kColumns; ++i) {
      text += fmt::format("{:<{}}  ", cells[i], widths[i]);
    }
    text += cells.back() + "\n";
  }
  return text;
}

std::string ToJsonLines(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += JsonLine(row) + "\n";
  }
  return text;
}

std::string ToMarkdown(const std::string& suite, const std::vector<Row>& rows,
                       const std::vector<std::string>& conditions) {
  std::string text = fmt::format(kPageHead, suite);
  for (const std::string& condition : conditions) {
    text += "- " + condition + "\n";
  }
  text += fmt::format("\n| what | {} |\n|{}\n", fmt::join(kTitles, " | "),
                      std::string("---|---|---|---|---|---|---|---|"));
  for (const Row& row : rows) {
    text += fmt::format("| {} | {} |\n", row.what, fmt::join(ToCells(row), " | "));
  }
  return text;
}

Status WriteText(const std::string& path, const std::string& text) {
  if (path.empty()) {
    return {};
  }
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? Status() : UnavailableError("cannot write " + path);
}

}  // namespace hearth::bench
