// What clients get that ask for the extension.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/faulty_device.h"
#include "gms/protocol/fd_channel.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<AllocationItem> Items(size_t count, const std::string& prefix = "") {
  std::vector<AllocationItem> items;
  for (size_t i = 0; i < count; ++i) {
    items.push_back({.allocation_id = prefix.empty() ? "" : fmt::format("{}{}", prefix, i),
                     .size = 4096,
                     .tag = "weights"});
  }
  return items;
}

// Every response of a layout, put together.
struct Opened {
  OpenLayoutResponse all;
  std::vector<UniqueFd> fds;
  int responses = 0;
};
Result<Opened> Open(TestClient& client, const OpenLayoutRequest& request = {}) {
  Opened opened;
  RETURN_IF_ERROR(client.channel().Send(request, Soon()));
  for (bool more = true; more; ++opened.responses) {
    ASSIGN_OR_RETURN(auto part, client.channel().Receive<OpenLayoutResponse>(Soon()));
    more = part.more;
    ASSIGN_OR_RETURN(auto fds,
                     client.channel().TakeFds(request.with_fds ? part.allocations.size() : 0));
    std::move(fds.begin(), fds.end(), std::back_inserter(opened.fds));
    std::move(part.allocations.begin(), part.allocations.end(),
              std::back_inserter(opened.all.allocations));
    std::move(part.metadata.begin(), part.metadata.end(), std::back_inserter(opened.all.metadata));
    opened.all.generation = part.generation;
    opened.all.memory_layout_hash = part.memory_layout_hash;
  }
  RETURN_IF_ERROR(client.channel().ExpectNoFds());
  return opened;
}

ServerRig::Setup Roomy() {
  return {.open = [](int i) { return ServerRig::HostDevice(i, 64U << 20); }};
}

TEST(Extension, TheHandshakeSaysWhoTheServerIs) {
  ServerRig rig;
  TestClient first = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto lease, first.LockExtended("rw"));
  EXPECT_EQ(lease.extension, kExtensionVersion);
  EXPECT_EQ(lease.gpu_uuid, ServerRig::Uuid(0));
  EXPECT_EQ(lease.device_kind, "host");
  EXPECT_EQ(lease.granularity, ServerRig::kGranularity);
  EXPECT_GT(lease.generation, 0U);
  EXPECT_EQ(lease.nonce.size(), 36U);
  EXPECT_EQ(rig.Status().nonce, lease.nonce);
}

TEST(Extension, AClientMayInsistOnTheServerItKnows) {
  ServerRig rig;
  rig.Publish();
  const std::string nonce = rig.Status().nonce;
  TestClient right = rig.Connect();
  EXPECT_OK(
      right.Call<HandshakeResponse>(HandshakeRequest{.lock_type = "ro",
                                                     .extension = 1,
                                                     .expected_nonce = nonce,
                                                     .expected_gpu_uuid = ServerRig::Uuid(0)}));
  for (const HandshakeRequest& wrong :
       {HandshakeRequest{.lock_type = "ro", .extension = 1, .expected_nonce = "other"},
        HandshakeRequest{.lock_type = "ro", .extension = 1, .expected_gpu_uuid = "GPU-other"}}) {
    TestClient client = rig.Connect();
    const auto refused = client.Call<HandshakeResponse>(wrong);
    EXPECT_THAT(refused.status().message(),
                HasSubstr("GMS server incarnation or physical GPU changed"));
    EXPECT_EQ(refused.status().reason(), ReasonOf(ErrorCode::kOtherServer));
    EXPECT_TRUE(client.Ended());
  }
}

