// The checkpoint fence over both sockets of a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "base/testing/status_matchers.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using testing::HasSubstr;

constexpr unsigned kManyFds = 400;

// From now on, for this thread and those that it starts, the kernel watches no more descriptors
// from kManyFds on: as if the user had too many watches.
bool RefuseWatches() {
  constexpr auto kArgument = [](size_t i) {
    return static_cast<unsigned>(offsetof(seccomp_data, args) + i * sizeof(uint64_t));
  };
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_ctl, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArgument(1)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EPOLL_CTL_ADD, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArgument(2)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kManyFds, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(rules), .filter = rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Takes all descriptors below kManyFds.
std::vector<UniqueFd> TakeLowFds() {
  std::vector<UniqueFd> taken;
  do {
    taken.emplace_back(::dup(STDERR_FILENO));
  } while (taken.back().valid() && taken.back().get() + 1 < static_cast<int>(kManyFds));
  return taken;
}

class FenceTest : public testing::Test {
 protected:
  template <typename Request>
  Result<CheckpointStateResponse> Ask(const Request& request, const std::string& tag = "weights") {
    TestClient client = rig_.Connect(tag);
    auto answer = client.Call<CheckpointStateResponse>(request);
    EXPECT_TRUE(client.Ended());
    return answer;
  }
  std::string Token() {
    auto ready = Ask(PrepareCheckpointRequest{});
    EXPECT_OK(ready);
    return ready.ok() ? ready->token.value_or("") : "";
  }
  void ExpectBlocked(const std::string& words) {
    const auto refused = Ask(PrepareCheckpointRequest{});
    EXPECT_THAT(refused.status().message(), HasSubstr(words));
    EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kFenceConflict));
  }
  ServerRig rig_;
};

// G01
TEST_F(FenceTest, WhileItIsUpNobodyIsAdmittedOnEitherSocket) {
  rig_.Publish();
  ASSERT_OK_AND_ASSIGN(const auto ready, Ask(PrepareCheckpointRequest{}));
  EXPECT_EQ(ready.state, "checkpoint_ready");
  ASSERT_TRUE(ready.token);
  ASSERT_OK_AND_ASSIGN(const auto again, Ask(PrepareCheckpointRequest{}, "kv_cache"));
  EXPECT_EQ(again.token, ready.token);
  for (const auto& [tag, mode] : {std::pair("weights", "ro"), std::pair("kv_cache", "rw")}) {
    TestClient client = rig_.Connect(tag);
    const auto refused = client.Lock(mode);
    EXPECT_THAT(refused.status().message(), HasSubstr("GMS admission is fenced for checkpoint"));
    EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kFenced));
    EXPECT_TRUE(client.Ended());
    ASSERT_OK_AND_ASSIGN(const auto state, Ask(GetCheckpointStateRequest{}, tag));
    EXPECT_EQ(state.token, ready.token);
  }
}

// G02
TEST_F(FenceTest, OnlyItsTokenTakesItDownAndAgainIsFine) {
  rig_.Publish();
  const std::string token = Token();
  EXPECT_THAT(Ask(AbortCheckpointRequest{"other"}).status().message(),
              HasSubstr("checkpoint token does not match the prepared checkpoint"));
  EXPECT_THAT(Ask(AbortCheckpointRequest{""}).status().message(),
              HasSubstr("checkpoint token must not be empty"));
  ASSERT_OK_AND_ASSIGN(const auto still, Ask(GetCheckpointStateRequest{}));
  EXPECT_EQ(still.state, "checkpoint_ready");
  ASSERT_OK_AND_ASSIGN(const auto aborted, Ask(AbortCheckpointRequest{token}));
  EXPECT_EQ(aborted.state, "serving");
  EXPECT_FALSE(aborted.token);
  EXPECT_OK(Ask(AbortCheckpointRequest{token}));
  EXPECT_THAT(Ask(CompleteRestoreRequest{token}).status().message(),
              HasSubstr("checkpoint token is stale or already resolved"));
  const std::string next = Token();
  EXPECT_NE(next, token);
  EXPECT_FALSE(Ask(AbortCheckpointRequest{token}).ok());
}

// G03
TEST_F(FenceTest, CompletingIsRetrySafe) {
  rig_.Publish();
  const std::string token = Token();
  EXPECT_OK(Ask(CompleteRestoreRequest{token}));
  EXPECT_OK(Ask(CompleteRestoreRequest{token}));
  EXPECT_THAT(Ask(AbortCheckpointRequest{token}).status().message(), HasSubstr("stale"));
  TestClient reader = rig_.Connect();
  EXPECT_OK(reader.Lock("ro", 0));
}

