#include "gms/client/memory_manager.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/client/testing/memory_rig.h"

namespace hearth::gms {
namespace {

// Both ways to speak with the server: what an engine sees is the same.
class MemoryManagerTest : public testing::TestWithParam<bool> {
 protected:
  bool plain() const { return GetParam(); }
  std::unique_ptr<TestMemory> Engine(const std::string& tag = "weights") {
    return rig_.Engine(tag, plain());
  }
  // A writer that has published these texts and reads them now, whatever the server speaks.
  std::unique_ptr<TestMemory> Published(const std::vector<std::string>& texts,
                                        std::vector<uintptr_t>* addresses = nullptr) {
    auto engine = Engine();
    EXPECT_OK((*engine)->Connect(LeaseRequest::kRw));
    auto filled = engine->Fill(texts);
    const auto committed = (*engine)->Commit();
    EXPECT_OK(committed);
    if (committed.ok() && !committed->still_connected) {
      EXPECT_OK((*engine)->Wake());
    }
    if (addresses != nullptr) {
      *addresses = std::move(filled);
    }
    return engine;
  }

  MemoryRig rig_;
};

INSTANTIATE_TEST_SUITE_P(Wire, MemoryManagerTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Plain" : "Extension"; });

TEST_P(MemoryManagerTest, ReaderSeesWhatTheWriterPublished) {
  const auto writer = Published({"one", "two"});
  EXPECT_EQ((*writer)->grant(), Grant::kRo);
  const auto reader = Engine();
  ASSERT_OK((*reader)->Connect(LeaseRequest::kRo));
  ASSERT_OK_AND_ASSIGN(const AttachedLayout layout, (*reader)->OpenLayout());
  ASSERT_EQ(layout.mappings.size(), 2U);
  EXPECT_EQ(reader->Read(layout.mappings[0].address, 3), "one");
  EXPECT_EQ(reader->Read(layout.mappings[1].address, 3), "two");
  EXPECT_EQ(layout.mappings[0].access, Access::kRead);
  ASSERT_EQ(layout.metadata.size(), 2U);
  EXPECT_EQ(layout.metadata[1].key, "key1");
  EXPECT_EQ(layout.metadata[1].allocation_id, layout.mappings[1].allocation_id);
  EXPECT_EQ((*reader)->total_bytes(), 8192U);
}

TEST_P(MemoryManagerTest, MappingIsFoundByAnyOfItsAddresses) {
  const auto writer = Engine();
  ASSERT_OK((*writer)->Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(const uintptr_t first, (*writer)->CreateMapping(4097, "weights"));
  ASSERT_OK_AND_ASSIGN(const uintptr_t second, (*writer)->CreateMapping(1, "weights"));
  EXPECT_EQ((*writer)->Find(first + 8191)->address, first);
  EXPECT_EQ((*writer)->Find(first)->size, 4097U);
  EXPECT_EQ((*writer)->Find(first)->aligned_size, 8192U);
  EXPECT_EQ((*writer)->Find(second + 1)->address, second);
  EXPECT_EQ((*writer)->Find(first - 1), std::nullopt);
}

TEST_P(MemoryManagerTest, AllocationIsMappedOnceHoweverOftenItIsOpened) {
  const auto writer = Published({"one"});
  const std::string id = (*writer)->mappings().front().allocation_id;
  const auto reader = Engine();
  ASSERT_OK((*reader)->Connect(LeaseRequest::kRo));
  ASSERT_OK_AND_ASSIGN(const uintptr_t address, (*reader)->OpenMapping(id));
  EXPECT_EQ(*(*reader)->OpenMapping(id), address);
  ASSERT_OK_AND_ASSIGN(const AttachedLayout layout, (*reader)->OpenLayout());
  EXPECT_EQ(layout.mappings.front().address, address);
  EXPECT_CODE(Code::kNotFound, (*reader)->OpenMapping("no such"));
}

// A14: destroying a mapping frees it on the server, with its metadata.
TEST_P(MemoryManagerTest, DestroyedMappingIsGoneFromTheServer) {
  const auto writer = Engine();
  ASSERT_OK((*writer)->Connect(LeaseRequest::kRw));
  const auto addresses = writer->Fill({"one", "two"});
  ASSERT_OK((*writer)->DestroyMapping(addresses[0]));
  EXPECT_EQ(writer->List()->size(), 1U);
  EXPECT_EQ((*writer)->mappings().size(), 1U);
  ASSERT_OK((*writer)->WithSession([](Session& session) -> Status {
    EXPECT_EQ(*session.ListMetadata(), std::vector<std::string>{"key1"});
    return {};
  }));
  EXPECT_OK((*writer)->DestroyMapping(addresses[0]));  // unknown by now: nothing happens
}

// A15: prune keeps one of two; the other is freed here and there.
TEST_P(MemoryManagerTest, PruneKeepsOnlyWhatIsNamed) {
  const auto writer = Engine();
  ASSERT_OK((*writer)->Connect(LeaseRequest::kRw));
  const auto addresses = writer->Fill({"one", "two"});
  const std::string gone = (*writer)->Find(addresses[0])->allocation_id;
  const std::vector<std::string> keep = {(*writer)->Find(addresses[1])->allocation_id};
  EXPECT_EQ(*(*writer)->Prune(keep), 4096U);
  EXPECT_EQ((*writer)->Find(addresses[0]), std::nullopt);
  ASSERT_OK((*writer)->WithSession([&](Session& session) -> Status {
    const auto info = session.Get(gone);
    EXPECT_CODE(Code::kNotFound, info);
    EXPECT_NE(info.status().message().find("Unknown allocation"), std::string_view::npos);
    return {};
  }));
}

// A16, I02: the same layout is back at the same addresses, with the same names and bytes.
TEST_P(MemoryManagerTest, WakeBringsTheSameLayoutBackToItsAddresses) {
  std::vector<uintptr_t> addresses;
  const auto engine = Published({"one", "two"}, &addresses);
  const std::vector<Mapping> before = (*engine)->mappings();
  ASSERT_OK((*engine)->Sleep());
  EXPECT_FALSE((*engine)->connected());
  EXPECT_FALSE((*engine)->Find(addresses[0])->mapped);
  EXPECT_TRUE(rig_.server().BecomesState("COMMITTED"));
  ASSERT_OK_AND_ASSIGN(const WakeReport report, (*engine)->Wake());
  EXPECT_EQ(report.mapped, 2U);
  EXPECT_EQ(report.same_generation, !plain());
  const std::vector<Mapping> after = (*engine)->mappings();
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].address, before[i].address);
    EXPECT_EQ(after[i].allocation_id, before[i].allocation_id);
    EXPECT_TRUE(after[i].mapped);
  }
  EXPECT_EQ(engine->Read(addresses[0], 3), "one");
  EXPECT_EQ(engine->Read(addresses[1], 3), "two");
}

// A17: another layout was committed meanwhile.
TEST_P(MemoryManagerTest, WakeRefusesALayoutOfAnotherShape) {
  const auto engine = Published({"one"});
  ASSERT_OK((*engine)->Sleep());
  rig_.Publish({"one", "two"});
  const auto report = (*engine)->Wake();
  EXPECT_CODE(Code::kConflict, report);
  EXPECT_EQ(report.status().reason(), Session::kStaleLayout);
  EXPECT_NE(report.status().message().find("Layout changed"), std::string_view::npos)
      << report.status();
  EXPECT_FALSE((*engine)->connected());
  EXPECT_FALSE((*engine)->mappings().front().mapped);
  EXPECT_OK((*engine)->failure());  // a refusal: the engine may try again
}

// A18: a layout of the same shape and other names takes its place.
TEST_P(MemoryManagerTest, WakeAcceptsALayoutOfTheSameShape) {
  std::vector<uintptr_t> addresses;
  const auto engine = Published({"one", "two"}, &addresses);
  const std::string old_id = (*engine)->Find(addresses[1])->allocation_id;
  ASSERT_OK((*engine)->Sleep());
  rig_.Publish({"uno", "dos"});
  ASSERT_OK_AND_ASSIGN(const WakeReport report, (*engine)->Wake());
  EXPECT_FALSE(report.same_generation);
  const Mapping mapping = *(*engine)->Find(addresses[1]);
  EXPECT_NE(mapping.allocation_id, old_id);
  EXPECT_EQ(engine->Read(addresses[1], 3), "dos");
  ASSERT_OK((*engine)->WithSession([&](Session& session) -> Status {
    EXPECT_EQ((*session.GetMetadata("key1"))->allocation_id, mapping.allocation_id);
    return {};
  }));
  EXPECT_EQ(*(*engine)->OpenMapping(mapping.allocation_id), addresses[1]);
}

// W-05: who must have the very bytes that it knew says so.
TEST_P(MemoryManagerTest, WakeCanInsistOnTheGeneration) {
  const auto engine = Published({"one"});
  ASSERT_OK((*engine)->Sleep());
  const WakeOptions same{.rule = WakeRule::kSameGeneration};
  if (plain()) {
    EXPECT_CODE(Code::kConflict, (*engine)->Wake(same));  // the server cannot tell
    return;
  }
  ASSERT_OK((*engine)->Wake(same));
  ASSERT_OK((*engine)->Sleep());
  rig_.Publish({"uno"});
  const auto report = (*engine)->Wake(same);
  EXPECT_CODE(Code::kConflict, report);
  EXPECT_EQ(report.status().reason(), Session::kStaleLayout);
}

// A19: slots 0 and 2 here, 0 and 1 in the restored copy: the hash is equal, ranks are paired.
TEST_P(MemoryManagerTest, GapOfAPrunedLayoutDoesNotMatter) {
  auto engine = Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(const uintptr_t first, (*engine)->CreateMapping(4096, "weights"));
  ASSERT_OK_AND_ASSIGN(const uintptr_t middle, (*engine)->CreateMapping(4096, "weights"));
  ASSERT_OK_AND_ASSIGN(const uintptr_t last, (*engine)->CreateMapping(8192, "weights"));
  ASSERT_OK((*engine)->DestroyMapping(middle));
  ASSERT_OK((*engine)->Commit());
  if (plain()) {
    ASSERT_OK((*engine)->Wake());
  }
  EXPECT_EQ((*engine)->Find(last)->slot, 2U);
  ASSERT_OK((*engine)->Sleep());

  const auto loader = rig_.Engine();
  ASSERT_OK((*loader)->Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(const uintptr_t a, (*loader)->CreateMapping(4096, "weights"));
  ASSERT_OK_AND_ASSIGN(const uintptr_t b, (*loader)->CreateMapping(8192, "weights"));
  loader->Write(a, "first");
  loader->Write(b, "last");
  ASSERT_OK((*loader)->Commit());
  ASSERT_OK((*loader)->Close());

  ASSERT_OK((*engine)->Wake());
  EXPECT_EQ((*engine)->Find(last)->slot, 1U);
  EXPECT_EQ(engine->Read(first, 5), "first");
  EXPECT_EQ(engine->Read(last, 4), "last");
}

// A20: after a commit a writer takes fresh memory behind the same addresses.
TEST_P(MemoryManagerTest, ReallocationPutsFreshMemoryBehindOldAddresses) {
  std::vector<uintptr_t> addresses;
  const auto engine = Published({"one"}, &addresses);
  const std::string old_id = (*engine)->Find(addresses[0])->allocation_id;
  ASSERT_OK((*engine)->Sleep());
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw, WaitLimit::Forever(), true));
  ASSERT_OK((*engine)->ReallocateAll(false));
  const Mapping waiting = *(*engine)->Find(addresses[0]);
  EXPECT_NE(waiting.allocation_id, old_id);
  EXPECT_FALSE(waiting.mapped);
  ASSERT_OK((*engine)->RemapAll());
  EXPECT_TRUE((*engine)->Find(addresses[0])->mapped);
  EXPECT_EQ(engine->Read(addresses[0], 3), std::string(3, '\0'));
  engine->Write(addresses[0], "new");
  ASSERT_OK((*engine)->Close());
  // What was committed is kept until a writer commits.
  EXPECT_TRUE(rig_.server().BecomesState("COMMITTED"));
}

