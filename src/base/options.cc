#include "base/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "base/check.h"
#include "base/internal/option_value.h"
#include "base/nearest_name.h"
#include "base/strings.h"

namespace hearth {
namespace {

using internal::OptionValue;
using Row = OptionTable::Row;

constexpr std::string_view kSeeHelp = " (see --help)";
constexpr size_t kExcerpt = 80;

Status Misuse(const std::string& message) { return InvalidError(message + std::string(kSeeHelp)); }

std::string NameOf(const Row& row, bool positional) {
  return positional ? "<" + row.name + ">" : "--" + row.name;
}

bool TakesValue(const std::vector<Row>& rows, std::string_view name) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.name == name && !internal::IsFlag(row.target);
  });
}

// The arguments without the program's name. "--name=" becomes two of them, because the parser would
// not see an empty value but take the next argument for it.
std::vector<std::string> Arguments(const std::vector<Row>& rows, int argc,
                                   const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--") && argument.ends_with('=') &&
        TakesValue(rows, argument.substr(2, argument.size() - 3))) {
      arguments.emplace_back(argument.substr(0, argument.size() - 1));
      arguments.emplace_back();
    } else {
      arguments.emplace_back(argument);
    }
  }
  return arguments;
}

// Asked before everything else: who wants help need not get the rest right.
bool Asks(const std::vector<std::string>& arguments,
          std::initializer_list<std::string_view> names) {
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      return false;
    }
    if (std::find(names.begin(), names.end(), argument) != names.end()) {
      return true;
    }
  }
  return false;
}

// The values given for one row, as text.
struct Given {
  const Row* row;
  bool positional;
  std::string source;  // names the option or the variable in errors
  std::vector<std::string> texts;
};

// CLI11 splits the command line; what the pieces mean is ours to say, so it gets no types, defaults
// or help.
class CommandLine {
 public:
  CommandLine(const std::vector<Row>& rows, const std::vector<Row>& positionals) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const Row& row : rows) {
      AddOption(row);
    }
    for (const Row& row : positionals) {
      AddPositional(row);
    }
  }

  Status Parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ArgumentMismatch& mismatch) {
      return Misuse("a value is missing after " + Name(mismatch.what()));
    } catch (const CLI::Error& error) {
      return Misuse(Excerpt(error.what(), kExcerpt));
    }
    return NoExtras();
  }

  std::vector<Given> given() const {
    std::vector<Given> all;
    for (const Known& known : known_) {
      if (known.option->count() > 0) {
        const std::string name = NameOf(*known.row, known.positional);
        all.push_back({known.row, known.positional, name, known.option->results()});
      }
    }
    return all;
  }

 private:
  struct Known {
    const Row* row;
    bool positional;
    CLI::Option* option;
  };

  static bool Accept(const CLI::results_t& /*texts*/) { return true; }

  void AddOption(const Row& row) {
    const std::string names =
        "--" + row.name + (row.letter != 0 ? std::string(",-") + row.letter : std::string());
    CLI::Option* option = internal::IsFlag(row.target)
                              ? app_.add_flag(names)
                              : app_.add_option(names, CLI::callback_t(Accept));
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    known_.push_back({&row, false, option});
  }

  void AddPositional(const Row& row) {
    CLI::Option* option = app_.add_option(row.name, CLI::callback_t(Accept));
    if (internal::IsList(row.target)) {
      // CLI11 gives a positional arguments until it has its minimum, and does not mind when there
      // are fewer. What it calls extra arguments would split "[a,b]".
      option->expected(CLI::detail::expected_max_vector_size);
    }
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    known_.push_back({&row, true, option});
  }

  // CLI11 begins its text with the option: "--workers: 1 required ... missing".
  static std::string Name(std::string_view text) {
    return std::string(text.substr(0, text.find_first_of(": ")));
  }

  // What belongs to no row. A misspelt option is told before the value that stood behind it.
  Status NoExtras() const {
    std::vector<std::string> extras = app_.remaining();
    const auto mark = std::find(extras.begin(), extras.end(), "--");  // CLI11 leaves it there
    const auto option = std::find_if(extras.begin(), mark, [](const std::string& extra) {
      return extra.size() > 1 && extra.starts_with('-');
    });
    if (option != mark) {
      return UnknownOption(*option);
    }
    if (mark != extras.end()) {
      extras.erase(mark);
    }
    return extras.empty() ? Status()
                          : Misuse("unexpected argument '" + Excerpt(extras[0], kExcerpt) + "'");
  }

  Status UnknownOption(const std::string& extra) const {
    const std::string name = extra.substr(0, extra.find('='));
    std::vector<std::string> names = {"--help", "--version"};
    for (const Known& known : known_) {
      if (!known.positional) {
        names.push_back("--" + known.row->name);
      }
    }
    const std::string nearest = name.starts_with("--") ? NearestName(name, names) : std::string();
    const std::string message = "unknown option '" + Excerpt(name, kExcerpt) + "'";
    return Misuse(nearest.empty() ? message : message + "; did you mean " + nearest + "?");
  }

  CLI::App app_;
  std::vector<Known> known_;
};

