// What containers have open to others and among themselves, restored elsewhere and side by side.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "base/strings.h"
#include "pod_network.h"
#include "server_rig.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"

namespace hearth::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kSource = "10.77.0.4";
constexpr const char* kTarget = "10.77.1.5";
constexpr const char* kOutside = "10.77.9.9";

class SocketsTest : public ServerTest {
 protected:
  std::string FilesImage(const std::string& id) {
    return RealFileSystem().Read(ArtifactOf(id) + "/files.img", 16 << 20).value_or("");
  }
  // Every byte of the artifact is as it was sealed.
  bool IsIntact(const std::string& id) {
    const auto artifact = snapshot::Artifact::Open(ArtifactOf(id));
    const auto report = snapshot::VerifyFiles(*artifact, {}, Enough());
    return report.ok() && report->damages.empty();
  }
  // Nothing of ours is mounted in the container, or left in it.
  void ExpectTidy(const ContainerRig::Started& container) {
    std::error_code error;  // there is none
    for (const auto& entry : std::filesystem::directory_iterator(container.upper + "/tmp", error)) {
      ADD_FAILURE() << entry.path();
    }
    const auto mounts = agent::ProcReader().MountInfo(PidOf(container.id));
    EXPECT_EQ(mounts->find("checkpoint"), std::string::npos) << *mounts;
  }
};

