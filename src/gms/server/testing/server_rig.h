#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/temp_directory.h"
#include "gms/protocol/message_channel.h"
#include "gms/server/server.h"

namespace hearth::gms::server {

// Long enough for any answer that is going to come.
WaitLimit Soon();

// A client that speaks messages and nothing more, over a real socket.
class TestClient {
 public:
  explicit TestClient(const std::string& path);

  // Sends the handshake without waiting for the grant.
  void Ask(const HandshakeRequest& request);
  void Ask(const std::string& lock_type) { Ask(HandshakeRequest{.lock_type = lock_type}); }
  Result<HandshakeResponse> Answer() { return channel().Receive<HandshakeResponse>(Soon()); }
  Result<HandshakeResponse> Lock(const std::string& lock_type,
                                 std::optional<int64_t> timeout_ms = std::nullopt);
  // The same as a client of the extension.
  Result<HandshakeResponse> LockExtended(const std::string& lock_type);

  template <typename Response, typename Request>
  Result<Response> Call(const Request& request) {
    return channel().Call<Response>(request, Soon());
  }
  Result<AllocateResponse> Allocate(int64_t size, const std::string& tag = "weights",
                                    const std::string& id = "");
  Result<UniqueFd> Export(const std::string& id);
  Status Put(const std::string& key, const std::string& id, int64_t offset,
             const std::string& value);
  Status Commit();
  Result<GetLockStateResponse> LockState();
  int64_t CountAllocations();

  void Close() { channel_.reset(); }
  // Whether the server ended the connection, after whatever it said.
  bool Ended();
  MessageChannel& channel() { return *channel_; }

 private:
  std::optional<MessageChannel> channel_;
};

// A server with host devices in a directory of its own, running on a thread.
class ServerRig {
 public:
  static constexpr uint64_t kGranularity = 4096;
  static constexpr uint64_t kDeviceBytes = 1U << 20;

  struct Setup {
    int devices = 1;
    ServerOptions options = {};
    // Instead of host devices.
    std::function<DeviceSetup(int ordinal)> open = {};
    Logger log = Logger::Null();
  };
  ServerRig() : ServerRig(Setup{}) {}
  explicit ServerRig(Setup setup);
  ~ServerRig();
  ServerRig(const ServerRig&) = delete;
  ServerRig& operator=(const ServerRig&) = delete;

  static DeviceSetup HostDevice(int ordinal, uint64_t bytes = kDeviceBytes);
  static std::string Uuid(int ordinal);

  std::string Path(const std::string& tag = "weights", int device = 0) const;
  std::string AdminPath() const;
  const std::string& directory() const { return directory_.path(); }
  TestClient Connect(const std::string& tag = "weights", int device = 0) const {
    return TestClient(Path(tag, device));
  }
  // What a probe says.
  GetRuntimeStateResponse State(const std::string& tag = "weights", int device = 0) const;
  std::vector<std::string> Events(const std::string& tag = "weights") const;
  StatusResponse Status() const;
  // Asks until it holds; false when it does not come true.
  static bool Eventually(const std::function<bool()>& holds);
  bool BecomesState(const std::string& state, const std::string& tag = "weights") const;
  bool WritersWait(int64_t count) const;
  // A committed generation of that many allocations of 4 KiB, with one key each.
  void Publish(int allocations = 1, const std::string& tag = "weights") const;

  // Until it ends by itself; what Run said.
  hearth::Status Wait();
  // Ends it; the same.
  hearth::Status Stop();

 private:
  TempDirectory directory_;
  std::unique_ptr<Server> server_;
  hearth::Status outcome_;
  std::thread thread_;
};

size_t OpenFds();

}  // namespace hearth::gms::server
