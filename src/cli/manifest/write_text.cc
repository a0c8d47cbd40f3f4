#include "cli/manifest/write_text.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/strings.h"
#include "cli/manifest/internal/source_line.h"

namespace hearth::manifest {
namespace {

constexpr size_t kMostValue = 120;    // bytes of a value in a message
constexpr size_t kMostMessage = 800;  // bytes of all of it
constexpr size_t kMostName = 4096;    // bytes of a path
constexpr size_t kWrap = 92;

// The value within the message shortened, so that what follows it is still seen.
std::string MessageOf(const Finding& finding) {
  std::string message = finding.message;
  if (finding.value.size() > kMostValue) {
    const size_t at = message.find(finding.value);
    if (at != std::string::npos) {
      message.replace(at, finding.value.size(), Excerpt(finding.value, kMostValue));
    }
  }
  return Excerpt(message, kMostMessage);
}

std::string Place(const std::string& file, const Finding& finding) {
  return finding.at.line == 0 ? file
                              : fmt::format("{}:{}:{}", file, finding.at.line, finding.at.column);
}

// Words in lines behind a margin.
std::string Wrapped(std::string_view text) {
  std::string out;
  std::string line;
  for (const std::string_view paragraph : Split(text, '\n')) {
    for (const std::string_view word : Split(paragraph, ' ')) {
      if (!line.empty() && line.size() + 1 + word.size() > kWrap) {
        out += "      = " + std::exchange(line, "") + "\n";
      }
      line.append(line.empty() ? "" : " ").append(word);
    }
    out += "      = " + std::exchange(line, "") + "\n";
  }
  return out;
}

class Writer {
 public:
  Writer(const FileReport& file, bool quiet)
      : file_(file), name_(Excerpt(file.file, kMostName)), quiet_(quiet) {}

  std::string Write() {
    Tell(file_.findings, "");
    for (const ObjectReport& object : file_.objects) {
      Tell(object.findings, object.Title());
    }
    return std::move(out_);
  }

 private:
  void Tell(const std::vector<Finding>& findings, const std::string& title) {
    bool titled = title.empty();
    for (const Finding& finding : findings) {
      if (quiet_ && !finding.IsError()) {
        continue;
      }
      if (!titled && !quiet_) {
        out_ += fmt::format("{}: in {}:\n", name_, Excerpt(title, kMostMessage));
        titled = true;
      }
      Tell(finding);
    }
  }

  void Tell(const Finding& finding) {
    const bool note = finding.severity == Severity::kNote;
    const std::string path =
        finding.path.empty() || note ? "" : Excerpt(finding.path, kMostMessage) + ": ";
    out_ += fmt::format("{}: {}: {}{}\n", Place(name_, finding), SeverityName(finding.severity),
                        path, MessageOf(finding));
    if (quiet_ || note) {
      return;
    }
    out_ += lines().Show(finding.at);
    if (!finding.explanation.empty()) {
      out_ += Wrapped(finding.explanation);
    }
  }

  // Only a file with findings is looked through.
  const internal::SourceLines& lines() {
    if (!lines_) {
      lines_.emplace(file_.text);
    }
    return *lines_;
  }

  const FileReport& file_;
  const std::string name_;
  const bool quiet_;
  std::optional<internal::SourceLines> lines_;
  std::string out_;
};

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string ToText(const FileReport& file, bool quiet) { return Writer(file, quiet).Write(); }

std::string ToText(const Summary& summary) {
  std::string text = fmt::format("{}, {}: {} valid, {} invalid, {} skipped",
                                 Counted(summary.files, "file"), Counted(summary.objects, "object"),
                                 summary.valid, summary.invalid, summary.skipped);
  if (summary.unreadable > 0) {
    text += fmt::format("; {} could not be read", Counted(summary.unreadable, "file"));
  }
  return text + "\n";
}

}  // namespace hearth::manifest
