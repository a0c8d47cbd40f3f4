#include "agent/host/packet_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLocked = R"(-P INPUT ACCEPT
-P OUTPUT ACCEPT
-N CRIU
-N KUBE-FIREWALL
-A INPUT -j CRIU
-A INPUT -j KUBE-FIREWALL
-A OUTPUT -j CRIU
-A OUTPUT -m mark --mark 0x8000 -j DROP
-A CRIU -m mark --mark 0xc114 -j ACCEPT
-A CRIU -j DROP
)";

// Its IPv4 is locked, and it remembers what it was told.
class Machine : public ProcessRunner {
 public:
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit&) override {
    const std::string line = Join(spec.argv, " ");
    if (spec.argv[0] != "nsenter") {
      return installed ? Result<ProcessOutcome>(ProcessOutcome()) : NotFoundError("no program");
    }
    told.push_back(line);
    if (line.ends_with(failing)) {
      return ProcessOutcome{.exit_code = 4, .errors = "no"};
    }
    return ProcessOutcome{.output = line.ends_with("-- iptables -w -S") ? kLocked : ""};
  }
  std::vector<std::string> told;
  std::string failing = "nothing";
  bool installed = true;
};

TEST(PacketFilter, OnlyWhatCriuMadeIsRemoved) {
  EXPECT_THAT(RemovalOfRules(kLocked),
              ElementsAre(ElementsAre("-D", "INPUT", "-j", "CRIU"),
                          ElementsAre("-D", "OUTPUT", "-j", "CRIU"), ElementsAre("-F", "CRIU"),
                          ElementsAre("-X", "CRIU")));
  EXPECT_THAT(RemovalOfRules("-P INPUT ACCEPT\n-N CRIU-2\n-A INPUT -j CRIU-2\n\n"), IsEmpty());
  // What a container may have written.
  EXPECT_THAT(RemovalOfRules("-A FORWARD -j CRIU\n-A INPUT -m comment --comment x -j CRIU\n"
                             "-A INPUT --modprobe=/tmp/mine -j CRIU\n"),
              IsEmpty());
}

TEST(PacketFilter, IsClearedInTheNetworkOfTheContainer) {
  Machine machine;
  EXPECT_OK(ReleasePackets(machine, "/proc/7/ns/net", WaitLimit::Forever()));
  const std::string enter = "nsenter --net=/proc/7/ns/net -- ";
  EXPECT_THAT(machine.told,
              ElementsAre(enter + "iptables -w -S", enter + "iptables -w -D INPUT -j CRIU",
                          enter + "iptables -w -D OUTPUT -j CRIU", enter + "iptables -w -F CRIU",
                          enter + "iptables -w -X CRIU", enter + "ip6tables -w -S"));
}

TEST(PacketFilter, WhatCannotBeClearedIsToldAndTheOtherFamilyIsTried) {
  Machine machine;
  machine.failing = "-X CRIU";
  const Status failed = ReleasePackets(machine, "/n", WaitLimit::Forever());
  EXPECT_THAT(failed.ToString(), HasSubstr("iptables -X CRIU in /n: no"));
  EXPECT_THAT(machine.told.back(), HasSubstr("ip6tables"));
}

TEST(PacketFilter, WithoutIptablesThereIsNone) {
  Machine machine;
  machine.installed = false;
  EXPECT_OK(ReleasePackets(machine, "/n", WaitLimit::Forever()));
  EXPECT_THAT(machine.told, IsEmpty());
}

}  // namespace
}  // namespace hearth::agent