// E10, W-05: from writer to reader on one connection, with nobody in between.
TEST(Extension, CommittingInPlaceTurnsTheWriterIntoAReader) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK(writer.Allocate(4096, "weights", "allocation-1"));
  ASSERT_OK_AND_ASSIGN(const auto committed,
                       writer.Call<CommitResponse>(CommitRequest{.in_place = true}));
  EXPECT_TRUE(committed.success);
  EXPECT_EQ(committed.memory_layout_hash.size(), 64U);
  EXPECT_GT(committed.generation, 0U);
  ASSERT_OK_AND_ASSIGN(const auto state, writer.LockState());
  EXPECT_EQ(state.state, "RO");
  EXPECT_EQ(state.ro_session_count, 1);
  EXPECT_FALSE(writer.Allocate(1).ok());
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  EXPECT_OK(reader.Export("allocation-1"));
}

// E12
TEST(Extension, AWaitingWriterIsServedOnceEveryReaderIsGoneTheFormerWriterToo) {
  ServerRig rig;
  TestClient former = rig.Connect();
  ASSERT_OK(former.LockExtended("rw"));
  ASSERT_OK(former.Allocate(1));
  ASSERT_OK(former.Call<CommitResponse>(CommitRequest{.in_place = true}));
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  ASSERT_TRUE(rig.WritersWait(1));
  TestClient late = rig.Connect();
  late.Ask("rw_or_ro");
  reader.Close();
  ASSERT_TRUE(ServerRig::Eventually([&] { return rig.State().ro_session_count == 1; }));
  EXPECT_EQ(rig.State().waiting_writers, 1) << "the former writer still reads";
  former.Close();
  ASSERT_OK_AND_ASSIGN(const auto granted, writer.Answer());
  EXPECT_EQ(granted.granted_lock_type, "rw");
  ASSERT_OK(writer.Allocate(1));
  ASSERT_OK(writer.Commit());
  ASSERT_OK_AND_ASSIGN(const auto reading, late.Answer());
  EXPECT_EQ(reading.granted_lock_type, "ro");
}

// E08, E09
TEST(Extension, AnAbortIsAnsweredWhenTheMemoryIsBack) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  const auto all = static_cast<int64_t>(ServerRig::kDeviceBytes);
  ASSERT_OK(writer.Allocate(all, "weights", "mine"));
  ASSERT_OK(writer.Call<AbortResponse>(AbortRequest{}));
  EXPECT_EQ(rig.Status().domains[0].device_free_bytes, all);
  EXPECT_EQ(rig.State().state, "EMPTY");
  EXPECT_FALSE(writer.Allocate(1).ok()) << "the session is over but for its connection";
  TestClient next = rig.Connect();
  ASSERT_OK(next.LockExtended("rw"));
  EXPECT_FALSE(next.Export("mine").ok());
  ASSERT_OK(next.Allocate(all, "weights", "mine"));
  EXPECT_THAT(rig.Events(), testing::Not(testing::Contains("allocation_oom")));
}

TEST(Extension, ClientsMayNameTheirAllocationsButOnlyOnce) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096, "weights", "allocation-1"));
  EXPECT_EQ(made.allocation_id, "allocation-1");
  const auto twice = writer.Allocate(4096, "weights", "allocation-1");
  EXPECT_EQ(twice.status().code(), Code::kAlreadyExists);
  EXPECT_FALSE(writer.Allocate(4096, "weights", std::string(5000, 'x')).ok());
}