// A20 with the end state of servers that destroy first.
TEST(MemoryManagerDestroyFirst, WriterThatLeavesAfterReallocationLeavesNothing) {
  server::ServerOptions options;
  options.domain.replace = ReplacePolicy::kDestroyFirst;
  MemoryRig rig({.options = options});
  rig.Publish({"one"});
  const auto engine = rig.Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRo));
  ASSERT_OK((*engine)->OpenLayout());
  ASSERT_OK((*engine)->Sleep());
  ASSERT_OK((*engine)->Wake({.lease = LeaseRequest::kRw}));
  ASSERT_OK((*engine)->Close());
  EXPECT_TRUE(rig.server().BecomesState("EMPTY"));
}

// F01: sleep and wake of both domains.
TEST(MemoryManagerDomains, KvCacheIsFreshAfterWakeAndWeightsAreNot) {
  MemoryRig rig;
  const auto weights = rig.Engine("weights");
  const auto kv = rig.Engine("kv_cache");
  ASSERT_OK((*weights)->Connect(LeaseRequest::kRw));
  ASSERT_OK((*kv)->Connect(LeaseRequest::kRw));
  const auto weight = weights->Fill({"weight"});
  ASSERT_OK((*weights)->Commit());
  ASSERT_OK_AND_ASSIGN(const uintptr_t block, (*kv)->CreateMapping(8192, "kv_cache", "kv-0"));
  kv->Write(block, "old");

  ASSERT_OK((*weights)->Sleep());
  ASSERT_OK((*kv)->Sleep());
  EXPECT_EQ(rig.server().State("kv_cache").allocation_count, 0);  // gone when Sleep returned
  EXPECT_EQ(rig.server().State("weights").allocation_count, 1);

  ASSERT_OK_AND_ASSIGN(const WakeReport report, (*kv)->Wake({.lease = LeaseRequest::kRw}));
  EXPECT_EQ(report.grant, Grant::kRw);
  ASSERT_OK((*weights)->Wake());
  EXPECT_EQ((*kv)->Find(block)->allocation_id, "kv-0");
  EXPECT_EQ((*kv)->Find(block)->access, Access::kReadWrite);
  EXPECT_EQ(kv->Read(block, 3), std::string(3, '\0'));
  EXPECT_EQ((*weights)->Find(weight[0])->access, Access::kRead);
  EXPECT_EQ(weights->Read(weight[0], 6), "weight");
}

