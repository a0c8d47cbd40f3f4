#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/duration.h"
#include "base/result.h"

namespace hearth {

// A program's options, each declared once: from the row come the parser, --help, the environment
// variable, the check and the reference page.
//
//   OptionTable options("hearth-operator", "Runs the controllers.");
//   options.Add({.name = "workers",
//                .help = "Reconcilers that run at once",
//                .target = &workers,
//                .check = Between(1, 256)});
//   ASSIGN_OR_RETURN(auto what, options.Parse(argc, argv));
//
// Names are kebab-case; `--workers 4` and `--workers=4` both work, and the last one counts. A flag
// is set by `--name` and cleared by `--name=false`. A list is given by repeating the option, and
// with commas in the environment. Durations are written 500ms, 30s, 5m, 2h; sizes 64Ki, 10Mi. Rows
// that contradict each other are bugs and CHECKed.
class OptionTable {
 public:
  struct Bytes {
    uint64_t value = 0;
  };
  using Target = std::variant<bool*, int64_t*, double*, std::string*, Duration*, Bytes*,
                              std::vector<std::string>*>;

  struct Row {
    std::string name;         // without dashes
    std::string help;         // one sentence, without the default
    Target target;            // holds the default; is not touched when parsing fails
    char letter = 0;          // -n as well as --name
    std::string environment;  // read when the option is not given
    std::string value_name;   // in the help; made from the type when empty. "file": is one
    bool required = false;
    std::vector<std::string> choices;  // the only values there are; empty: any
    // Called with the text as given; a failure's message is told together with the option's name.
    std::function<Status(std::string_view)> check;
  };

  OptionTable(std::string program, std::string purpose);
  void Add(Row row);
  // An argument without a dash, in this order. Optional ones last.
  void AddPositional(Row row);
  // More for the end of the help: "Exit codes:\n  0  ..."
  void AddNotes(std::string text);

  enum class Parsed { kRun, kHelp, kVersion };
  // kInvalid with what is wrong, the nearest known name for a misspelt one, and "see --help". For
  // kHelp and kVersion the caller prints Help() or the version and ends with 0.
  Result<Parsed> Parse(int argc, const char* const* argv) const;

  std::string Help() const;
  std::string Reference() const;  // a Markdown table for docs/

  // For whoever tells a shell about them.
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Row>& positionals() const { return positionals_; }

 private:
  std::string program_;
  std::string purpose_;
  std::string notes_;
  std::vector<Row> rows_;
  std::vector<Row> positionals_;
};

// Checks for numbers, both ends included, and for words.
std::function<Status(std::string_view)> Between(int64_t low, int64_t high);
// A duration above zero.
std::function<Status(std::string_view)> Positive();
std::function<Status(std::string_view)> OneOf(std::vector<std::string> values);

}  // namespace hearth