// W-30: as many descriptors as go with one message, metadata in the end.
TEST(Extension, AWholeLayoutComesInAFewMessages) {
  ServerRig rig(Roomy());
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK(writer.channel().Send(AllocateBatchRequest{Items(600), true}, Soon()));
  std::vector<AllocationItem> made;
  std::vector<UniqueFd> fds;
  for (bool more = true; more;) {
    ASSERT_OK_AND_ASSIGN(auto part, writer.channel().Receive<AllocateBatchResponse>(Soon()));
    more = part.more;
    ASSERT_OK_AND_ASSIGN(auto some, writer.channel().TakeFds(part.items.size()));
    std::move(some.begin(), some.end(), std::back_inserter(fds));
    made.insert(made.end(), part.items.begin(), part.items.end());
  }
  ASSERT_THAT(made, SizeIs(600));
  MetadataPutBatchRequest puts;
  for (size_t i = 0; i < made.size(); ++i) {
    const std::string mark = std::to_string(i);
    ASSERT_EQ(::pwrite(fds[i].get(), mark.data(), mark.size() + 1, 0),
              static_cast<ssize_t>(mark.size() + 1));
    puts.items.push_back({mark, made[i].allocation_id, 0, std::string(4096, 'm')});
  }
  ASSERT_OK_AND_ASSIGN(const auto put, writer.Call<MetadataPutBatchResponse>(puts));
  EXPECT_EQ(put.count, 600);
  ASSERT_OK(writer.Commit());

  TestClient reader = rig.Connect();
  ASSERT_OK(reader.LockExtended("ro"));
  ASSERT_OK_AND_ASSIGN(const Opened opened, Open(reader));
  ASSERT_THAT(opened.all.allocations, SizeIs(600));
  ASSERT_THAT(opened.fds, SizeIs(600));
  EXPECT_THAT(opened.all.metadata, SizeIs(600));
  EXPECT_EQ(opened.all.memory_layout_hash.size(), 64U);
  EXPECT_GE(opened.responses, 4) << "253, 253, 94, and 2.4 MiB of metadata";
  for (size_t i = 0; i < 600; ++i) {
    EXPECT_EQ(opened.all.allocations[i].layout_slot, static_cast<int64_t>(i));
    char mark[8] = {};
    ASSERT_GT(::pread(opened.fds[i].get(), mark, sizeof(mark), 0), 0);
    EXPECT_EQ(mark, std::to_string(i));
  }
  ASSERT_OK_AND_ASSIGN(const Opened records,
                       Open(reader, {.with_fds = false, .with_metadata = false}));
  EXPECT_EQ(records.responses, 1);
  EXPECT_THAT(records.all.metadata, SizeIs(0));
}

TEST(Extension, AnEmptyLayoutIsOneMessage) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK_AND_ASSIGN(const Opened opened, Open(writer));
  EXPECT_EQ(opened.responses, 1);
  EXPECT_THAT(opened.all.allocations, SizeIs(0));
  ASSERT_OK_AND_ASSIGN(const auto none,
                       writer.Call<AllocateBatchResponse>(AllocateBatchRequest{{}, true}));
  EXPECT_THAT(none.items, SizeIs(0));
}

class ExportsAFew : public FaultyDevice {
 public:
  using FaultyDevice::FaultyDevice;
  Result<UniqueFd> Export(Handle handle, Access access) override {
    return --left_ >= 0 ? FaultyDevice::Export(handle, access)
                        : UnavailableError("no more descriptors");
  }

 private:
  int left_ = 300;
};

// All or nothing: the names of what was made may be the server's own, and nobody knows them.
TEST(Extension, ABatchWhoseDescriptorsCannotBeHadLeavesNothing) {
  ServerRig::Setup setup = Roomy();
  setup.open = [](int i) {
    DeviceSetup device = ServerRig::HostDevice(i, 64U << 20);
    return DeviceSetup{std::make_unique<ExportsAFew>(std::move(device.device)), device.quick};
  };
  ServerRig rig(setup);
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK(writer.channel().Send(AllocateBatchRequest{Items(600), true}, Soon()));
  ASSERT_OK_AND_ASSIGN(auto part, writer.channel().Receive<AllocateBatchResponse>(Soon()));
  ASSERT_OK(writer.channel().TakeFds(part.items.size()));
  EXPECT_FALSE(writer.channel().Receive<AllocateBatchResponse>(Soon()).ok());
  EXPECT_EQ(writer.CountAllocations(), 0);
}