// F02: the device is looked up at every connect, and another one is refused.
TEST(MemoryManagerIdentity, ServerOfAnotherDeviceIsRefused) {
  MemoryRig rig;
  rig.Publish({"one"});
  std::vector<std::string> uuids = {server::ServerRig::Uuid(0), "GPU-other",
                                    server::ServerRig::Uuid(0)};
  size_t asked = 0;
  MemoryManagerOptions options = rig.Options();
  options.device_uuid = [&]() -> Result<std::string> { return uuids.at(asked++); };
  size_t looked = 0;
  options.find_socket = [&]() -> Result<std::string> {
    ++looked;
    return rig.server().Path();
  };
  options.connect.socket = "/nowhere";
  const auto engine = rig.Engine(options);
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRo));
  ASSERT_OK((*engine)->Disconnect());
  const Status other = (*engine)->Connect(LeaseRequest::kRo);
  EXPECT_CODE(Code::kConflict, other);
  EXPECT_EQ(other.reason(), MemoryManager::kWrongDevice);
  EXPECT_NE(other.message().find("sidecar is on another physical GPU"), std::string_view::npos);
  EXPECT_FALSE((*engine)->connected());
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRo));
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(looked, 3U);
}

// F03: the first failure stays; each later call tells it anew.
TEST(MemoryManagerFailure, LossOfTheServerIsLatched) {
  auto rig = std::make_unique<MemoryRig>();
  rig->Publish({"one"});
  const auto engine = rig->Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRo));
  ASSERT_OK_AND_ASSIGN(const AttachedLayout layout, (*engine)->OpenLayout());
  rig.reset();
  const auto first = (*engine)->OpenMapping("anything");
  EXPECT_CODE(Code::kUnavailable, first);
  const Status second = (*engine)->Sleep();
  EXPECT_EQ(second, first.status());
  EXPECT_NE(second.message().data(), first.status().message().data());  // another object
  EXPECT_EQ((*engine)->failure(), first.status());
  // The memory itself outlives its server: what was read can still be read.
  EXPECT_EQ(engine->Read(layout.mappings[0].address, 3), "one");
  ASSERT_OK((*engine)->Reset());
  EXPECT_OK((*engine)->failure());
  EXPECT_FALSE((*engine)->mappings().front().mapped);
}

