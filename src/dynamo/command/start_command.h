#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace hearth::dynamo {

// How a container starts an engine: `python3 -m dynamo.vllm ...`, given as words in command and
// args, or within a shell script that one of them holds. Reads and changes the container it was
// made of, which must outlive it.
class StartCommand {
 public:
  // Which engines are started, each once: "vllm", "sglang", "trtllm".
  static std::vector<std::string> EnginesOf(const json::Value& container);

  // kInvalid when no engine, or more than one, is started.
  static Result<StartCommand> Find(json::Value& container, std::string_view engine);

  // The words behind the module's name.
  const std::vector<std::string>& arguments() const { return arguments_; }
  // Given as "--flag value" or "--flag=value"; of several names the first that is there.
  bool HasFlag(std::string_view flag) const;
  std::optional<std::string> FlagValue(std::initializer_list<std::string_view> names) const;

  // Flags, as a shell writes them ("--node-rank $((X + 1))"), right behind the module's name, so
  // that what the user says of the same flag comes later and wins. `expand`: they hold something
  // that only a shell can work out, so that words become a script.
  void AddFlags(std::string_view flags, bool expand);
  // Shell commands to run before, "ray start --head && ". Words become a script.
  void Prepend(std::string_view commands);
  // Gives the flag another value where it stands. Nothing happens when it is not there.
  void ReplaceFlag(std::string_view flag, std::string_view value);

 private:
  // Where the words are. Of a script: the item of the list that holds it.
  struct Script {
    std::string list;
    size_t item = 0;
  };

  StartCommand(json::Value& container, std::optional<Script> script, size_t module_end,
               std::vector<std::string> arguments)
      : container_(&container),
        script_(std::move(script)),
        module_end_(module_end),
        arguments_(std::move(arguments)) {}

  void AddWords(std::string_view flags);
  void BecomeScript();

  json::Value* container_;
  std::optional<Script> script_;
  // Of a script the offset behind the module's name, of words its index in command and args
  // together, plus one.
  size_t module_end_;
  std::vector<std::string> arguments_;
};

}  // namespace hearth::dynamo