// An empty variable counts as none: that is how a manifest leaves one out.
std::vector<std::string> FromEnvironment(const Row& row) {
  const char* text = row.environment.empty() ? nullptr : std::getenv(row.environment.c_str());
  if (text == nullptr || *text == '\0') {
    return {};
  }
  if (!internal::IsList(row.target)) {
    return {text};
  }
  const std::vector<std::string_view> pieces = Split(text, ',');
  return {pieces.begin(), pieces.end()};
}

void AddFromEnvironment(const std::vector<Row>& rows, bool positional, std::vector<Given>& given) {
  for (const Row& row : rows) {
    const bool known = std::any_of(given.begin(), given.end(),
                                   [&](const Given& other) { return other.row == &row; });
    std::vector<std::string> texts = known ? std::vector<std::string>() : FromEnvironment(row);
    if (!texts.empty()) {
      given.push_back(
          {&row, positional, "environment variable " + row.environment, std::move(texts)});
    }
  }
}

Status CheckRequired(const std::vector<Row>& rows, bool positional,
                     const std::vector<Given>& given) {
  for (const Row& row : rows) {
    const bool there = std::any_of(given.begin(), given.end(),
                                   [&](const Given& other) { return other.row == &row; });
    if (row.required && !there) {
      const std::string variable =
          row.environment.empty() ? "" : " (or environment variable " + row.environment + ")";
      return Misuse(NameOf(row, positional) + variable + " is required");
    }
  }
  return {};
}

Status CheckText(const Row& row, std::string_view text) {
  if (!row.choices.empty()) {
    RETURN_IF_ERROR(OneOf(row.choices)(text));
  }
  return row.check ? row.check(text) : Status();
}

Result<OptionValue> Convert(const Given& given) {
  ASSIGN_OR_RETURN(OptionValue value, internal::ParseOptionValue(given.row->target, given.texts));
  const size_t first = internal::IsList(given.row->target) ? 0 : given.texts.size() - 1;
  for (size_t i = first; i < given.texts.size(); ++i) {
    RETURN_IF_ERROR(CheckText(*given.row, given.texts[i]));
  }
  return value;
}

// All or nothing: nothing is stored until everything is known to be good.
Status Store(const std::vector<Given>& given) {
  std::vector<OptionValue> values;
  for (const Given& one : given) {
    Result<OptionValue> value = Convert(one);
    if (!value.ok()) {
      return Misuse(one.source + ": " + std::string(value.status().message()));
    }
    values.push_back(std::move(value).value());
  }
  for (size_t i = 0; i < given.size(); ++i) {
    internal::StoreOptionValue(given[i].row->target, std::move(values[i]));
  }
  return {};
}