TEST(MemoryManagerFailure, EngineWakesAtANewServer) {
  auto rig = std::make_unique<MemoryRig>();
  rig->Publish({"one"});
  MemoryManagerOptions options = rig->Options();
  std::string path = rig->server().Path();
  options.find_socket = [&]() -> Result<std::string> { return path; };
  const auto engine = rig->Engine(options);
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRo));
  ASSERT_OK_AND_ASSIGN(const AttachedLayout layout, (*engine)->OpenLayout());
  rig.reset();
  EXPECT_CODE(Code::kUnavailable, (*engine)->OpenMapping("anything"));
  ASSERT_OK((*engine)->Reset());
  MemoryRig successor;
  successor.Publish({"two"});
  path = successor.server().Path();
  ASSERT_OK((*engine)->Wake());
  EXPECT_EQ(engine->Read(layout.mappings[0].address, 3), "two");
}

// W-05: publication leaves no gap in which another writer could come between.
TEST(MemoryManagerCommit, PublicationKeepsTheLeaseWhileAWriterWaits) {
  MemoryRig rig;
  const auto engine = rig.Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  const auto addresses = engine->Fill({"one"});
  server::TestClient waiting = rig.server().Connect();
  waiting.Ask("rw");
  ASSERT_TRUE(rig.server().WritersWait(1));
  ASSERT_OK_AND_ASSIGN(const CommittedLayout committed, (*engine)->Commit());
  EXPECT_TRUE(committed.still_connected);
  EXPECT_FALSE(committed.hash.empty());
  EXPECT_EQ((*engine)->grant(), Grant::kRo);
  EXPECT_EQ(rig.server().State().state, "RO");
  EXPECT_EQ(engine->Read(addresses[0], 3), "one");
}

