#include "dynamo/command/start_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamo/command/shell_words.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;

constexpr std::string_view kEngines[] = {"vllm", "sglang", "trtllm"};
constexpr std::string_view kLists[] = {"command", "args"};

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The index of "dynamo.<engine>" in words that run Python with -m; nothing when they do not.
template <typename Words, typename TextOf>
std::optional<size_t> FindModule(const Words& words, std::string_view engine, TextOf text_of) {
  const std::string module = fmt::format("dynamo.{}", engine);
  bool python = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = text_of(words[i]);
    python = python || BaseName(word).starts_with("python");
    if (python && i > 0 && text_of(words[i - 1]) == "-m" &&
        (word == module || word.starts_with(module + "."))) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<std::string> WordsOf(const Value& container) {
  std::vector<std::string> words;
  for (const std::string_view list : kLists) {
    for (const Value& word : pods::Items(container, list)) {
      words.push_back(word.StringOr(""));
    }
  }
  return words;
}

struct FoundScript {
  std::string list;
  size_t item = 0;
  size_t module_end = 0;
  std::vector<std::string> arguments;
};

std::optional<FoundScript> FindScript(const Value& container, std::string_view engine) {
  for (const std::string_view list : kLists) {
    const Value::Items& items = pods::Items(container, list);
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string script = items[i].StringOr("");
      for (const ShellCommand& command : ShellCommands(script)) {
        const auto text = [](const ShellWord& word) { return std::string_view(word.text); };
        const auto module = FindModule(command, engine, text);
        if (!module) {
          continue;
        }
        FoundScript found{std::string(list), i, command[*module].end, {}};
        for (size_t k = *module + 1; k < command.size(); ++k) {
          found.arguments.push_back(command[k].text);
        }
        return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<size_t> FindInWords(const std::vector<std::string>& words, std::string_view engine) {
  return FindModule(words, engine, [](const std::string& word) { return std::string_view(word); });
}

// The value that `flag` has in `word`; nothing when it is another word.
std::optional<std::string_view> ValueInWord(std::string_view word, std::string_view flag) {
  if (word.starts_with(flag) && word.substr(flag.size()).starts_with('=')) {
    return word.substr(flag.size() + 1);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> StartCommand::EnginesOf(const Value& container) {
  const std::vector<std::string> words = WordsOf(container);
  std::vector<std::string> engines;
  for (const std::string_view engine : kEngines) {
    if (FindInWords(words, engine) || FindScript(container, engine)) {
      engines.emplace_back(engine);
    }
  }
  return engines;
}

Result<StartCommand> StartCommand::Find(Value& container, std::string_view engine) {
  const std::vector<std::string> words = WordsOf(container);
  if (const auto module = FindInWords(words, engine)) {
    return StartCommand(container, std::nullopt, *module + 1,
                        {words.begin() + static_cast<ptrdiff_t>(*module) + 1, words.end()});
  }
  if (auto found = FindScript(container, engine)) {
    return StartCommand(container, Script{std::move(found->list), found->item}, found->module_end,
                        std::move(found->arguments));
  }
  return InvalidError(
      fmt::format("container \"{}\" does not start python with -m dynamo.{} in a way that can be "
                  "read; write it as words of command and args, or as a plain shell command",
                  pods::Text(container, "name"), engine));
}

bool StartCommand::HasFlag(std::string_view flag) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const std::string& word) {
    return word == flag || ValueInWord(word, flag).has_value();
  });
}

std::optional<std::string> StartCommand::FlagValue(
    std::initializer_list<std::string_view> names) const {
  for (const std::string_view flag : names) {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i] == flag && i + 1 < arguments_.size()) {
        return arguments_[i + 1];
      }
      if (const auto value = ValueInWord(arguments_[i], flag)) {
        return std::string(*value);
      }
    }
  }
  return std::nullopt;
}

void StartCommand::AddFlags(std::string_view flags, bool expand) {
  if (expand) {
    BecomeScript();
  }
  if (script_) {
    Value& item = pods::MakeItems(*container_, script_->list)[script_->item];
    std::string script = item.string();
    script.insert(module_end_, fmt::format(" {}", flags));
    item = std::move(script);
  } else {
    AddWords(flags);
  }
  std::vector<std::string> added;
  for (const ShellCommand& command : ShellCommands(flags)) {
    for (const ShellWord& word : command) {
      added.push_back(word.text);
    }
  }
  arguments_.insert(arguments_.begin(), added.begin(), added.end());
}

void StartCommand::AddWords(std::string_view flags) {
  const size_t in_command = pods::Items(*container_, "command").size();
  const bool of_args = module_end_ > in_command ||
                       (module_end_ == in_command && container_->Find("args") != nullptr);
  Value::Items& list = pods::MakeItems(*container_, of_args ? "args" : "command");
  auto place = list.begin() + static_cast<ptrdiff_t>(module_end_ - (of_args ? in_command : 0));
  for (const ShellCommand& command : ShellCommands(flags)) {
    for (const ShellWord& word : command) {
      place = std::next(list.insert(place, Value(word.text)));
    }
  }
}

void StartCommand::BecomeScript() {
  if (script_) {
    return;
  }
  const std::vector<std::string> words = WordsOf(*container_);
  std::string script = "exec";
  size_t module_end = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    script += " " + ShellQuoted(words[i]);
    if (i + 1 == module_end_) {
      module_end = script.size();
    }
  }
  container_->Set("command", Value::Array({"/bin/sh", "-c"}));
  container_->Set("args", Value::Array({script}));
  script_ = Script{"args", 0};
  module_end_ = module_end;
}

void StartCommand::Prepend(std::string_view commands) {
  BecomeScript();
  Value& item = pods::MakeItems(*container_, script_->list)[script_->item];
  item = fmt::format("{}{}", commands, item.string());
  module_end_ += commands.size();
}

void StartCommand::ReplaceFlag(std::string_view flag, std::string_view value) {
  if (!script_) {
    for (const std::string_view list : kLists) {
      if (container_->Find(list) == nullptr) {
        continue;
      }
      Value::Items& words = pods::MakeItems(*container_, list);
      for (size_t i = 0; i < words.size(); ++i) {
        const std::string word = words[i].StringOr("");
        if (word == flag && i + 1 < words.size()) {
          words[i + 1] = Value(value);
        } else if (ValueInWord(word, flag)) {
          words[i] = Value(fmt::format("{}={}", flag, value));
        }
      }
    }
    return;
  }
  Value& item = pods::MakeItems(*container_, script_->list)[script_->item];
  std::string script = item.string();
  for (const ShellCommand& command : ShellCommands(script)) {
    for (size_t i = 0; i < command.size(); ++i) {
      const ShellWord& word = command[i];
      if (word.text == flag && i + 1 < command.size()) {
        const ShellWord& old = command[i + 1];
        script.replace(old.begin, old.end - old.begin, value);
        item = std::move(script);
        return;
      }
      if (ValueInWord(word.text, flag)) {
        script.replace(word.begin, word.end - word.begin, fmt::format("{}={}", flag, value));
        item = std::move(script);
        return;
      }
    }
  }
}

}  // namespace hearth::dynamo
