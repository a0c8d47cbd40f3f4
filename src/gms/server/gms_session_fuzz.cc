// A whole session: whatever bytes a client sends after a handshake (or instead of one, when the
// first byte is odd), the server answers, refuses or hangs up, and serves the next one.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/check.h"
#include "gms/device/host_device.h"
#include "gms/protocol/message_channel.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/server.h"

namespace hearth::gms::server {
namespace {

// One server for all inputs, on a thread, until the process ends.
class Running {
 public:
  Running() {
    CHECK(::mkdtemp(directory_.data()) != nullptr);
    std::vector<DeviceSetup> devices;
    auto device =
        OpenHostDevice({.uuid = "GPU-fuzz", .budget_bytes = 1U << 20, .granularity = 4096});
    CHECK(device.ok()) << device.status().ToString();
    devices.push_back({*std::move(device), true});
    auto server = Server::Create(
        {.directory = directory_, .alloc_retry_timeout = std::chrono::milliseconds(1)},
        std::move(devices), Logger::Null());
    CHECK(server.ok() && (*server)->Listen().ok());
    server_ = *std::move(server);
    thread_ = std::thread([this] { (void)server_->Run(); });
  }
  ~Running() {
    server_->Stop();
    thread_.join();
    server_.reset();
    ::rmdir(directory_.c_str());
  }
  std::string path() const { return DomainSocketPath(directory_, "GPU-fuzz", "weights"); }

 private:
  std::string directory_ = "/tmp/gms-fuzz-XXXXXX";
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::seconds(30)); }

void Converse(const std::string& path, std::string_view bytes) {
  auto channel = MessageChannel::Connect(path, Soon());
  CHECK(channel.ok()) << channel.status().ToString();
  if (!bytes.empty() && (bytes[0] & 1) == 0) {
    // The session of the input before may still be ending; it has nothing that lasts.
    CHECK(channel->Send(HandshakeRequest{.lock_type = "rw_or_ro", .extension = 1}, Soon()).ok());
    auto lease = channel->Receive<HandshakeResponse>(Soon());
    // An input before may have put the fence up.
    CHECK(lease.ok() || ErrorCodeOf(lease.status()) == ErrorCode::kFenced)
        << lease.status().ToString();
  }
  if (bytes.size() > 1) {
    (void)channel->SendFrame(bytes.substr(1), Soon());
  }
  ::shutdown(channel->fd(), SHUT_WR);
  for (;;) {
    const auto answer = channel->ReceiveDocument(Soon());
    if (!answer.ok()) {
      CHECK(!answer.status().Is(Code::kDeadlineExceeded))
          << "the server neither answers nor closes";
      return;
    }
  }
}

}  // namespace
}  // namespace hearth::gms::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const hearth::gms::server::Running running;
  hearth::gms::server::Converse(running.path(), {reinterpret_cast<const char*>(data), size});
  return 0;
}
