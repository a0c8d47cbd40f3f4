#include "kube/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::kube {
namespace {

using ::testing::HasSubstr;

// The file system as if a directory were its root.
class Rooted : public FileSystem {
 public:
  explicit Rooted(std::string root) : root_(std::move(root)) {}

  Result<std::string> Read(const std::string& path, uint64_t limit) override {
    return RealFileSystem().Read(root_ + path, limit);
  }
  Status Write(const std::string& path, std::string_view bytes, uint32_t mode) override {
    RETURN_IF_ERROR(
        RealFileSystem().MakeDirectories(root_ + path.substr(0, path.rfind('/')), 0755));
    return RealFileSystem().Write(root_ + path, bytes, mode);
  }
  Status Sync(const std::string& path) override { return RealFileSystem().Sync(root_ + path); }
  Status Rename(const std::string& from, const std::string& to) override {
    return RealFileSystem().Rename(root_ + from, root_ + to);
  }
  Status MakeDirectories(const std::string& path, uint32_t mode) override {
    return RealFileSystem().MakeDirectories(root_ + path, mode);
  }
  Status Remove(const std::string& path) override { return RealFileSystem().Remove(root_ + path); }
  Status RemoveTree(const std::string& path) override {
    return RealFileSystem().RemoveTree(root_ + path);
  }
  Result<Info> Stat(const std::string& path) override {
    return RealFileSystem().Stat(root_ + path);
  }
  Result<std::vector<std::string>> List(const std::string& path) override {
    return RealFileSystem().List(root_ + path);
  }

 private:
  const std::string root_;
};

std::string Kubeconfig(const std::string& token) {
  return "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: {server: 'https://h:1'}}]\n"
         "users: [{name: u, user: {token: " +
         token + "}}]\n";
}

class LoadConfigTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    ASSERT_OK(files_.Write(path, text, 0600));
  }
  void BePod() {
    environment_["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    environment_["KUBERNETES_SERVICE_PORT"] = "443";
    Write(kAccount + "token", "pod\n");
    Write(kAccount + "ca.crt", "CA");
    Write(kAccount + "namespace", "team\n");
  }
  Result<Config> Load(const ConfigRequest& request = {}) { return LoadConfig(request, sources_); }
  std::string TokenOf(const Result<Config>& config) {
    EXPECT_OK(config);
    return config.ok() ? config->credentials->Get(WaitLimit::Forever())->authorization : "";
  }

  const std::string kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";
  TempDirectory directory_;
  Rooted files_{directory_.path()};
  std::map<std::string, std::string> environment_{{"HOME", "/home/u"}};
  ConfigSources sources_{&files_, &RealProcessRunner(), &RealClock(),
                         [this](const std::string& name) { return environment_[name]; }};
};

TEST_F(LoadConfigTest, EachPlaceHasItsRank) {
  Write("/home/u/.kube/config", Kubeconfig("home"));
  EXPECT_EQ(TokenOf(Load()), "Bearer home");
  BePod();
  EXPECT_EQ(TokenOf(Load()), "Bearer pod");
  Write("/listed", Kubeconfig("listed"));
  environment_["KUBECONFIG"] = "/missing:/listed";
  EXPECT_EQ(TokenOf(Load()), "Bearer listed");
  Write("/flag", Kubeconfig("flag"));
  EXPECT_EQ(TokenOf(Load({.kubeconfig = "/flag"})), "Bearer flag");
}

TEST_F(LoadConfigTest, TheListIsMerged) {
  Write("/1", "current-context: a\n");
  Write("/2", Kubeconfig("two"));
  environment_["KUBECONFIG"] = ":/1:/none:/2";
  EXPECT_EQ(TokenOf(Load()), "Bearer two");
}

TEST_F(LoadConfigTest, AMissingFlagFileIsAnErrorEvenInAPod) {
  BePod();
  const auto config = Load({.kubeconfig = "/none"});
  EXPECT_CODE(Code::kNotFound, config);
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("/none"));
}

TEST_F(LoadConfigTest, AListOfMissingFilesNeverMeansTheHomeOne) {
  Write("/home/u/.kube/config", Kubeconfig("home"));
  environment_["KUBECONFIG"] = "/none";
  const auto config = Load();
  EXPECT_CODE(Code::kNotFound, config);
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("/none"));
  BePod();
  EXPECT_EQ(TokenOf(Load()), "Bearer pod");
}

TEST_F(LoadConfigTest, AskingForAContextMeansAKubeconfig) {
  Write("/home/u/.kube/config", Kubeconfig("home"));
  BePod();
  EXPECT_EQ(TokenOf(Load({.context = "a"})), "Bearer home");
}

TEST_F(LoadConfigTest, NothingAnywhereSaysWhereItLooked) {
  const auto config = Load();
  EXPECT_CODE(Code::kNotFound, config);
  const std::string message(config.status().message());
  EXPECT_THAT(message, HasSubstr("KUBERNETES_SERVICE_HOST"));
  EXPECT_THAT(message, HasSubstr("/home/u/.kube/config"));
  EXPECT_THAT(message, HasSubstr("--kubeconfig"));
}

TEST_F(LoadConfigTest, AnUnreadableFileIsNotSkipped) {
  ASSERT_OK(files_.MakeDirectories("/directory", 0755));
  environment_["KUBECONFIG"] = "/directory";
  EXPECT_FALSE(Load().ok());
  EXPECT_FALSE(Load().status().Is(Code::kNotFound));
}

TEST_F(LoadConfigTest, InClusterReadsTheServiceAccount) {
  BePod();
  ASSERT_OK_AND_ASSIGN(const Config config, InClusterConfig(sources_));
  EXPECT_EQ(config.server.ToString(), "https://10.0.0.1:443");
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_EQ(config.ca_file, kAccount + "ca.crt");
  EXPECT_EQ(config.name_space, "team");
  EXPECT_EQ(config.origin, "in-cluster");
}

TEST_F(LoadConfigTest, InClusterSpeaksIpv6) {
  BePod();
  environment_["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  ASSERT_OK_AND_ASSIGN(const Config config, InClusterConfig(sources_));
  EXPECT_EQ(config.server.host, "fd00::1");
  EXPECT_EQ(config.server.ToString(), "https://[fd00::1]:443");
}

TEST_F(LoadConfigTest, InClusterFailures) {
  EXPECT_CODE(Code::kNotFound, InClusterConfig(sources_));
  BePod();
  environment_["KUBERNETES_SERVICE_PORT"] = "http";
  EXPECT_CODE(Code::kInvalid, InClusterConfig(sources_));
  environment_["KUBERNETES_SERVICE_PORT"] = "443";
  ASSERT_OK(files_.Remove(kAccount + "ca.crt"));
  const auto without_ca = InClusterConfig(sources_);
  EXPECT_THAT(without_ca.status().ToString(), HasSubstr("CA certificate"));
  EXPECT_NE(without_ca.status().reason(), "NotInCluster");
  ASSERT_OK(files_.Remove(kAccount + "token"));
  EXPECT_EQ(InClusterConfig(sources_).status().reason(), "NotInCluster");
}

}  // namespace
}  // namespace hearth::kube
