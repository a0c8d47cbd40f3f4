#include "command_line/complete.h"

#include <algorithm>
#include <string_view>

#include "command_line/internal/shell_words.h"

namespace hearth::command_line {
namespace {

using Row = OptionTable::Row;

// As kubectl's completion counts them: nothing but these words, or what the shell does by itself.
constexpr std::string_view kNoFiles = ":4\n";
constexpr std::string_view kAsTheShell = ":0\n";

// The option that takes `word`'s successor as its value; null when there is none.
const Row* TakesNext(const OptionTable& table, const std::string& word) {
  for (const Row& row : table.rows()) {
    const auto spellings = internal::Spellings(row);
    if (!internal::IsFlag(row) &&
        std::find(spellings.begin(), spellings.end(), word) != spellings.end()) {
      return &row;
    }
  }
  return nullptr;
}

// How many arguments without a dash there are among whole words.
size_t CountPositionals(const OptionTable& table, const std::vector<std::string>& words) {
  size_t count = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("-")) {
      i += TakesNext(table, words[i]) != nullptr ? 1 : 0;
    } else {
      ++count;
    }
  }
  return count;
}

void AddRow(const Row& row, Completions& completions) {
  completions.words = row.choices;
  completions.files = row.choices.empty() && internal::TakesFile(row);
}

Completions InCommand(const OptionTable& table, const std::vector<std::string>& before,
                      const std::string& current) {
  Completions completions;
  if (!before.empty()) {
    if (const Row* const row = TakesNext(table, before.back()); row != nullptr) {
      AddRow(*row, completions);
      return completions;
    }
  }
  if (current.starts_with("-")) {
    completions.words = internal::AllSpellings(table);
    return completions;
  }
  const auto& positionals = table.positionals();
  const size_t index = CountPositionals(table, before);
  if (index < positionals.size()) {
    AddRow(positionals[index], completions);
  } else if (!positionals.empty() && internal::IsList(positionals.back())) {
    AddRow(positionals.back(), completions);
  }
  return completions;
}

}  // namespace

Completions Complete(const Program& program, const std::vector<std::string>& words) {
  const std::string current = words.empty() ? "" : words.back();
  Completions completions;
  if (words.size() <= 1) {
    completions.words = program.CommandNames();
    completions.words.insert(completions.words.end(), {"--help", "--version"});
  } else if (const CommandRow* const row = program.Find(words.front()); row != nullptr) {
    const std::unique_ptr<Command> command = row->make();
    completions =
        InCommand(program.TableOf(*row, *command), {words.begin() + 1, words.end() - 1}, current);
  }
  std::erase_if(completions.words,
                [&](const std::string& word) { return !word.starts_with(current); });
  return completions;
}

std::string KubectlCompletions(const Completions& completions) {
  std::string text;
  for (const std::string& word : completions.words) {
    text += word + "\n";
  }
  return text + std::string(completions.files ? kAsTheShell : kNoFiles);
}

}  // namespace hearth::command_line
