#include "greeter_rig.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "json/yaml.h"

namespace hearth {
namespace {

std::unique_ptr<kube::Transport> Connect(net::EventLoop& loop, const kube::Config& config,
                                         const kube::HttpTransportOptions& options = {}) {
  auto transport = kube::MakeHttpTransport(loop, config, kube::ConfigSources::Real(), options);
  EXPECT_OK(transport);
  return transport.ok() ? *std::move(transport) : nullptr;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

void MemorySink::Write(LogLevel, std::string_view line) {
  const std::lock_guard lock(mutex_);
  text_.append(line);
}

std::string MemorySink::Text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

GreeterRig::GreeterRig(kube::TestControlPlane& plane, RigOptions options)
    : log_(std::make_shared<MemorySink>()),
      loop_(std::make_unique<net::EventLoop>("rig")),
      own_loop_(std::make_unique<net::EventLoop>("test-client")) {
  kube::Config own = plane.config();
  own.ca_file = plane.ca_file();  // nothing breaks it, not even a new authority
  own_transport_ = Connect(*own_loop_, own);
  client_ = std::make_unique<kube::Client>(*own_transport_, RealClock(),
                                           kube::ClientOptions{.field_manager = "test"});
  auto name_space = plane.NewNamespace("greeter");
  EXPECT_OK(name_space);
  name_space_ = name_space.ok() ? *name_space : "default";

  kube::Config config = options.config.server.host.empty() ? plane.config() : options.config;
  if (options.through_proxy) {
    auto proxy = TcpProxy::Start(config.server.port);
    EXPECT_OK(proxy);
    proxy_ = *std::move(proxy);
    config.server.port = proxy_->port();
  }
  transport_ = Connect(*loop_, config, options.transport);
  faults_ = std::make_unique<FaultyTransport>(*transport_);
  options.manager.name = "greeter";
  manager_ = controller::Manager::CreateWith(options.manager, *faults_,
                                             Logger(log_, LogFormat::kText, LogLevel::kDebug));
  greeter_ = std::make_unique<greeter::Greeter>(*manager_);
}

GreeterRig::~GreeterRig() {
  (void)Stop();
  if (testing::Test::HasFailure()) {
    const std::string log = Log();
    std::fprintf(stderr, "log of the controller, its end:\n%s\n",
                 log.substr(log.size() > 8000 ? log.size() - 8000 : 0).c_str());
  }
  manager_.reset();
  greeter_.reset();
}

void GreeterRig::Start() {
  thread_ = std::thread([this] {
    ended_ = manager_->Run(stop_.get_token());
    has_ended_ = true;
  });
}

Status GreeterRig::Stop() {
  stop_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  return ended_;
}

bool GreeterRig::AwaitReady() {
  Greet("ready-probe", {"you"});
  return AwaitGreetings("ready-probe", Expected({"you"}));
}

void GreeterRig::Greet(const std::string& name, std::vector<std::string> guests,
                       const std::string& salutation) {
  json::Value greeting = kube::NewObject(greeter::kGreetings, {name_space_, name});
  json::Value list = json::Value::Array();
  for (std::string& guest : guests) {
    list.Append(std::move(guest));
  }
  greeting.Set("spec",
               json::Value::Object({{"salutation", salutation}, {"guests", std::move(list)}}));
  const std::string body = greeting.Write();
  kube::WriteOptions options;
  options.force = true;
  // The server may be down on purpose: whoever greets insists.
  Status last;
  EXPECT_TRUE(Eventually([&] {
    last = client_
               ->Apply(greeter::kGreetings, {name_space_, name}, json::View::Trusted(body), Limit(),
                       options)
               .status();
    return last.ok();
  })) << last.ToString();
}

std::string GreeterRig::Greetings(const std::string& name) {
  const auto config_map = client_->Get(kube::types::ConfigMaps(), {name_space_, name}, Limit());
  return config_map.ok() ? config_map->view()["data"]["greetings"].StringOr("") : "";
}

std::string GreeterRig::Expected(const std::vector<std::string>& guests,
                                 const std::string& salutation) {
  std::string lines;
  for (const std::string& guest : guests) {
    lines += salutation + ", " + guest + "!\n";
  }
  return lines;
}

bool GreeterRig::AwaitGreetings(const std::string& name, const std::string& expected) {
  return Eventually([&] { return Greetings(name) == expected; });
}

void InstallGreetings(kube::TestControlPlane& plane) {
  net::EventLoop loop("install");
  const auto transport = Connect(loop, plane.config());
  kube::Client client(*transport, RealClock());
  const auto limit = WaitLimit::For(RealClock(), std::chrono::minutes(3));
  const auto crd = json::ParseYamlDocument(
      ReadText(std::string(HEARTH_SOURCE_DIR) + "/examples/greeter/crd.yaml"));
  ASSERT_OK(crd);
  const std::string body = crd->Write();
  kube::WriteOptions options;
  options.force = true;
  ASSERT_OK(client.Apply(kube::types::CustomResourceDefinitions(),
                         {"", "greetings.example.hearth.dev"}, json::View::Trusted(body), limit,
                         options));
  ASSERT_TRUE(Eventually([&] { return client.List(greeter::kGreetings, "", limit).ok(); }));
}

}  // namespace hearth
