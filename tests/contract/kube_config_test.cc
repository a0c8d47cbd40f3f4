// Kubeconfigs as a real server and kubectl know them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"

namespace hearth::kube {
namespace {

using ::testing::HasSubstr;

class KubeConfig : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
  }
  Result<ListPage> ListWith(const Config& config) {
    ASSIGN_OR_RETURN(const auto transport, MakeHttpTransport(loop_, config, ConfigSources::Real()));
    Client client(*transport, RealClock());
    return client.List(types::Namespaces(), "",
                       WaitLimit::For(RealClock(), std::chrono::minutes(3)));
  }

  net::EventLoop loop_{"config"};
  TestControlPlane* plane_ = nullptr;
};

TEST_F(KubeConfig, OneWrittenForKubectlWorksForBoth) {
  ASSERT_OK_AND_ASSIGN(const Config config, LoadConfig({.kubeconfig = plane_->kubeconfig_path()},
                                                       ConfigSources::Real()));
  ASSERT_OK_AND_ASSIGN(const ListPage page, ListWith(config));
  EXPECT_FALSE(page.items.empty());
  ASSERT_OK_AND_ASSIGN(const std::string names,
                       plane_->Kubectl({"get", "namespaces", "-o", "name"}));
  EXPECT_THAT(names, HasSubstr("namespace/" + page.items[0].meta().name()));
}

TEST_F(KubeConfig, AnExecPluginsTokenIsTaken) {
  TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "plugin", R"(#!/bin/sh
echo "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"$1\"}}"
)",
                                   0755));
  const std::string text =
      "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: '" +
      plane_->server_url() + "', certificate-authority: '" + plane_->ca_file() +
      "'}}]\nusers: [{name: u, user: {exec: {apiVersion: "
      "client.authentication.k8s.io/v1, command: ./plugin, args: ['" +
      plane_->token() + "'], interactiveMode: Never}}}]\n";
  ASSERT_OK(RealFileSystem().Write(directory / "config", text, 0600));
  ASSERT_OK_AND_ASSIGN(const Config config,
                       LoadConfig({.kubeconfig = directory / "config"}, ConfigSources::Real()));
  EXPECT_OK(ListWith(config));
}

TEST_F(KubeConfig, AnAuthorityThatDidNotSignTheServerIsRefused) {
  ASSERT_OK_AND_ASSIGN(const net::CertificatePair other,
                       net::MakeCertificate({.common_name = "other", .is_ca = true}, RealClock()));
  Config config = plane_->config();
  config.ca_pem = other.certificate_pem;
  EXPECT_CODE(Code::kUnauthenticated, ListWith(config));
}

TEST_F(KubeConfig, AnswersMayBeCompressed) {
  Config config = plane_->config();
  config.compress = true;
  ASSERT_OK_AND_ASSIGN(const auto transport,
                       MakeHttpTransport(loop_, config, ConfigSources::Real()));
  Client client(*transport, RealClock());
  http::Request request;
  // Large enough for the server to compress it.
  request.target = "/openapi/v3/api/v1";
  ASSERT_OK_AND_ASSIGN(const http::Response answer,
                       client.Raw(request, WaitLimit::For(RealClock(), std::chrono::minutes(3))));
  EXPECT_GT(answer.body.size(), 500'000u);
  EXPECT_TRUE(answer.body.starts_with("{"));
}

}  // namespace
}  // namespace hearth::kube
