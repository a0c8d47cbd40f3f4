#include "servers.h"

#include <gtest/gtest.h>

#include "kube/testing/control_plane.h"

namespace hearth::kube {
namespace {

class RealServer : public ServerUnderTest {
 public:
  RealServer(TestControlPlane& plane, std::unique_ptr<Transport> transport,
             std::unique_ptr<net::EventLoop> loop)
      : plane_(plane), loop_(std::move(loop)), transport_(std::move(transport)) {}

  Transport& transport() override { return *transport_; }
  Result<std::unique_ptr<Transport>> TransportAs(
      std::unique_ptr<Credentials> credentials) override {
    Config config = plane_.config();
    config.credentials = std::move(credentials);
    return MakeHttpTransport(*loop_, config, ConfigSources::Real());
  }

 private:
  TestControlPlane& plane_;
  const std::unique_ptr<net::EventLoop> loop_;
  const std::unique_ptr<Transport> transport_;
};

// Goes after the last test, before the program's statics do.
class RealServerEnvironment : public testing::Environment {
 public:
  void TearDown() override { server_ = nullptr; }

  ServerUnderTest* Get(std::string* why_not) {
    if (server_ == nullptr) {
      TestControlPlane* plane = SharedControlPlane(why_not);
      if (plane == nullptr) {
        return nullptr;
      }
      auto loop = std::make_unique<net::EventLoop>("contract");
      auto transport = MakeHttpTransport(*loop, plane->config(), ConfigSources::Real());
      if (!transport.ok()) {
        *why_not = transport.status().ToString();
        ADD_FAILURE() << *why_not;
        return nullptr;
      }
      server_ = std::make_unique<RealServer>(*plane, *std::move(transport), std::move(loop));
    }
    return server_.get();
  }

 private:
  std::unique_ptr<RealServer> server_;
};

ServerUnderTest* GetRealServer(std::string* why_not) {
  // Owned by gtest.
  static auto* environment = static_cast<RealServerEnvironment*>(
      testing::AddGlobalTestEnvironment(new RealServerEnvironment));
  return environment->Get(why_not);
}

}  // namespace

std::vector<ServerKind> ServerKinds() { return {{"KubeApiserver", GetRealServer}}; }

}  // namespace hearth::kube
