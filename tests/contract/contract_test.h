#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <ostream>
#include <string>

#include "base/testing/status_matchers.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "servers.h"

namespace hearth::kube {

// Each test has a namespace of its own.
class ContractTest : public testing::TestWithParam<ServerKind> {
 protected:
  void SetUp() override {
    std::string why_not;
    server_ = GetParam().get(&why_not);
    if (server_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    client_ = std::make_unique<Client>(server_->transport(), RealClock(), Options());
    static std::atomic<int> count = 0;
    name_space_ = "contract-" + std::to_string(++count);
    const json::Blob body = NewObject(types::Namespaces(), {"", name_space_}).ToBlob();
    ASSERT_OK(client().Create(types::Namespaces(), "", body.view(), Limit()));
  }

  virtual ClientOptions Options() { return {}; }
  Client& client() { return *client_; }
  ServerUnderTest& server() { return *server_; }
  const std::string& name_space() const { return name_space_; }
  ObjectKey Key(const std::string& name) const { return {name_space_, name}; }
  static WaitLimit Limit() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

  // A ConfigMap to create, with one value.
  json::Value ConfigMap(const std::string& name, const std::string& value = "v") const {
    json::Value map = NewObject(types::ConfigMaps(), Key(name));
    map.MakePath("data.k") = value;
    return map;
  }
  Result<Object> Create(const ResourceType& type, const json::Value& object,
                        const WriteOptions& options = {}) {
    const json::Blob body = object.ToBlob();
    return client().Create(type, name_space_, body.view(), Limit(), options);
  }
  Result<Object> Update(const ResourceType& type, const json::Value& object,
                        const WriteOptions& options = {}) {
    const json::Blob body = object.ToBlob();
    return client().Update(type, Meta(body.view()).key(), body.view(), Limit(), options);
  }
  Result<Object> Patch(const ResourceType& type, const std::string& name, PatchType patch,
                       const json::Value& change, const WriteOptions& options = {}) {
    const json::Blob body = change.ToBlob();
    return client().Patch(type, Key(name), patch, body.view(), Limit(), options);
  }
  Result<Object> Get(const std::string& name) {
    return client().Get(types::ConfigMaps(), Key(name), Limit());
  }

 private:
  ServerUnderTest* server_ = nullptr;
  std::unique_ptr<Client> client_;
  std::string name_space_;
};

inline void PrintTo(const ServerKind& kind, std::ostream* out) { *out << kind.name; }

inline std::string ServerName(const testing::TestParamInfo<ServerKind>& info) {
  return info.param.name;
}

}  // namespace hearth::kube

// Runs a fixture against every server.
#define INSTANTIATE_CONTRACT(Fixture) \
  INSTANTIATE_TEST_SUITE_P(Servers, Fixture, testing::ValuesIn(ServerKinds()), ServerName)
