#include "agent/kubelet/pod_resources.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "agent/kubelet/wire/pod_resources.grpc.pb.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kA = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
constexpr const char* kB = "GPU-bbbbbbbb-0000-0000-0000-000000000000";

// A kubelet with one pod.
class Kubelet : public v1::PodResourcesLister::Service {
 public:
  explicit Kubelet(const std::string& socket) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Kubelet() override { server_->Shutdown(std::chrono::system_clock::now()); }

  grpc::Status List(grpc::ServerContext*, const v1::ListPodResourcesRequest*,
                    v1::ListPodResourcesResponse* answer) override {
    v1::PodResources& pod = *answer->add_pod_resources();
    pod.set_name("p");
    pod.set_namespace_("ns");
    v1::ContainerResources& container = *pod.add_containers();
    container.set_name("main");
    for (const char* const id : {kB, kA}) {
      v1::ContainerDevices& devices = *container.add_devices();
      devices.set_resource_name("nvidia.com/gpu");
      devices.add_device_ids(id);
    }
    v1::ContainerDevices& other = *container.add_devices();
    other.set_resource_name("rdma/hca");
    other.add_device_ids("hca-0");
    pod.add_containers()->set_name("sidecar");
    return grpc::Status::OK;
  }

 private:
  std::unique_ptr<grpc::Server> server_;
};

class PodResourcesTest : public testing::Test {
 protected:
  Result<std::vector<std::string>> Of(const char* name_space, const char* pod,
                                      const char* container) {
    return devices_->Of(name_space, pod, container, "nvidia.com/gpu",
                        WaitLimit::For(RealClock(), std::chrono::minutes(1)));
  }
  TempDirectory directory_;
  std::string socket_ = directory_ / "kubelet.sock";
  std::unique_ptr<cuda::AssignedDevices> devices_ =
      MakePodResources({.socket = socket_}, RealClock());
};

// A90: what the kubelet gave, of that resource only.
TEST_F(PodResourcesTest, AreThoseOfTheContainer) {
  const Kubelet kubelet(socket_);
  EXPECT_THAT(*Of("ns", "p", "main"), ElementsAre(kB, kA));
  EXPECT_THAT(*Of("ns", "p", "sidecar"), IsEmpty());
  EXPECT_CODE(Code::kNotFound, Of("other", "p", "main"));
  EXPECT_CODE(Code::kNotFound, Of("ns", "other", "main"));
  EXPECT_CODE(Code::kNotFound, Of("ns", "p", "other"));
}

TEST_F(PodResourcesTest, AKubeletThatIsAwayIsTold) {
  const auto away = Of("ns", "p", "main");
  EXPECT_EQ(away.status().code(), Code::kUnavailable);
  EXPECT_THAT(away.status().ToString(), HasSubstr(socket_));
}

TEST_F(PodResourcesTest, NameTheGpusOfAContainer) {
  const Kubelet kubelet(socket_);
  cuda::GpuDiscovery discovery(nullptr, devices_.get(), nullptr);
  EXPECT_THAT(*discovery.Find({.pod_namespace = "ns", .pod = "p", .container = "main"},
                              WaitLimit::For(RealClock(), std::chrono::minutes(1))),
              ElementsAre(kB, kA));
}

}  // namespace
}  // namespace hearth::agent