// G04
TEST_F(FenceTest, ItDoesNotGoUpWhileAnythingIsInTheWay) {
  ExpectBlocked("weights must be committed before checkpoint");
  rig_.Publish();
  {
    TestClient reader = rig_.Connect();
    ASSERT_OK(reader.Lock("ro"));
    ExpectBlocked("weights has active or waiting sessions");
    TestClient writer = rig_.Connect();
    writer.Ask("rw");
    ASSERT_TRUE(rig_.WritersWait(1));
    ExpectBlocked("weights has active or waiting sessions");
  }
  ASSERT_TRUE(rig_.BecomesState("COMMITTED"));
  {
    TestClient writer = rig_.Connect("kv_cache");
    ASSERT_OK(writer.Lock("rw"));
    ExpectBlocked("kv_cache has active or waiting sessions");
    ASSERT_OK(writer.Allocate(1));
    ASSERT_OK(writer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  }
  ASSERT_TRUE(rig_.BecomesState("LAYOUT_COMMITTED", "kv_cache"));
  ExpectBlocked("kv_cache must be empty before checkpoint");
  rig_.Publish(1, "kv_cache");
  ExpectBlocked("kv_cache must not be committed before checkpoint");
}

// G05: of those that come at the same time as the fence, each is before it or is turned away.
TEST_F(FenceTest, AHandshakeThatRacesItDoesNotPass) {
  rig_.Publish();
  for (int round = 0; round < 50; ++round) {
    TestClient reader = rig_.Connect();
    TestClient controller = rig_.Connect();
    ASSERT_OK(controller.channel().Send(PrepareCheckpointRequest{}, Soon()));
    reader.Ask("ro");
    const auto lease = reader.Answer();
    const auto fence = controller.channel().Receive<CheckpointStateResponse>(Soon());
    EXPECT_NE(lease.ok(), fence.ok()) << "exactly one of them";
    if (fence.ok()) {
      ASSERT_OK(Ask(AbortCheckpointRequest{*fence->token}));
    } else {
      reader.Close();
      ASSERT_TRUE(rig_.BecomesState("COMMITTED"));
    }
  }
}

CheckpointStateResponse StateOf(const ServerRig& rig) {
  const auto state = rig.Connect().Call<CheckpointStateResponse>(GetCheckpointStateRequest{});
  EXPECT_OK(state);
  return state.ok() ? *state : CheckpointStateResponse{};
}

// Nobody would notice its end; one that another process has put up stays.
void AskWithoutWatches() {
  if (!RefuseWatches()) {
    GTEST_SKIP() << "a kernel that refuses needs the right to filter calls";
  }
  const ServerRig rig;
  const size_t idle = OpenFds();
  rig.Publish();
  for (const char* before : {"serving", "checkpoint_ready"}) {
    SCOPED_TRACE(before);
    // Those before are closed and there is one allocation; only then does the count tell that the
    // next one is accepted.
    ASSERT_TRUE(ServerRig::Eventually([&] { return OpenFds() == idle + 1; }));
    TestClient controller = rig.Connect();
    ASSERT_TRUE(ServerRig::Eventually([&] { return OpenFds() == idle + 3; }));
    {
      const std::vector<UniqueFd> taken = TakeLowFds();
      const auto refused =
          controller.Call<CheckpointStateResponse>(PrepareCheckpointRequest{.bound_to_peer = true});
      EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kLimitReached));
      EXPECT_THAT(refused.status().message(), HasSubstr("ask with deadline_ms"));
    }
    EXPECT_EQ(StateOf(rig).state, before);
    ASSERT_OK(rig.Connect().Call<CheckpointStateResponse>(PrepareCheckpointRequest{}));
  }
}

TEST(Fence, DoesNotGoUpForAProcessThatCannotBeWatched) { std::thread(AskWithoutWatches).join(); }

// W-56
TEST_F(FenceTest, ItComesDownAtItsDeadline) {
  rig_.Publish();
  ASSERT_OK(Ask(PrepareCheckpointRequest{.deadline_ms = 20}));
  EXPECT_TRUE(ServerRig::Eventually([&] {
    auto state = Ask(GetCheckpointStateRequest{});
    return state.ok() && state->state == "serving";
  }));
}

}  // namespace
}  // namespace hearth::gms::server