// A85, A86, P12
TEST_F(SocketsTest, ComeToTheAddressOfTheNewPod) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork old_pod, PodNetwork::Make({kSource, kOutside}));
  ASSERT_OK_AND_ASSIGN(const PodNetwork new_pod, PodNetwork::Make({kTarget}));
  ASSERT_OK_AND_ASSIGN(const UniqueFd outside, old_pod.Listen(kOutside));
  const std::string peer = fmt::format("{}:{}", kOutside, PortOf(outside));
  runc_->Use({.network = old_pod.path()});
  ASSERT_OK_AND_ASSIGN(
      const auto source,
      StartServer("source", {fmt::format("serve={}", kSource), fmt::format("pair={}", kSource),
                             "pair=127.0.0.1", fmt::format("pair=::ffff:{}", kSource),
                             fmt::format("outside={},{}", kOutside, PortOf(outside))}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  const UniqueFd accepted(::accept4(outside.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(Text(before, "outside"), fmt::format("{},{}", kOutside, PortOf(outside)));
  EXPECT_EQ(Number(before, "echoes"), 4);
  ASSERT_OK(Capture("source", "snap", {kSource}).status());
  rig_->Kill(source);

  runc_->Use({.network = new_pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("placeholder", "snap", "team", {kTarget}));
  EXPECT_EQ(restored.dropped_connections, 1U);
  EXPECT_THAT(restored.dropped_peers, ElementsAre(peer));
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(placeholder));
  EXPECT_EQ(Text(after, "token"), Text(before, "token"));
  EXPECT_EQ(Text(after, "outside"), "") << "it knows that it has none";
  EXPECT_EQ(Number(after, "echoes"), 8) << "the connections within go on";
  ASSERT_THAT(Pairs(after), SizeIs(3));
  EXPECT_THAT(Pairs(after)[0], StartsWith(kTarget));
  EXPECT_THAT(Pairs(after)[1], StartsWith("127.0.0.1"));
  EXPECT_THAT(Pairs(after)[2], StartsWith(std::string("::ffff:") + kTarget));
  // It listens at the new address, and at the same port.
  const std::string port = Text(before, "listener").substr(std::string(kSource).size());
  EXPECT_EQ(Text(after, "listener"), kTarget + port);
  ASSERT_OK_AND_ASSIGN(
      const UniqueFd client,
      ConnectIn(PidOf("placeholder"), kTarget, static_cast<uint16_t>(std::stoi(port.substr(1)))));
  ASSERT_OK_AND_ASSIGN(const std::string served, Exchange(client, "", "\n"));
  EXPECT_THAT(served, testing::EndsWith(" 1\n"));
  EXPECT_TRUE(IsIntact("snap"));
  ExpectTidy(placeholder);
}

TEST_F(SocketsTest, OfIpv6ComeToTheAddressOfTheNewPod) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork old_pod, PodNetwork::Make({"fd77::4"}));
  ASSERT_OK_AND_ASSIGN(const PodNetwork new_pod, PodNetwork::Make({"fd77::5"}));
  runc_->Use({.network = old_pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto source,
                       StartServer("source", {"serve=fd77::4", "pair=fd77::4", "pair=::1"}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  ASSERT_OK(Capture("source", "snap", {"fd77::4"}).status());
  runc_->Use({.network = new_pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("placeholder", "snap", "team", {"fd77::5"}));
  EXPECT_EQ(restored.dropped_connections, 0U);
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(placeholder));
  EXPECT_EQ(Text(after, "token"), Text(before, "token"));
  EXPECT_EQ(Number(after, "echoes"), 6);
  EXPECT_THAT(Text(after, "listener"), StartsWith("fd77::5,"));
  ASSERT_THAT(Pairs(after), SizeIs(2));
  EXPECT_THAT(Pairs(after)[0], StartsWith("fd77::5,"));
}

// P12: a pod that has both.
TEST_F(SocketsTest, OfBothFamiliesComeToTheAddressesOfTheNewPod) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork old_pod, PodNetwork::Make({kSource, "fd77::4"}));
  ASSERT_OK_AND_ASSIGN(const PodNetwork new_pod, PodNetwork::Make({kTarget, "fd77::5"}));
  runc_->Use({.network = old_pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto source, StartServer("source", {"serve=fd77::4", "pair=fd77::4",
                                                                 fmt::format("pair={}", kSource)}));
  ASSERT_OK(Ask(source).status());
  ASSERT_OK(Capture("source", "snap", {kSource, "fd77::4"}).status());
  runc_->Use({.network = new_pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK(Restore("placeholder", "snap", "team", {kTarget, "fd77::5"}).status());
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(placeholder));
  EXPECT_THAT(Text(after, "listener"), StartsWith("fd77::5,"));
  ASSERT_THAT(Pairs(after), SizeIs(2));
  EXPECT_THAT(Pairs(after)[0], StartsWith("fd77::5,"));
  EXPECT_THAT(Pairs(after)[1], StartsWith(kTarget));
}

// A86: two at once, beside the original, all in one network.
TEST_F(SocketsTest, CopiesInOneNetworkDoNotCollide) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork pod, PodNetwork::Make({kSource, kOutside}));
  ASSERT_OK_AND_ASSIGN(const UniqueFd outside, pod.Listen(kOutside));
  runc_->Use({.network = pod.path()});
  ASSERT_OK_AND_ASSIGN(
      const auto source,
      StartServer("source", {fmt::format("pair={}", kSource), "pair=127.0.0.1", "closed",
                             fmt::format("outside={},{}", kOutside, PortOf(outside))}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  ASSERT_OK(Capture("source", "snap", {kSource}).status());
  const std::string image = FilesImage("snap");
  const std::vector<std::string> names = {"copy-a", "copy-b"};
  std::vector<ContainerRig::Started> copies;
  for (const std::string& name : names) {
    ASSERT_OK_AND_ASSIGN(copies.emplace_back(), StartPlaceholder(name));
  }
  std::vector<std::future<Result<agent::RestoredContainer>>> restores;
  restores.reserve(names.size());
  for (const std::string& name : names) {
    restores.push_back(
        std::async(std::launch::async, [&] { return Restore(name, "snap", "team", {kSource}); }));
  }
  for (auto& restore : restores) {
    const auto restored = restore.get();
    ASSERT_OK(restored.status());
    EXPECT_EQ(restored->dropped_connections, 1U);
  }
  std::set<std::string> pairs;
  for (const auto& server : {source, copies[0], copies[1]}) {
    ASSERT_OK_AND_ASSIGN(const json::Value said, Ask(server));
    EXPECT_EQ(Text(said, "token"), Text(before, "token"));
    EXPECT_EQ(Number(said, "requests"), 2);
    EXPECT_EQ(Number(said, "echoes"), 6) << server.id;
    for (const std::string& pair : Pairs(said)) {
      EXPECT_TRUE(pairs.insert(pair).second) << pair << " is another's, too";
    }
  }
  EXPECT_THAT(pairs, SizeIs(6));
  EXPECT_EQ(FilesImage("snap"), image) << "the artifact is nobody's to change";
  for (const auto& copy : copies) {
    ExpectTidy(copy);
  }
}

// A86, A87: also after a failure all goes, once, and the next try is good.
TEST_F(SocketsTest, AFailedRestoreLeavesNothingBehind) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork pod, PodNetwork::Make({kSource}));
  runc_->Use({.network = pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto source,
                       StartServer("source", {"serve=0.0.0.0", "pair=127.0.0.1", "closed"}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  const auto collided = Restore("placeholder", "snap");
  EXPECT_CODE(Code::kInternal, collided);  // the original listens there
  ExpectTidy(placeholder);
  rig_->Kill(source);
  ASSERT_OK(Restore("placeholder", "snap").status());
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(placeholder));
  EXPECT_EQ(Text(after, "listener"), Text(before, "listener"));
  ExpectTidy(placeholder);
}

}  // namespace
}  // namespace hearth::node
