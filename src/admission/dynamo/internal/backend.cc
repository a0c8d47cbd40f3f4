#include "admission/dynamo/internal/backend.h"

#include "admission/rules/reading.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

std::string CommandLine(const json::Value* container) {
  std::string line;
  for (const char* list : {"command", "args"}) {
    for (const json::Value& word : Items(At(container, list))) {
      line.append(Text(&word)).append(" ");
    }
  }
  return line;
}

// Looks for the words in this order, anything between them.
bool HasInOrder(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    const size_t place = text.find(word);
    if (place == std::string_view::npos) {
      return false;
    }
    text.remove_prefix(place + word.size());
  }
  return true;
}

bool Starts(std::string_view line, std::string_view module) {
  constexpr std::string_view kSeparators = "|&;\n";  // of commands in a shell
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(kSeparators), line.size());
    if (HasInOrder(line.substr(0, end), {"python", "-m ", module})) {
      return true;
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return false;
}

}  // namespace

std::vector<std::string_view> DetectBackends(const json::Value* container) {
  constexpr std::string_view kModules[] = {"dynamo.vllm", "dynamo.sglang", "dynamo.trtllm"};
  const std::string line = CommandLine(container);
  std::vector<std::string_view> found;
  for (const std::string_view module : kModules) {
    if (Starts(line, module)) {
      found.push_back(module.substr(module.find('.') + 1));
    }
  }
  return found;
}

std::string EffectiveBackend(const json::Value* container, std::string_view set) {
  const auto detected = DetectBackends(container);
  if (detected.empty()) {
    return set.empty() ? "<unset>" : Excerpt(set, 63);
  }
  return Join({detected.begin(), detected.end()}, ", ");
}

}  // namespace hearth::admission::dynamo
