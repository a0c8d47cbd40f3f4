#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/parse.h"
#include "snapshot_rig.h"
#include "talk.h"

namespace hearth::node {

// Containers of runc with the server of server.cc in them, or whatever else.
class ServerTest : public SnapshotTest {
 protected:
  void SetUp() override {
    SnapshotTest::SetUp();
    if (!IsSkipped()) {
      std::filesystem::copy_file(SERVER_PROGRAM, rig_->directory() / "lower/bin/server");
    }
  }
  Result<std::unique_ptr<ContainerRig>> MakeRig() override {
    auto rig = std::make_unique<RuncRig>();
    runc_ = rig.get();
    return rig;
  }
  int PidOf(const std::string& container) { return runtime_->Find(container, Enough())->pid; }

  Result<ContainerRig::Started> StartServer(const std::string& name,
                                            const std::vector<std::string>& options) {
    // A folder where CRIU finds what inotify watches.
    std::vector<std::string> argv = {"/bin/server", "/snapshot-control/api.sock", "/etc"};
    argv.insert(argv.end(), options.begin(), options.end());
    return rig_->Start(name, argv);
  }
  // Captures the container and ends it; then it is in a new one, which is the answer.
  Result<ContainerRig::Started> Move(const ContainerRig::Started& from, const std::string& to) {
    RETURN_IF_ERROR(Capture(from.id, from.id).status());
    rig_->Kill(from);
    ASSIGN_OR_RETURN(ContainerRig::Started placeholder, StartPlaceholder(to));
    RETURN_IF_ERROR(Restore(to, from.id).status());
    return placeholder;
  }

  // What the server says of itself.
  static Result<json::Value> Ask(const ContainerRig::Started& server) {
    ASSIGN_OR_RETURN(const UniqueFd connection, ConnectTo(server.socket));
    ASSIGN_OR_RETURN(const std::string said, Exchange(connection, "", ""));
    return json::ParseValue(said);
  }
  static int64_t Number(const json::Value& said, std::string_view name) {
    return said.Find(name)->Int().value_or(-1);
  }
  static std::string Text(const json::Value& said, std::string_view name) {
    return said.Find(name)->StringOr("");
  }
  // Of its TCP connections within, "local peer".
  static std::vector<std::string> Pairs(const json::Value& said) {
    std::vector<std::string> pairs;
    for (const json::Value& pair : said.Find("pairs")->items()) {
      pairs.push_back(pair.string());
    }
    return pairs;
  }

  RuncRig* runc_ = nullptr;
};

}  // namespace hearth::node