// W-35, W-08: the memory is read-only in place; nothing was unmapped, and no export can be written.
TEST(MemoryManagerCommit, PublishedMemoryCannotBeWrittenAnyMore) {
  MemoryRig rig;
  const auto engine = rig.Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  const auto addresses = engine->Fill({"one"});
  ASSERT_OK((*engine)->Commit());
  EXPECT_EQ((*engine)->Find(addresses[0])->access, Access::kRead);
  EXPECT_EQ(Protection(addresses[0]), "r--s");
  ASSERT_OK((*engine)->WithSession([&](Session& session) -> Status {
    ASSIGN_OR_RETURN(auto exported, session.Export((*engine)->mappings()[0].allocation_id));
    const auto space = MemoryRig::Space();
    ASSIGN_OR_RETURN(const uintptr_t address, space->Reserve(4096, 4096));
    EXPECT_CODE(Code::kPermissionDenied,
                space->Map(address, 4096, std::move(exported.fd), Access::kReadWrite));
    return {};
  }));
}

TEST_P(MemoryManagerTest, CommitNeedsAWriterWithSomethingToPublish) {
  const auto engine = Engine();
  EXPECT_CODE(Code::kInvalid, (*engine)->Commit());
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  EXPECT_CODE(Code::kInvalid, (*engine)->Commit());
}

// W-10: an engine that waits for its memory does not become the writer that wipes it.
TEST_P(MemoryManagerTest, LeaseThatCouldReplacePreservedMemoryMustBeMeant) {
  const auto engine = Published({"one"});
  ASSERT_OK((*engine)->Sleep());
  for (const LeaseRequest lease :
       {LeaseRequest::kRw, LeaseRequest::kRwOrRo, LeaseRequest::kRwShadow}) {
    const Status refused = (*engine)->Connect(lease);
    EXPECT_CODE(Code::kInvalid, refused);
    EXPECT_EQ(refused.reason(), MemoryManager::kPreservedMappings);
  }
  EXPECT_CODE(Code::kInvalid, (*engine)->Wake({.lease = LeaseRequest::kRwOrRo}));
  EXPECT_EQ(rig_.server().State().state, "COMMITTED");
  EXPECT_OK((*engine)->Wake());
}

