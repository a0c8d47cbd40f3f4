#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/protocol/message_channel.h"
#include "gms/protocol/messages.h"

namespace hearth::gms {

// What one server said of itself.
struct SurveyedServer {
  std::string admin;  // the administration's socket
  // With the paths of its sockets from here, where they are beside the administration's: the folder
  // may have another path where the server runs.
  // Else why not: kUnavailable with the reason kNobodyListens when it was left behind by a server
  // that is gone, kDeadlineExceeded when somebody is there and does not answer.
  Result<StatusResponse> answer;
  // Over which it answered; good for more.
  std::optional<MessageChannel> channel = std::nullopt;

  bool left_behind() const { return answer.status().reason() == kNobodyListens; }
};

// Asks the servers behind these sockets who they are, all at the same time: one that hangs, or is
// no server at all, takes nothing from the time of the others. In the order of the sockets. A
// server that is not there is not waited for.
std::vector<SurveyedServer> SurveyServers(const std::vector<std::string>& admin_sockets,
                                          const WaitLimit& limit);

}  // namespace hearth::gms