void CheckNew(const Row& row, const std::vector<Row>& others) {
  for (const Row& other : others) {
    CHECK(other.name != row.name) << "option '" << row.name << "' is there twice";
    CHECK(row.letter == 0 || other.letter != row.letter)
        << "options '" << row.name << "' and '" << other.name << "' have the same letter";
  }
}

void CheckName(const Row& row) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  CHECK(!row.name.empty() && row.name.find_first_not_of(kLetters) == std::string::npos &&
        row.name.front() != '-' && row.name.back() != '-')
      << "option name '" << row.name << "' is not kebab-case";
}

}  // namespace

OptionTable::OptionTable(std::string program, std::string purpose)
    : program_(std::move(program)), purpose_(std::move(purpose)) {}

void OptionTable::AddNotes(std::string text) { notes_ += "\n" + std::move(text); }

void OptionTable::Add(Row row) {
  CheckName(row);
  CheckNew(row, rows_);
  CheckNew(row, positionals_);
  CHECK(row.name != "help" && row.name != "version" && row.letter != 'h')
      << "option '" << row.name << "' takes the place of --help or --version";
  rows_.push_back(std::move(row));
}

void OptionTable::AddPositional(Row row) {
  CheckName(row);
  CheckNew(row, rows_);
  CheckNew(row, positionals_);
  CHECK(positionals_.empty() || (!internal::IsList(positionals_.back().target) &&
                                 (positionals_.back().required || !row.required)))
      << "argument '" << row.name << "' can never be reached";
  positionals_.push_back(std::move(row));
}

Result<OptionTable::Parsed> OptionTable::Parse(int argc, const char* const* argv) const {
  const std::vector<std::string> arguments = Arguments(rows_, argc, argv);
  if (Asks(arguments, {"--help", "-h"})) {
    return Parsed::kHelp;
  }
  if (Asks(arguments, {"--version"})) {
    return Parsed::kVersion;
  }
  CommandLine line(rows_, positionals_);
  RETURN_IF_ERROR(line.Parse(arguments));
  std::vector<Given> given = line.given();
  AddFromEnvironment(rows_, false, given);
  AddFromEnvironment(positionals_, true, given);
  RETURN_IF_ERROR(CheckRequired(rows_, false, given));
  RETURN_IF_ERROR(CheckRequired(positionals_, true, given));
  RETURN_IF_ERROR(Store(given));
  return Parsed::kRun;
}

std::function<Status(std::string_view)> Between(int64_t low, int64_t high) {
  return [low, high](std::string_view text) -> Status {
    const Result<double> value = internal::ParseNumber(text);
    RETURN_IF_ERROR(value);
    // Compared as integers when it is one: a double cannot hold the largest of them.
    const Result<int64_t> integer = internal::ParseInteger(text);
    const bool inside =
        integer.ok() ? *integer >= low && *integer <= high
                     : *value >= static_cast<double>(low) && *value <= static_cast<double>(high);
    if (!inside) {
      return InvalidError("'" + Excerpt(text, kExcerpt) + "' is not between " +
                          std::to_string(low) + " and " + std::to_string(high));
    }
    return {};
  };
}

std::function<Status(std::string_view)> Positive() {
  return [](std::string_view text) -> Status {
    ASSIGN_OR_RETURN(const Duration duration, ParseDuration(text));
    if (duration <= Duration::zero()) {
      return InvalidError("'" + Excerpt(text, kExcerpt) + "' is not longer than nothing");
    }
    return {};
  };
}

std::function<Status(std::string_view)> OneOf(std::vector<std::string> values) {
  return [values = std::move(values)](std::string_view text) -> Status {
    if (std::find(values.begin(), values.end(), text) != values.end()) {
      return {};
    }
    const std::string nearest = NearestName(text, values);
    return InvalidError("'" + Excerpt(text, kExcerpt) + "' is not one of " + Join(values, ", ") +
                        (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  };
}

}  // namespace hearth