// W-11: a reader that imported a part of the layout wakes with that part.
TEST_P(MemoryManagerTest, PartOfALayoutWakesByIdentity) {
  const auto writer = Published({"one", "two", "three"});
  const auto reader = Engine();
  ASSERT_OK((*reader)->Connect(LeaseRequest::kRo));
  ASSERT_OK_AND_ASSIGN(const uintptr_t address,
                       (*reader)->OpenMapping((*writer)->mappings()[1].allocation_id));
  ASSERT_OK((*reader)->Sleep());
  ASSERT_OK_AND_ASSIGN(const WakeReport report, (*reader)->Wake());
  EXPECT_EQ(report.mapped, 1U);
  EXPECT_EQ(reader->Read(address, 3), "two");
}

TEST_P(MemoryManagerTest, ConnectTwiceIsRefused) {
  const auto engine = Engine();
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  EXPECT_CODE(Code::kInvalid, (*engine)->Connect(LeaseRequest::kRw));
  EXPECT_EQ((*engine)->grant(), Grant::kRw);
}

TEST_P(MemoryManagerTest, LeaseThatDoesNotComeInTimeChangesNothing) {
  const auto engine = Engine();
  const Status timeout = (*engine)->Connect(
      LeaseRequest::kRo, WaitLimit::For(RealClock(), std::chrono::milliseconds(20)));
  EXPECT_CODE(Code::kDeadlineExceeded, timeout);
  EXPECT_OK((*engine)->failure());
  EXPECT_OK((*engine)->Connect(LeaseRequest::kRw));
}

// A24, A26: sealed memory is adopted by a successor with its bytes.
TEST_P(MemoryManagerTest, SealedMemoryIsAdoptedWithItsBytes) {
  const auto first = Engine("kv_cache");
  ASSERT_OK((*first)->Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(const uintptr_t address, (*first)->CreateMapping(4096, "kv_cache"));
  first->Write(address, "kept");
  ASSERT_OK((*first)->CommitLayout());
  EXPECT_EQ((*first)->grant(), Grant::kRwData);
  first->Write(address, "KEPT");  // contents stay writable
  EXPECT_CODE(Code::kPermissionDenied, (*first)->CreateMapping(4096, "kv_cache"));
  ASSERT_OK((*first)->Sleep());
  ASSERT_OK_AND_ASSIGN(const WakeReport report,
                       (*first)->Wake({.lease = LeaseRequest::kRwDataOrRw}));
  EXPECT_EQ(report.grant, Grant::kRwData);
  EXPECT_EQ(first->Read(address, 4), "KEPT");
  EXPECT_EQ((*first)->Find(address)->access, Access::kReadWrite);
}

// W-57: sealed memory of another shape is replaced when the engine says so.
TEST_P(MemoryManagerTest, SealedMemoryThatDoesNotFitIsReplacedOnRequest) {
  const auto engine = Engine("kv_cache");
  ASSERT_OK((*engine)->Connect(LeaseRequest::kRw));
  ASSERT_OK_AND_ASSIGN(const uintptr_t address, (*engine)->CreateMapping(8192, "kv_cache"));
  ASSERT_OK((*engine)->Sleep());
  {
    const auto other = rig_.Engine("kv_cache");
    ASSERT_OK((*other)->Connect(LeaseRequest::kRw));
    ASSERT_OK((*other)->CreateMapping(4096, "kv_cache"));
    ASSERT_OK((*other)->CommitLayout());
  }
  EXPECT_CODE(Code::kConflict, (*engine)->Wake({.lease = LeaseRequest::kRwDataOrRw}));
  EXPECT_FALSE((*engine)->Find(address)->mapped);
  ASSERT_OK_AND_ASSIGN(const WakeReport report, (*engine)->Wake({.lease = LeaseRequest::kRwDataOrRw,
                                                                 .replace_misfit = true}));
  EXPECT_EQ(report.grant, Grant::kRw);
  engine->Write(address, "mine");
}

}  // namespace
}  // namespace hearth::gms
