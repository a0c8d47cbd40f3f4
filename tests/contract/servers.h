#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client/transport.h"

namespace hearth::kube {

// A server that the contract is checked against. Lives as long as the test program.
class ServerUnderTest {
 public:
  virtual ~ServerUnderTest() = default;
  // As an administrator who may do everything.
  virtual Transport& transport() = 0;
  // As somebody else.
  virtual Result<std::unique_ptr<Transport>> TransportAs(
      std::unique_ptr<Credentials> credentials) = 0;
};

struct ServerKind {
  std::string name;
  // Null when it cannot be had here; `why_not` says why.
  std::function<ServerUnderTest*(std::string* why_not)> get;
};

// A new server joins the contract here.
std::vector<ServerKind> ServerKinds();

}  // namespace hearth::kube
