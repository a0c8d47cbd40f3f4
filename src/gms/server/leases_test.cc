// Leases and the store, as existing clients see them: over real sockets, with their messages only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Keys(TestClient& client) {
  auto keys = client.Call<MetadataListResponse>(MetadataListRequest{});
  EXPECT_OK(keys);
  return keys->keys;
}

std::string HashOf(TestClient& client) {
  auto hash = client.Call<GetMemoryLayoutHashResponse>(GetMemoryLayoutHashRequest{});
  EXPECT_OK(hash);
  return hash->memory_layout_hash;
}

// A01
TEST(Leases, AReaderSeesExactlyWhatTheWriterCommitted) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  ASSERT_OK(writer.Put("tensor.0", made.allocation_id, 0, "weights"));
  ASSERT_OK(writer.Commit());
  EXPECT_TRUE(writer.Ended());

  TestClient reader = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto lease, reader.Lock("ro"));
  EXPECT_TRUE(lease.committed);
  EXPECT_EQ(lease.granted_lock_type, "ro");
  EXPECT_EQ(reader.CountAllocations(), 1);
  ASSERT_OK_AND_ASSIGN(const auto metadata,
                       reader.Call<MetadataGetResponse>(MetadataGetRequest{"tensor.0"}));
  EXPECT_TRUE(metadata.found);
  EXPECT_EQ(metadata.allocation_id, made.allocation_id);
  EXPECT_EQ(metadata.offset_bytes, 0);
  EXPECT_EQ(metadata.value, "weights");
  EXPECT_EQ(HashOf(reader), "a91673679f59e4770c39bb1a990dc65ef26e4ce34836cd9bc445c5841d555ce2");
  reader.Close();
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
}

// A02
TEST(Leases, NothingIsLeftOfAWriterThatIsCutOff) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  ASSERT_OK(writer.Put("k", made.allocation_id, 0, "v"));
  writer.Close();
  EXPECT_TRUE(rig.BecomesState("EMPTY"));
  TestClient next = rig.Connect();
  ASSERT_OK(next.Lock("rw"));
  EXPECT_EQ(next.CountAllocations(), 0);
  EXPECT_THAT(Keys(next), IsEmpty());
}

// A03
TEST(Leases, WhoeverTakesWhatItGetsWritesFirstAndReadsLater) {
  ServerRig rig;
  TestClient first = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto writing, first.Lock("rw_or_ro"));
  EXPECT_EQ(writing.granted_lock_type, "rw");
  EXPECT_FALSE(writing.committed);
  ASSERT_OK(first.Allocate(1));
  ASSERT_OK(first.Commit());
  TestClient second = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto reading, second.Lock("rw_or_ro"));
  EXPECT_EQ(reading.granted_lock_type, "ro");
  EXPECT_TRUE(reading.committed);
}

// A04
TEST(Leases, ProbesTellEverythingAndTouchNothing) {
  ServerRig rig;
  rig.Publish();
  const auto state = rig.State();
  EXPECT_EQ(state.state, "COMMITTED");
  EXPECT_TRUE(state.is_ready);
  EXPECT_EQ(state.allocation_count, 1);
  EXPECT_EQ(state.memory_layout_hash.size(), 64U);
  EXPECT_EQ(state.ro_session_count, 0);
  EXPECT_EQ(state.waiting_writers, 0);
  EXPECT_THAT(rig.Events(), ElementsAre("rw_connected", "committed"));
  EXPECT_EQ(rig.State().ro_session_count, 0);
}

// A05
TEST(Leases, ASecondWriterSeesAnEmptyStoreAtOnce) {
  ServerRig rig;
  rig.Publish();
  TestClient writer = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto lease, writer.Lock("rw"));
  EXPECT_FALSE(lease.committed);
  EXPECT_EQ(writer.CountAllocations(), 0);
  EXPECT_THAT(Keys(writer), IsEmpty());
  EXPECT_EQ(HashOf(writer), "");
  ASSERT_OK_AND_ASSIGN(const auto state, writer.LockState());
  EXPECT_EQ(state.state, "RW");
  EXPECT_FALSE(state.committed);
}