TEST(Extension, ALayoutThatIsNotTheExpectedOneIsStale) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto lease, reader.LockExtended("ro"));
  const auto stale = Open(reader, {.expected_hash = std::string(64, '0')});
  EXPECT_EQ(stale.status().reason(), ReasonOf(ErrorCode::kStaleLayout));
  EXPECT_FALSE(Open(reader, {.expected_generation = lease.generation + 1}).ok());
  EXPECT_OK(Open(reader, {.expected_generation = lease.generation}));
}

TEST(Extension, BatchesAreAllOrNothing) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  auto items = Items(10, "id-");
  items[7].size = 0;
  EXPECT_THAT(
      writer.Call<AllocateBatchResponse>(AllocateBatchRequest{items, false}).status().message(),
      HasSubstr("size must be > 0"));
  items[7] = items[3];
  EXPECT_EQ(writer.Call<AllocateBatchResponse>(AllocateBatchRequest{items, false}).status().code(),
            Code::kAlreadyExists);
  EXPECT_EQ(writer.CountAllocations(), 0);
  ASSERT_OK(writer.Call<AllocateBatchResponse>(AllocateBatchRequest{Items(2, "id-"), false}));
  ASSERT_OK(writer.Put("old", "id-0", 0, "before"));
  const MetadataPutBatchRequest puts{
      {{"new", "id-0", 0, "v"}, {"old", "id-1", 0, "after"}, {"bad", "id-0", 4096, "v"}}};
  EXPECT_THAT(writer.Call<MetadataPutBatchResponse>(puts).status().message(),
              HasSubstr("out of range"));
  ASSERT_OK_AND_ASSIGN(const auto keys, writer.Call<MetadataListResponse>(MetadataListRequest{}));
  EXPECT_THAT(keys.keys, ElementsAre("old"));
  ASSERT_OK_AND_ASSIGN(const auto old, writer.Call<MetadataGetResponse>(MetadataGetRequest{"old"}));
  EXPECT_EQ(old.value, "before");
  EXPECT_EQ(old.allocation_id, "id-0");
  ASSERT_OK_AND_ASSIGN(const auto freed,
                       writer.Call<FreeBatchResponse>(FreeBatchRequest{{"id-0", "nope", "id-1"}}));
  EXPECT_EQ(freed.freed, 2);
}

// W-02: readers keep what they have, new ones get the old generation until the new one is there.
TEST(Extension, AShadowWriterBuildsBesideTheReaders) {
  ServerRig rig;
  rig.Publish(2);
  TestClient old_reader = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto old_lease, old_reader.LockExtended("ro"));
  TestClient writer = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto lease, writer.LockExtended("rw_shadow"));
  EXPECT_EQ(lease.granted_lock_type, "rw");
  EXPECT_GT(lease.generation, old_lease.generation);
  ASSERT_OK(writer.Allocate(4096));
  TestClient meanwhile = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto meanwhile_lease, meanwhile.LockExtended("ro"));
  EXPECT_EQ(meanwhile_lease.generation, old_lease.generation);
  ASSERT_OK(writer.Commit());
  EXPECT_EQ(old_reader.CountAllocations(), 2);
  TestClient later = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto later_lease, later.LockExtended("ro"));
  EXPECT_EQ(later_lease.generation, lease.generation);
  EXPECT_EQ(later.CountAllocations(), 1);
  EXPECT_EQ(rig.Status().domains[0].generations, 2U);
  old_reader.Close();
  meanwhile.Close();
  EXPECT_TRUE(ServerRig::Eventually([&] { return rig.Status().domains[0].generations == 1; }));
}

