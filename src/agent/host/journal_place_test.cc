#include "agent/host/journal_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::HasSubstr;

constexpr const char* kPlace = "/run/hearth/journal";

std::string InContainer(const std::string& more = "") {
  return "100 1 0:50 / / rw - overlay overlay rw,upperdir=/u\n"
         "101 100 0:51 / /proc rw - proc proc rw\n" +
         more;
}

TEST(JournalPlace, OfAMachineIsKept) {
  EXPECT_OK(CheckOutlivesContainer("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n", kPlace));
  EXPECT_OK(CheckOutlivesContainer(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:20 / /run rw - tmpfs tmpfs rw\n", kPlace));
}

TEST(JournalPlace, OfTheNodeIsKept) {
  EXPECT_OK(CheckOutlivesContainer(
      InContainer("102 100 0:20 /hearth /run/hearth rw - tmpfs tmpfs rw\n"), kPlace));
  EXPECT_OK(CheckOutlivesContainer(
      InContainer("102 100 8:1 /var/hearth /run/hearth rw - ext4 /dev/sda1 rw\n"), kPlace));
}

// What a DaemonSet without a volume for it has.
TEST(JournalPlace, InTheContainersOwnLayerIsLostWithIt) {
  const Status status = CheckOutlivesContainer(InContainer(), kPlace);
  EXPECT_CODE(Code::kInvalid, status);
  EXPECT_THAT(status.message(), HasSubstr("with the agent's container"));
  EXPECT_THAT(status.message(), HasSubstr(kPlace));
  // A name that only begins the same.
  EXPECT_CODE(Code::kInvalid,
              CheckOutlivesContainer(
                  InContainer("102 100 0:20 /hearth /run/hear rw - tmpfs tmpfs rw\n"), kPlace));
}

// A rolling update makes a new pod.
TEST(JournalPlace, OfThePodIsLostWithIt) {
  for (const char* const mount :
       {"102 100 8:1 /var/lib/kubelet/pods/u/volumes/kubernetes.io~empty-dir/j /run/hearth rw - "
        "ext4 /dev/sda1 rw\n",
        "102 100 0:77 / /run rw - tmpfs tmpfs rw\n"}) {
    const Status status = CheckOutlivesContainer(InContainer(mount), kPlace);
    EXPECT_CODE(Code::kInvalid, status);
    EXPECT_THAT(status.message(), HasSubstr("with the agent's pod"));
  }
}

TEST(JournalPlace, TheLastMountAtAPlaceCounts) {
  EXPECT_CODE(
      Code::kInvalid,
      CheckOutlivesContainer(InContainer("102 100 0:20 /hearth /run/hearth rw - tmpfs tmpfs rw\n"
                                         "103 102 0:78 / /run/hearth rw - tmpfs tmpfs rw\n"),
                             kPlace));
}

}  // namespace
}  // namespace hearth::agent