// A06
TEST(Leases, AWriterWaitsForTheReaderWhoKeepsWhatItHas) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  EXPECT_TRUE(rig.WritersWait(1));
  EXPECT_EQ(rig.State().state, "RO");
  EXPECT_EQ(reader.CountAllocations(), 1);
  reader.Close();
  ASSERT_OK(writer.Answer());
  EXPECT_EQ(writer.CountAllocations(), 0);
}

// A07, A08
TEST(Leases, WhileAWriterWaitsLaterReadersDoNotPass) {
  for (const char* mode : {"ro", "rw_or_ro"}) {
    ServerRig rig;
    rig.Publish();
    TestClient reader = rig.Connect();
    ASSERT_OK(reader.Lock("ro"));
    TestClient writer = rig.Connect();
    writer.Ask("rw");
    ASSERT_TRUE(rig.WritersWait(1));
    TestClient late = rig.Connect();
    ASSERT_OK_AND_ASSIGN(const auto refused, late.Lock(mode, 100));
    EXPECT_FALSE(refused.success) << mode;
    EXPECT_TRUE(late.Ended());
    reader.Close();
    ASSERT_OK_AND_ASSIGN(const auto granted, writer.Answer());
    EXPECT_EQ(granted.granted_lock_type, "rw");
  }
}

// A09
TEST(Leases, AWriterThatGaveUpNoLongerStandsInTheWay) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient writer = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto refused, writer.Lock("rw", 100));
  EXPECT_FALSE(refused.success);
  EXPECT_EQ(rig.State().waiting_writers, 0);
  TestClient second = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto granted, second.Lock("ro"));
  EXPECT_TRUE(granted.success);
  EXPECT_EQ(rig.State().ro_session_count, 2);
}

// A10
TEST(Leases, ReadersAreCountedUntilTheLastOneGoes) {
  ServerRig rig;
  rig.Publish();
  TestClient first = rig.Connect();
  TestClient second = rig.Connect();
  ASSERT_OK(first.Lock("ro"));
  ASSERT_OK(second.Lock("ro"));
  EXPECT_EQ(rig.State().ro_session_count, 2);
  first.Close();
  EXPECT_TRUE(ServerRig::Eventually([&] { return rig.State().ro_session_count == 1; }));
  EXPECT_EQ(rig.State().state, "RO");
  second.Close();
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
}

// A11
TEST(Leases, AReaderIsToldThatItIsOne) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  EXPECT_THAT(reader.Allocate(4096).status().message(),
              HasSubstr("AllocateRequest not allowed for RO session in state RO"));
  const Status commit = reader.Commit();
  EXPECT_THAT(commit.message(), HasSubstr("not allowed for RO session"));
  EXPECT_EQ(commit.reason(), ReasonOf(ErrorCode::kNotAllowed));
  EXPECT_EQ(reader.CountAllocations(), 1) << "the session goes on";
}

// A12
TEST(Leases, StatesThatSessionsAreToldAreTrue) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK(writer.Allocate(1));
  ASSERT_OK_AND_ASSIGN(const auto writing, writer.LockState());
  EXPECT_EQ(writing.state, "RW");
  EXPECT_TRUE(writing.has_rw_session);
  EXPECT_EQ(writing.ro_session_count, 0);
  EXPECT_FALSE(writing.is_ready);
  EXPECT_EQ(writer.CountAllocations(), 1);
  ASSERT_OK(writer.Commit());
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  ASSERT_OK_AND_ASSIGN(const auto reading, reader.LockState());
  EXPECT_EQ(reading.state, "RO");
  EXPECT_FALSE(reading.has_rw_session);
  EXPECT_EQ(reading.ro_session_count, 1);
  EXPECT_TRUE(reading.committed);
  EXPECT_TRUE(reading.is_ready);
  EXPECT_TRUE(reading.layout_committed);
}

