#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "controller/manager.h"
#include "faulty_transport.h"
#include "greeter.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"
#include "tcp_proxy.h"

namespace hearth {

// Collects log lines, so that a test can say what happened when it fails.
class MemorySink : public LogSink {
 public:
  void Write(LogLevel level, std::string_view line) override;
  std::string Text() const;

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

struct RigOptions {
  kube::Config config;  // the control plane's when it names no server
  bool through_proxy = false;
  controller::ManagerOptions manager;
  kube::HttpTransportOptions transport;
};

// The example controller running in this process against a real API server, over a transport (and,
// when asked for, a TCP proxy) that can be broken. The test itself uses a client of its own that
// nothing breaks.
class GreeterRig {
 public:
  GreeterRig(kube::TestControlPlane& plane, RigOptions options);
  ~GreeterRig();

  void Start();
  // Asks it to stop and returns what Run returned.
  Status Stop();
  bool ended() const { return has_ended_; }  // by itself or because it was asked to
  bool AwaitReady();

  void Greet(const std::string& name, std::vector<std::string> guests,
             const std::string& salutation = "Hello");
  // The data of the ConfigMap of that name; empty when there is none.
  std::string Greetings(const std::string& name);
  static std::string Expected(const std::vector<std::string>& guests,
                              const std::string& salutation = "Hello");
  bool AwaitGreetings(const std::string& name, const std::string& expected);

  // The test's own client.
  kube::Client& client() { return *client_; }
  const std::string& name_space() const { return name_space_; }
  FaultyTransport& faults() { return *faults_; }
  TcpProxy& proxy() { return *proxy_; }
  controller::Manager& manager() { return *manager_; }
  std::string Log() const { return log_->Text(); }
  WaitLimit Limit() const { return WaitLimit::For(RealClock(), std::chrono::seconds(20)); }

 private:
  std::string name_space_;
  std::shared_ptr<MemorySink> log_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::EventLoop> own_loop_;
  std::unique_ptr<kube::Transport> own_transport_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<TcpProxy> proxy_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<FaultyTransport> faults_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<greeter::Greeter> greeter_;
  std::stop_source stop_;
  Status ended_;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

// Applies the example's CRD and waits until it is served.
void InstallGreetings(kube::TestControlPlane& plane);

}  // namespace hearth
