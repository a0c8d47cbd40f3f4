// A control plane that also runs controllers: what an owner leaves behind is collected.
#include <gtest/gtest.h>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "kube/client/client.h"
#include "kube/model/object.h"
#include "kube/testing/control_plane.h"

namespace hearth::kube {
namespace {

TEST(ControlPlaneWithControllers, CollectsWhatAnOwnerLeavesBehind) {
  const auto binaries = KubeBinaries::Find();
  if (!binaries.ok()) {
    GTEST_SKIP() << binaries.status();
  }
  if (!RealFileSystem().Stat(binaries->controller_manager).ok()) {
    GTEST_SKIP() << "no kube-controller-manager here; "
                    "tools/kube-assets kube-controller-manager builds it";
  }
  const auto plane = TestControlPlane::Start({.controllers = {"garbage-collector-controller"}});
  ASSERT_OK(plane);
  net::EventLoop loop("garbage");
  const auto transport = MakeHttpTransport(loop, (*plane)->config(), ConfigSources::Real());
  ASSERT_OK(transport);
  Client client(**transport, RealClock());
  const auto limit = [] { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); };

  const json::Blob owner = NewObject(types::ConfigMaps(), {"default", "owner"}).ToBlob();
  const auto made = client.Create(types::ConfigMaps(), "default", owner.view(), limit());
  ASSERT_OK(made);
  json::Value child = NewObject(types::ConfigMaps(), {"default", "child"});
  const OwnerReference reference{"v1", "ConfigMap", "owner", made->meta().uid(), false, false};
  child["metadata"].Set("ownerReferences", json::Value::Array({reference.ToValue()}));
  const json::Blob body = child.ToBlob();
  ASSERT_OK(client.Create(types::ConfigMaps(), "default", body.view(), limit()));
  ASSERT_OK(client.Delete(types::ConfigMaps(), {"default", "owner"}, limit()));
  EXPECT_TRUE(Eventually([&] {
    return client.Get(types::ConfigMaps(), {"default", "child"}, limit())
        .status()
        .Is(Code::kNotFound);
  }));
}

}  // namespace
}  // namespace hearth::kube
