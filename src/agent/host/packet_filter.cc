#include "agent/host/packet_filter.h"

#include <fmt/format.h>

#include "base/result.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kChain = "CRIU";

Words WordsOf(std::string_view line) {
  Words words;
  for (const std::string_view word : Split(Trim(line), ' ')) {
    words.emplace_back(word);
  }
  return words;
}

// As CRIU makes them. What else a container writes into such a line is not handed to iptables.
bool IsJumpOfCriu(const Words& rule) {
  return rule.size() == 4 && rule[0] == "-A" && (rule[1] == "INPUT" || rule[1] == "OUTPUT") &&
         rule[2] == "-j" && rule[3] == kChain;
}

// nsenter would only say that it failed.
Result<bool> IsInstalled(ProcessRunner& runner, const std::string& what, const WaitLimit& limit) {
  const auto known = runner.Run({.argv = {what, "--version"}}, limit);
  if (known.status().Is(Code::kNotFound)) {
    return false;
  }
  RETURN_IF_ERROR(known.status());
  return true;
}

Status Clear(ProcessRunner& runner, const std::string& program, const std::string& network,
             const WaitLimit& limit) {
  const auto run = [&](const Words& arguments) -> Result<std::string> {
    Words argv = {"nsenter", "--net=" + network, "--", program, "-w"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    ASSIGN_OR_RETURN(ProcessOutcome done, runner.Run({.argv = argv}, limit));
    if (!done.ok()) {
      return InternalError(fmt::format("{} {} in {}: {}", program, Join(arguments, " "), network,
                                       Excerpt(Trim(done.errors), 300)));
    }
    return std::move(done.output);
  };
  ASSIGN_OR_RETURN(const bool installed, IsInstalled(runner, program, limit));
  if (!installed) {
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(const std::string listing, run({"-S"}));
  for (const Words& command : RemovalOfRules(listing)) {
    RETURN_IF_ERROR(run(command).status());
  }
  return Status::Ok();
}

}  // namespace

std::vector<Words> RemovalOfRules(std::string_view listing) {
  std::vector<Words> commands;
  bool has_chain = false;
  for (const std::string_view line : Split(listing, '\n')) {
    Words rule = WordsOf(line);
    if (rule.size() == 2 && rule[0] == "-N" && rule[1] == kChain) {
      has_chain = true;
    } else if (IsJumpOfCriu(rule)) {
      rule[0] = "-D";
      commands.push_back(std::move(rule));
    }
  }
  if (has_chain) {
    commands.push_back({"-F", std::string(kChain)});
    commands.push_back({"-X", std::string(kChain)});
  }
  return commands;
}

Status ReleasePackets(ProcessRunner& runner, const std::string& network, const WaitLimit& limit) {
  const Status v4 = Clear(runner, "iptables", network, limit);
  // Tried as well when the other failed, which is then told.
  const Status v6 = Clear(runner, "ip6tables", network, limit);
  return v4.ok() ? v6 : v4;
}

}  // namespace hearth::agent