TEST(Extension, SubscribersHearOfEveryEventInOrder) {
  ServerRig rig;
  rig.Publish();
  TestClient subscriber = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto begun,
                       subscriber.Call<SubscribeResponse>(SubscribeRequest{.after = 1}));
  EXPECT_EQ(begun.sequence, 2U);
  const auto next = [&] {
    auto notice = subscriber.channel().Receive<ChangeNotice>(Soon());
    EXPECT_OK(notice);
    return notice.ok() ? *notice : ChangeNotice{};
  };
  const ChangeNotice kept = next();
  EXPECT_EQ(kept.kind, "committed");
  EXPECT_EQ(kept.sequence, 2U);
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  const ChangeNotice heard = next();
  EXPECT_EQ(heard.kind, "rw_connected");
  EXPECT_EQ(heard.sequence, 3U);
  writer.Close();
  EXPECT_EQ(next().kind, "rw_aborted");
}

// E02: where both sides know what there is, more is a mistake.
TEST(Extension, AnUnknownFieldEndsASessionOfTheExtension) {
  ServerRig rig;
  const std::string payload =
      "\x82\xa4type\xb6"
      "get_lock_state_request\xa5"
      "extra\x01";
  const std::string frame = std::string("\0\0\0", 3) + static_cast<char>(payload.size()) + payload;
  TestClient plain = rig.Connect();
  ASSERT_OK(plain.Lock("rw"));
  ASSERT_OK(plain.channel().SendFrame(frame, Soon()));
  EXPECT_OK(plain.channel().Receive<GetLockStateResponse>(Soon()));
  plain.Close();
  TestClient extended = rig.Connect();
  ASSERT_OK(extended.LockExtended("rw"));
  ASSERT_OK(extended.channel().SendFrame(frame, Soon()));
  EXPECT_EQ(extended.channel().Receive<GetLockStateResponse>(Soon()).status().reason(),
            ReasonOf(ErrorCode::kMalformed));
  EXPECT_TRUE(extended.Ended());
}

// E01 on the server's side.
TEST(Extension, DescriptorsFromClientsAreDiscardedOrEndTheSession) {
  ServerRig rig;
  const std::string frame = EncodeFrame(GetLockStateRequest{});
  std::vector<UniqueFd> fds;
  fds.emplace_back(::memfd_create("x", MFD_CLOEXEC));
  TestClient plain = rig.Connect();
  ASSERT_OK(plain.Lock("rw"));
  const size_t before = OpenFds();
  ASSERT_OK(SendSome(plain.channel().fd(), frame, fds));
  EXPECT_OK(plain.channel().Receive<GetLockStateResponse>(Soon()));
  EXPECT_EQ(OpenFds(), before);
  plain.Close();
  TestClient extended = rig.Connect();
  ASSERT_OK(extended.LockExtended("rw"));
  ASSERT_OK(SendSome(extended.channel().fd(), frame, fds));
  EXPECT_TRUE(extended.Ended());
}

// W-08
TEST(Extension, ReadersCannotWriteAndAfterTheCommitNobodyNew) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  ASSERT_OK(writer.Allocate(4096, "weights", "a"));
  ASSERT_OK_AND_ASSIGN(const UniqueFd writable, writer.Export("a"));
  ASSERT_OK(writer.Call<CommitResponse>(CommitRequest{.in_place = true}));
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  ASSERT_OK_AND_ASSIGN(const UniqueFd readable, reader.Export("a"));
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, readable.get(), 0), MAP_FAILED);
  EXPECT_LT(::pwrite(readable.get(), "x", 1, 0), 0);
  EXPECT_TRUE(ServerRig::Eventually([&] { return ::pwrite(writable.get(), "x", 1, 0) < 0; }));
}

TEST(Extension, RequestsMayBeSentBeforeTheAnswersAreRead) {
  ServerRig rig;
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.LockExtended("rw"));
  std::string frames;
  for (int i = 0; i < 100; ++i) {
    frames += EncodeFrame(AllocateRequest{.size = 1, .allocation_id = std::to_string(i)});
  }
  ASSERT_OK(writer.channel().SendFrame(frames, Soon()));
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto made, writer.channel().Receive<AllocateResponse>(Soon()));
    EXPECT_EQ(made.allocation_id, std::to_string(i));
  }
}

}  // namespace
}  // namespace hearth::gms::server