// A13
TEST(Leases, MetadataOutsideOfItsAllocationIsRefused) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  EXPECT_THAT(writer.Put("k", made.allocation_id, 4096, "v").message(),
              HasSubstr("out of range for allocation"));
  EXPECT_THAT(writer.Put("k", made.allocation_id, -1, "v").message(),
              HasSubstr("offset_bytes must be >= 0"));
  EXPECT_THAT(writer.Put("k", "nope", 0, "v").message(), HasSubstr("Unknown allocation: nope"));
  EXPECT_THAT(Keys(writer), IsEmpty());
}

// A14
TEST(Leases, WithAnAllocationGoesItsMetadata) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  ASSERT_OK(writer.Put("k", made.allocation_id, 0, "v"));
  const FreeAllocationRequest request{made.allocation_id};
  ASSERT_OK_AND_ASSIGN(const auto freed, writer.Call<FreeAllocationResponse>(request));
  EXPECT_TRUE(freed.success);
  EXPECT_EQ(writer.CountAllocations(), 0);
  EXPECT_THAT(Keys(writer), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const auto again, writer.Call<FreeAllocationResponse>(request));
  EXPECT_FALSE(again.success) << "unknown is no error";
  EXPECT_THAT(writer.Call<GetAllocationResponse>(GetAllocationRequest{made.allocation_id})
                  .status()
                  .message(),
              HasSubstr("Unknown allocation"));
}

// A22
TEST(Leases, EachExportIsANewDescriptorOfTheSameMemory) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  ASSERT_OK_AND_ASSIGN(const UniqueFd first, writer.Export(made.allocation_id));
  ASSERT_OK_AND_ASSIGN(const UniqueFd second, writer.Export(made.allocation_id));
  EXPECT_NE(first.get(), second.get());
  EXPECT_EQ(::pwrite(first.get(), "same", 4, 0), 4);
  char read[4] = {};
  EXPECT_EQ(::pread(second.get(), read, 4, 0), 4);
  EXPECT_EQ(std::string_view(read, 4), "same");
}

// A24
TEST(Leases, SealingNarrowsTheWriterAndFixesTheShape) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK(writer.Allocate(4096, "kv_cache"));
  ASSERT_OK_AND_ASSIGN(const auto sealed, writer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  EXPECT_TRUE(sealed.success);
  EXPECT_EQ(sealed.granted_lock_type, "rw_data");
  EXPECT_EQ(sealed.memory_layout_hash,
            "7e6d7d18ce9b7855492787af133ec6ffd317f017d12209afd11b03a411f0d7e5");
  const auto state = rig.State();
  EXPECT_FALSE(state.committed);
  EXPECT_TRUE(state.layout_committed);
  EXPECT_THAT(writer.Allocate(1).status().message(),
              HasSubstr("not allowed: the layout is committed"));
  EXPECT_FALSE(writer.Commit().ok());
}

// A25
TEST(Leases, ADeadWriterLeavesOnlyWhatItSealed) {
  for (const bool seal : {false, true}) {
    ServerRig rig;
    TestClient writer = rig.Connect();
    ASSERT_OK(writer.Lock("rw"));
    ASSERT_OK(writer.Allocate(4096));
    if (seal) {
      ASSERT_OK(writer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
    }
    writer.Close();
    EXPECT_TRUE(rig.BecomesState(seal ? "LAYOUT_COMMITTED" : "EMPTY"));
    EXPECT_EQ(rig.State().allocation_count, seal ? 1 : 0);
  }
}

// A26
TEST(Leases, StandbysAdoptTheSealedLayoutOneAfterTheOther) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  ASSERT_OK(writer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  writer.Close();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(rig.BecomesState("LAYOUT_COMMITTED"));
    TestClient standby = rig.Connect();
    ASSERT_OK_AND_ASSIGN(const auto lease, standby.Lock("rw_data_or_rw"));
    EXPECT_EQ(lease.granted_lock_type, "rw_data");
    EXPECT_FALSE(lease.committed);
    EXPECT_OK(standby.Call<GetAllocationResponse>(GetAllocationRequest{made.allocation_id}));
    EXPECT_OK(standby.Export(made.allocation_id));
  }
  EXPECT_TRUE(rig.BecomesState("LAYOUT_COMMITTED"));
}

