#include "gms/server/testing/server_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/check.h"
#include "gms/device/host_device.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::server {

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::seconds(60)); }

TestClient::TestClient(const std::string& path) {
  auto channel = MessageChannel::Connect(path, Soon());
  CHECK(channel.ok()) << channel.status().ToString();
  channel_.emplace(*std::move(channel));
}

void TestClient::Ask(const HandshakeRequest& request) {
  const Status sent = channel().Send(request, Soon());
  EXPECT_TRUE(sent.ok()) << sent.ToString();
}

Result<HandshakeResponse> TestClient::Lock(const std::string& lock_type,
                                           std::optional<int64_t> timeout_ms) {
  return Call<HandshakeResponse>(
      HandshakeRequest{.lock_type = lock_type, .timeout_ms = timeout_ms});
}

Result<HandshakeResponse> TestClient::LockExtended(const std::string& lock_type) {
  return Call<HandshakeResponse>(
      HandshakeRequest{.lock_type = lock_type, .extension = kExtensionVersion, .client = "test"});
}

Result<AllocateResponse> TestClient::Allocate(int64_t size, const std::string& tag,
                                              const std::string& id) {
  return Call<AllocateResponse>(AllocateRequest{.size = size, .tag = tag, .allocation_id = id});
}

Result<UniqueFd> TestClient::Export(const std::string& id) {
  RETURN_IF_ERROR(Call<ExportAllocationResponse>(ExportAllocationRequest{id}));
  ASSIGN_OR_RETURN(auto fds, channel().TakeFds(1));
  RETURN_IF_ERROR(channel().ExpectNoFds());
  return std::move(fds[0]);
}

Status TestClient::Put(const std::string& key, const std::string& id, int64_t offset,
                       const std::string& value) {
  return ToStatus(Call<MetadataPutResponse>(MetadataPutRequest{key, id, offset, value}));
}

Status TestClient::Commit() { return ToStatus(Call<CommitResponse>(CommitRequest{})); }

Result<GetLockStateResponse> TestClient::LockState() {
  return Call<GetLockStateResponse>(GetLockStateRequest{});
}

int64_t TestClient::CountAllocations() {
  auto response = Call<GetAllocationStateResponse>(GetAllocationStateRequest{});
  EXPECT_TRUE(response.ok()) << response.status().ToString();
  return response.ok() ? response->allocation_count : -1;
}

bool TestClient::Ended() {
  for (;;) {
    const auto next = channel().ReceiveDocument(Soon());
    if (!next.ok()) {
      return next.status().Is(Code::kUnavailable);
    }
  }
}

ServerRig::ServerRig(Setup setup) {
  ServerOptions options = std::move(setup.options);
  options.directory = directory_.path();
  std::vector<DeviceSetup> devices;
  devices.reserve(static_cast<size_t>(setup.devices));
  for (int i = 0; i < setup.devices; ++i) {
    devices.push_back(setup.open ? setup.open(i) : HostDevice(i));
  }
  auto server = Server::Create(std::move(options), std::move(devices), setup.log);
  CHECK(server.ok()) << server.status().ToString();
  server_ = *std::move(server);
  const hearth::Status listening = server_->Listen();
  CHECK(listening.ok()) << listening.ToString();
  thread_ = std::thread([this] { outcome_ = server_->Run(); });
}

ServerRig::~ServerRig() { (void)Stop(); }

hearth::Status ServerRig::Stop() {
  if (thread_.joinable()) {
    server_->Stop();
  }
  return Wait();
}

hearth::Status ServerRig::Wait() {
  if (thread_.joinable()) {
    thread_.join();
    server_.reset();
  }
  return outcome_;
}

std::string ServerRig::Uuid(int ordinal) { return fmt::format("GPU-test-{}", ordinal); }

DeviceSetup ServerRig::HostDevice(int ordinal, uint64_t bytes) {
  auto device = OpenHostDevice({.ordinal = ordinal,
                                .uuid = Uuid(ordinal),
                                .budget_bytes = bytes,
                                .granularity = kGranularity});
  CHECK(device.ok()) << device.status().ToString();
  return {*std::move(device), true};
}

std::string ServerRig::Path(const std::string& tag, int device) const {
  return DomainSocketPath(directory_.path(), Uuid(device), tag);
}

std::string ServerRig::AdminPath() const { return AdminSocketPath(directory_.path()); }

GetRuntimeStateResponse ServerRig::State(const std::string& tag, int device) const {
  auto state = Connect(tag, device).Call<GetRuntimeStateResponse>(GetRuntimeStateRequest{});
  EXPECT_TRUE(state.ok()) << state.status().ToString();
  return state.ok() ? *state : GetRuntimeStateResponse{};
}

std::vector<std::string> ServerRig::Events(const std::string& tag) const {
  auto history = Connect(tag).Call<GetEventHistoryResponse>(GetEventHistoryRequest{});
  EXPECT_TRUE(history.ok()) << history.status().ToString();
  std::vector<std::string> kinds;
  for (const HistoryEvent& event : history->events) {
    kinds.push_back(event.kind);
  }
  return kinds;
}

StatusResponse ServerRig::Status() const {
  TestClient admin(AdminPath());
  auto status = admin.Call<StatusResponse>(StatusRequest{});
  EXPECT_TRUE(status.ok()) << status.status().ToString();
  return *status;
}

bool ServerRig::Eventually(const std::function<bool()>& holds) {
  const WaitLimit limit = Soon();
  while (!holds()) {
    if (limit.Expired(RealClock())) {
      return false;
    }
  }
  return true;
}

bool ServerRig::BecomesState(const std::string& state, const std::string& tag) const {
  return Eventually([&] { return State(tag).state == state; });
}

bool ServerRig::WritersWait(int64_t count) const {
  return Eventually([&] { return State().waiting_writers == count; });
}

void ServerRig::Publish(int allocations, const std::string& tag) const {
  TestClient writer = Connect(tag);
  ASSERT_TRUE(writer.Lock("rw").ok());
  for (int i = 0; i < allocations; ++i) {
    auto allocation = writer.Allocate(static_cast<int64_t>(kGranularity));
    ASSERT_TRUE(allocation.ok()) << allocation.status().ToString();
    ASSERT_TRUE(writer.Put(fmt::format("key.{:05}", i), allocation->allocation_id, 0, "v").ok());
  }
  ASSERT_TRUE(writer.Commit().ok());
}

size_t OpenFds() {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<size_t>(std::distance(Iterator("/proc/self/fd"), Iterator()));
}

}  // namespace hearth::gms::server
