#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/container/container.h"
#include "agent/cri/cri_runtime.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::internal {

struct CriContainer {
  std::string id;
  std::string name;
  ContainerState state;
  int64_t created_at = 0;  // nanoseconds; the runtime's clock
  std::map<std::string, std::string> labels;
};

struct CriStatus {
  CriContainer container;
  std::string image;
  std::string image_reference;
  std::string log_path;
  std::map<std::string, std::string> info;  // verbose
};

struct CriVersion {
  std::string name;
  std::string version;
};

// The calls of the interface, as values: all of gRPC is behind it. Blocking, each with a timeout of
// its own; thread-safe. Errors name the socket and the call.
class CriClient {
 public:
  CriClient(CriOptions options, Clock& clock);
  ~CriClient();
  CriClient(const CriClient&) = delete;
  CriClient& operator=(const CriClient&) = delete;

  Result<CriVersion> Version(const WaitLimit& limit);
  // Those that have all these labels.
  Result<std::vector<CriContainer>> List(const std::map<std::string, std::string>& labels,
                                         const WaitLimit& limit);
  Result<CriStatus> Status(const std::string& id, bool verbose, const WaitLimit& limit);
  hearth::Status Stop(const std::string& id, Duration grace, const WaitLimit& limit);

  // Streams live no longer than the client.
  std::unique_ptr<ContainerEvents> CriEvents();
  // Only of containerd, of the containers that a kubelet made.
  std::unique_ptr<ContainerEvents> ContainerdEvents();

 private:
  struct Wire;
  std::string What(const char* call, const std::string& id = "") const;

  CriOptions options_;
  Clock& clock_;
  std::unique_ptr<Wire> wire_;
};

}  // namespace hearth::agent::internal