// A27
TEST(Leases, APlainWriterReplacesASealedLayout) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK(writer.Allocate(4096));
  ASSERT_OK(writer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  writer.Close();
  TestClient next = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto lease, next.Lock("rw"));
  EXPECT_EQ(lease.granted_lock_type, "rw");
  EXPECT_EQ(next.CountAllocations(), 0);
}

// A28
TEST(Leases, ASealedLayoutHasNoReaders) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK(writer.Allocate(4096));
  ASSERT_OK(writer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  writer.Close();
  ASSERT_TRUE(rig.BecomesState("LAYOUT_COMMITTED"));
  TestClient reader = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto refused, reader.Lock("ro", 200));
  EXPECT_FALSE(refused.success);
  EXPECT_EQ(rig.State().state, "LAYOUT_COMMITTED");
}

// A29
TEST(Leases, CommittingContentsIsNotChangedBySealing) {
  ServerRig rig;
  rig.Publish();
  EXPECT_EQ(rig.State().state, "COMMITTED");
  EXPECT_TRUE(rig.State().is_ready);
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  EXPECT_EQ(reader.CountAllocations(), 1);
}

// W-01: a waiting writer that is gone destroys nothing and stands in nobody's way. E11.
TEST(Leases, AWaiterThatHangsUpIsForgottenAtOnce) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  ASSERT_TRUE(rig.WritersWait(1));
  writer.Close();
  ASSERT_TRUE(rig.WritersWait(0));
  TestClient second = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto granted, second.Lock("ro", 0));
  EXPECT_TRUE(granted.success);
  reader.Close();
  second.Close();
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
}

// W-02, and A20's end state under each policy.
TEST(Leases, WhatIsCommittedComesBackWhenTheNextWriterFailsUnlessToldOtherwise) {
  for (const ReplacePolicy policy :
       {ReplacePolicy::kKeepUntilCommit, ReplacePolicy::kDestroyFirst}) {
    ServerRig rig({.options = {.domain = {.replace = policy}}});
    rig.Publish();
    TestClient writer = rig.Connect();
    ASSERT_OK(writer.Lock("rw"));
    ASSERT_OK(writer.Allocate(4096));
    writer.Close();
    const bool kept = policy == ReplacePolicy::kKeepUntilCommit;
    EXPECT_TRUE(rig.BecomesState(kept ? "COMMITTED" : "EMPTY"));
    EXPECT_EQ(rig.State().allocation_count, kept ? 1 : 0);
  }
}

TEST(Leases, ARefusedLockTypeEndsTheConnection) {
  ServerRig rig;
  for (const char* type : {"", "exclusive", "rw_shadow"}) {
    TestClient client = rig.Connect();
    const auto refused = client.Lock(type);
    EXPECT_THAT(refused.status().message(), HasSubstr("unsupported GMS lock type"));
    EXPECT_TRUE(client.Ended());
  }
}

TEST(Leases, ProbesInsideASessionAreRefusedAndItGoesOn) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  EXPECT_THAT(writer.Call<GetRuntimeStateResponse>(GetRuntimeStateRequest{}).status().message(),
              HasSubstr("GetRuntimeStateRequest not allowed for RW session in state RW"));
  EXPECT_THAT(writer.Lock("ro").status().message(), HasSubstr("valid only as the first message"));
  EXPECT_EQ(writer.Call<AbortResponse>(AbortRequest{}).status().reason(),
            ReasonOf(ErrorCode::kUnknownMessage))
      << "what is of the extension is not there without it";
  EXPECT_OK(writer.Allocate(1));
}

}  // namespace
}  // namespace hearth::gms::server
