// The administration's socket: who holds what, ending sessions, metrics, handing over.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <atomic>
#include <filesystem>
#include <future>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/faulty_device.h"
#include "gms/server/internal/listening_socket.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// W-51
TEST(Administration, StatusTellsWhoHoldsAndWhoWaits) {
  ServerRig rig({.devices = 2, .options = {.version = "1.2.3"}});
  rig.Publish(3);
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.LockExtended("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  ASSERT_TRUE(rig.WritersWait(1));
  const StatusResponse status = rig.Status();
  EXPECT_EQ(status.version, "1.2.3");
  EXPECT_EQ(status.pid, ::getpid());
  ASSERT_THAT(status.domains, SizeIs(4));
  const DomainItem& weights = status.domains[0];
  EXPECT_EQ(weights.domain, "weights");
  EXPECT_EQ(weights.gpu_uuid, ServerRig::Uuid(0));
  EXPECT_EQ(weights.socket, rig.Path());
  EXPECT_EQ(weights.state, "RO");
  EXPECT_EQ(weights.allocation_count, 3);
  EXPECT_EQ(weights.bytes, 3 * 4096);
  EXPECT_EQ(weights.device_total_bytes, static_cast<int64_t>(ServerRig::kDeviceBytes));
  EXPECT_EQ(weights.device_free_bytes, static_cast<int64_t>(ServerRig::kDeviceBytes) - 3 * 4096);
  EXPECT_EQ(weights.fence, "serving");
  ASSERT_THAT(weights.sessions, SizeIs(2));
  EXPECT_EQ(weights.sessions[0].grant, "ro");
  EXPECT_EQ(weights.sessions[0].client, "test");
  EXPECT_EQ(weights.sessions[0].pid, ::getpid());
  EXPECT_EQ(weights.sessions[0].uid, ::getuid());
  EXPECT_EQ(weights.sessions[1].grant, "");
  EXPECT_EQ(weights.sessions[1].request, "rw");
}

TEST(Administration, EvictingEndsTheSessionAndServesTheNext) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient writer = rig.Connect();
  writer.Ask("rw");
  ASSERT_TRUE(rig.WritersWait(1));
  TestClient admin(rig.AdminPath());
  const uint64_t session = rig.Status().domains[0].sessions[0].session;
  ASSERT_OK_AND_ASSIGN(const auto evicted, admin.Call<EvictResponse>(EvictRequest{session}));
  EXPECT_TRUE(evicted.evicted);
  EXPECT_TRUE(reader.Ended());
  EXPECT_OK(writer.Answer());
  ASSERT_OK_AND_ASSIGN(const auto again, admin.Call<EvictResponse>(EvictRequest{session}));
  EXPECT_FALSE(again.evicted);
}

// W-50
TEST(Administration, MetricsAreTold) {
  ServerRig rig;
  rig.Publish(2);
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  EXPECT_FALSE(reader.Allocate(1).ok());
  TestClient admin(rig.AdminPath());
  ASSERT_OK_AND_ASSIGN(const auto metrics, admin.Call<MetricsResponse>(MetricsRequest{}));
  for (const char* line :
       {"gms_leases_granted_total{grant=\"rw\"} 1", "gms_leases_granted_total{grant=\"ro\"} 1",
        "gms_requests_total{type=\"allocate_request\"} 3",
        "gms_errors_total{reason=\"NotAllowed\"} 1",
        "gms_readers{domain=\"weights\",gpu_uuid=\"GPU-test-0\"} 1",
        "gms_bytes{domain=\"weights\",gpu_uuid=\"GPU-test-0\"} 8192",
        "gms_request_seconds_count"}) {
    EXPECT_THAT(metrics.text, HasSubstr(line));
  }
}

TEST(Administration, WhatItDoesNotKnowIsRefusedAndTheConnectionGoesOn) {
  ServerRig rig;
  TestClient admin(rig.AdminPath());
  EXPECT_EQ(admin.Lock("rw").status().reason(), ReasonOf(ErrorCode::kUnknownMessage));
  EXPECT_FALSE(admin.Call<HandOverDoneResponse>(HandOverDoneRequest{}).ok());
  EXPECT_OK(admin.Call<StatusResponse>(StatusRequest{}));
}

// ---- Handing over.

struct Successor {
  std::unique_ptr<Server> server;
  Status status;
};

Successor TakeOverFrom(const ServerRig& rig, int devices = 1) {
  std::vector<DeviceSetup> setups;
  for (int i = 0; i < devices; ++i) {
    setups.push_back(ServerRig::HostDevice(i, 64U << 20));
  }
  auto server = Server::Create({.directory = rig.directory()}, std::move(setups), Logger::Null());
  EXPECT_OK(server);
  Successor successor{*std::move(server), Status::Ok()};
  successor.status = successor.server->TakeOver(Soon());
  return successor;
}

// W-55
// J04: what another process takes up has the same identities, hash and bytes, and fresh readers.
TEST(HandOver, WhatIsCommittedSurvivesWithItsBytesAndItsGeneration) {
  ServerRig rig({.open = [](int i) { return ServerRig::HostDevice(i, 64U << 20); }});
  rig.Publish(1);
  rig.Publish(300);
  TestClient sealer = rig.Connect("kv_cache");
  ASSERT_OK(sealer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto cache, sealer.Allocate(4096));
  ASSERT_OK_AND_ASSIGN(const UniqueFd cache_fd, sealer.Export(cache.allocation_id));
  ASSERT_EQ(::pwrite(cache_fd.get(), "cached", 6, 0), 6);
  ASSERT_OK(sealer.Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  TestClient reader = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto before, reader.LockExtended("ro"));
  ASSERT_OK_AND_ASSIGN(const auto list,
                       reader.Call<ListAllocationsResponse>(ListAllocationsRequest{}));

  Successor successor = TakeOverFrom(rig);
  ASSERT_OK(successor.status);
  ASSERT_OK(successor.server->Listen());
  EXPECT_OK(rig.Wait());
  EXPECT_TRUE(reader.Ended()) << "leases end with the server";
  std::thread thread([&] { EXPECT_OK(successor.server->Run()); });

  TestClient again(rig.Path());
  EXPECT_OK(again.Call<HandshakeResponse>(
      HandshakeRequest{.lock_type = "ro", .extension = 1, .expected_nonce = before.nonce}));
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       again.Call<OpenLayoutResponse>(OpenLayoutRequest{
                           .expected_generation = before.generation, .with_fds = false}));
  ASSERT_THAT(opened.allocations, SizeIs(300));
  EXPECT_EQ(opened.allocations[299].allocation_id, list.allocations[299].allocation_id);
  EXPECT_THAT(opened.metadata, SizeIs(300));
  EXPECT_OK(again.Export(opened.allocations[0].allocation_id));
  TestClient adopter(rig.Path("kv_cache"));
  ASSERT_OK_AND_ASSIGN(const auto adopted, adopter.Lock("rw_data_or_rw"));
  EXPECT_EQ(adopted.granted_lock_type, "rw_data");
  ASSERT_OK_AND_ASSIGN(const UniqueFd fd, adopter.Export(cache.allocation_id));
  char bytes[6] = {};
  ASSERT_EQ(::pread(fd.get(), bytes, 6, 0), 6);
  EXPECT_EQ(std::string_view(bytes, 6), "cached");
  successor.server->Stop();
  thread.join();
}

// The newest generation goes over. An older one belongs to those who have mapped it, as long as
// they have; nobody else can get it, and whoever insists on it is told.
TEST(HandOver, ReadersOfAnOlderGenerationKeepWhatTheyHaveAndNothingMore) {
  ServerRig rig({.open = [](int i) { return ServerRig::HostDevice(i, 64U << 20); }});
  rig.Publish(1);
  TestClient reader = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto older, reader.LockExtended("ro"));
  ASSERT_OK_AND_ASSIGN(const auto list,
                       reader.Call<ListAllocationsResponse>(ListAllocationsRequest{}));
  ASSERT_OK_AND_ASSIGN(const UniqueFd held, reader.Export(list.allocations[0].allocation_id));
  TestClient writer = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto newer, writer.LockExtended("rw_shadow"));
  ASSERT_OK(writer.Allocate(4096, "w", "new"));
  ASSERT_OK(writer.Commit());
  ASSERT_GT(newer.generation, older.generation);

  Successor successor = TakeOverFrom(rig);
  ASSERT_OK(successor.status);
  ASSERT_OK(successor.server->Listen());
  EXPECT_OK(rig.Wait());
  EXPECT_TRUE(reader.Ended());
  std::thread thread([&] { EXPECT_OK(successor.server->Run()); });
  char byte = 1;
  EXPECT_EQ(::pread(held.get(), &byte, 1, 0), 1) << "the memory is there while somebody holds it";
  TestClient again(rig.Path());
  ASSERT_OK_AND_ASSIGN(const auto found, again.LockExtended("ro"));
  EXPECT_EQ(found.generation, newer.generation);
  EXPECT_CODE(Code::kGone, again.Call<OpenLayoutResponse>(
                               OpenLayoutRequest{.expected_generation = older.generation}));
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       again.Call<OpenLayoutResponse>(OpenLayoutRequest{.with_fds = false}));
  ASSERT_THAT(opened.allocations, SizeIs(1));
  EXPECT_EQ(opened.allocations[0].allocation_id, "new");
  successor.server->Stop();
  thread.join();
}

// What a writer has not committed is lost with its lease; what it was about to replace is not.
TEST(HandOver, AWriterInTheMiddleBeginsAnewAndWhatWasThereBeforeIsThere) {
  ServerRig rig({.open = [](int i) { return ServerRig::HostDevice(i, 64U << 20); }});
  rig.Publish(2);
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK(writer.Allocate(4096));
  Successor successor = TakeOverFrom(rig);
  ASSERT_OK(successor.status);
  ASSERT_OK(successor.server->Listen());
  EXPECT_OK(rig.Wait());
  EXPECT_TRUE(writer.Ended());
  std::thread thread([&] { EXPECT_OK(successor.server->Run()); });
  TestClient reader(rig.Path());
  ASSERT_OK(reader.Lock("ro"));
  EXPECT_EQ(reader.CountAllocations(), 2);
  successor.server->Stop();
  thread.join();
}

// With the same nonce a number must not mean two things, whether it was committed or not.
TEST(HandOver, NumbersOfGenerationsGoOn) {
  ServerRig rig;
  rig.Publish();
  TestClient writer = rig.Connect();
  ASSERT_OK_AND_ASSIGN(const auto second, writer.LockExtended("rw"));
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK_AND_ASSIGN(const auto first, cache.LockExtended("rw"));
  Successor successor = TakeOverFrom(rig);
  ASSERT_OK(successor.status);
  ASSERT_OK(successor.server->Listen());
  EXPECT_OK(rig.Wait());
  std::thread thread([&] { EXPECT_OK(successor.server->Run()); });
  for (const auto& [tag, before] : {std::pair("weights", second), std::pair("kv_cache", first)}) {
    TestClient next(rig.Path(tag));
    ASSERT_OK_AND_ASSIGN(const auto after, next.LockExtended("rw"));
    EXPECT_EQ(after.nonce, before.nonce);
    EXPECT_GT(after.generation, before.generation) << tag;
  }
  successor.server->Stop();
  thread.join();
}

TEST(HandOver, ASuccessorThatCannotTakeEverythingTakesNothing) {
  ServerRig rig({.devices = 2});
  rig.Publish();
  TestClient other = rig.Connect("weights", 1);
  ASSERT_OK(other.Lock("rw"));
  ASSERT_OK(other.Allocate(1));
  ASSERT_OK(other.Commit());
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  EXPECT_THAT(TakeOverFrom(rig, 1).status.message(), HasSubstr("which this one does not serve"));
  EXPECT_EQ(reader.CountAllocations(), 1) << "the session never noticed";
  TestClient writer = rig.Connect("kv_cache");
  EXPECT_OK(writer.Lock("rw"));
}

TEST(HandOver, WhileItGoesOnNothingChanges) {
  ServerRig rig;
  rig.Publish();
  TestClient writer = rig.Connect("kv_cache");
  ASSERT_OK(writer.Lock("rw"));
  {
    TestClient successor(rig.AdminPath());
    ASSERT_OK(successor.channel().Send(HandOverRequest{}, Soon()));
    ASSERT_OK(successor.channel().Receive<HandOverResponse>(Soon()));
    ASSERT_OK(writer.channel().Send(AllocateRequest{.size = 1}, Soon()));
    const auto early = writer.channel().Receive<AllocateResponse>(
        WaitLimit::For(RealClock(), std::chrono::milliseconds(20)));
    EXPECT_CODE(Code::kDeadlineExceeded, early);
    TestClient second(rig.AdminPath());
    ASSERT_OK(second.channel().Send(HandOverRequest{}, Soon()));
    EXPECT_CODE(Code::kAlreadyExists, second.channel().Receive<HandOverResponse>(Soon()));
  }
  // The successor is gone, and all goes on.
  EXPECT_OK(writer.channel().Receive<AllocateResponse>(Soon()));
}

TEST(HandOver, WhoHasJustConnectedHasItsTimeAfterwards) {
  ServerRig rig({.options = {.handshake_timeout = std::chrono::seconds(2)}});
  TestClient silent = rig.Connect();
  (void)rig.State();  // by now it has been accepted
  {
    TestClient successor(rig.AdminPath());
    ASSERT_OK(successor.channel().Send(HandOverRequest{}, Soon()));
    ASSERT_OK(successor.channel().Receive<HandOverResponse>(Soon()));
    EXPECT_CODE(Code::kDeadlineExceeded, silent.channel().Receive<HandshakeResponse>(WaitLimit::For(
                                             RealClock(), std::chrono::milliseconds(2500))));
  }
  EXPECT_OK(silent.Lock("rw"));
}

// Holds up the whole server until it is let go on.
class HoldsUp : public FaultyDevice {
 public:
  using FaultyDevice::FaultyDevice;
  Result<Handle> Create(uint64_t size) override {
    held_.set_value();
    go_on_.get_future().wait();
    return FaultyDevice::Create(size);
  }
  void AwaitHeld() { held_.get_future().wait(); }
  void GoOn() { go_on_.set_value(); }

 private:
  std::promise<void> held_;
  std::promise<void> go_on_;
};

// What it commits would not be handed over.
TEST(HandOver, WhoConnectsInTheMomentInWhichItBeginsWaitsToo) {
  HoldsUp* device = nullptr;
  ServerRig rig({.open = [&](int i) {
    auto holds_up = std::make_unique<HoldsUp>(ServerRig::HostDevice(i).device);
    device = holds_up.get();
    return DeviceSetup{std::move(holds_up), true};
  }});
  TestClient other = rig.Connect("kv_cache");
  ASSERT_OK(other.Lock("rw"));
  TestClient successor(rig.AdminPath());
  ASSERT_OK(successor.Call<StatusResponse>(StatusRequest{}));
  ASSERT_OK(other.channel().Send(AllocateRequest{.size = 1}, Soon()));
  device->AwaitHeld();
  ASSERT_OK(successor.channel().Send(HandOverRequest{}, Soon()));
  TestClient late = rig.Connect();
  late.Ask("rw");
  device->GoOn();
  ASSERT_OK(successor.channel().Receive<HandOverResponse>(Soon()));
  for (int look = 0; look < 3; ++look) {
    EXPECT_THAT(rig.Status().domains[0].sessions, SizeIs(0));
  }
  successor.Close();
  EXPECT_OK(late.Answer());
}

// One that hangs, and does not hang up.
TEST(HandOver, ASuccessorThatDoesNotGetOnIsGivenUp) {
  ServerRig rig({.options = {.hand_over_limit = std::chrono::milliseconds(20)}});
  rig.Publish();
  TestClient writer = rig.Connect("kv_cache");
  ASSERT_OK(writer.Lock("rw"));
  TestClient successor(rig.AdminPath());
  ASSERT_OK(successor.channel().Send(HandOverRequest{}, Soon()));
  ASSERT_OK(successor.channel().Receive<HandOverResponse>(Soon()));
  EXPECT_OK(writer.Allocate(1));  // waits until the successor is given up
  EXPECT_FALSE(successor.Call<HandOverDoneResponse>(HandOverDoneRequest{}).ok())
      << "too late: this server serves";
  EXPECT_EQ(rig.State().state, "COMMITTED");
}

// As a successor, up to the moment in which it could be asked to serve.
TestClient FetchAll(const ServerRig& rig) {
  TestClient successor(rig.AdminPath());
  EXPECT_OK(successor.channel().Send(HandOverRequest{}, Soon()));
  for (bool more = true; more;) {
    const auto part = successor.channel().Receive<HandOverResponse>(Soon());
    EXPECT_OK(part);
    more = part.ok() && !part->domain.empty();
    if (more) {
      EXPECT_OK(successor.channel().TakeFds(part->allocations.size()));
    }
  }
  return successor;
}

TEST(HandOver, ASuccessorThatEndsAsSoonAsItHasAllLeavesAServerThatServes) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  for (int round = 0; round < 50; ++round) {
    TestClient successor = FetchAll(rig);
    ASSERT_OK(successor.channel().Send(HandOverDoneRequest{}, Soon()));
    successor.Close();
    ASSERT_EQ(reader.CountAllocations(), 1) << "the session waited and never noticed";
    ASSERT_EQ(rig.State().state, "RO");
    ASSERT_OK(TestClient(rig.AdminPath()).Call<StatusResponse>(StatusRequest{}));
  }
}

TEST(HandOver, ASuccessorThatEndsBeforeItListensLeavesAServerThatServes) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  ASSERT_OK(TakeOverFrom(rig).status);  // and is gone
  EXPECT_EQ(reader.CountAllocations(), 1);
  EXPECT_EQ(rig.State().state, "RO");
  EXPECT_TRUE(std::filesystem::is_symlink(rig.directory() + "/gms_0_weights.sock"));
  Successor next = TakeOverFrom(rig);
  ASSERT_OK(next.status);
  EXPECT_OK(next.server->Listen());
  EXPECT_OK(rig.Wait());  // another one may try
}

TEST(HandOver, ASuccessorThatIsToldToStopBeforeItServesLeavesAServerThatServes) {
  ServerRig rig;
  rig.Publish();
  const UniqueFd signals(::eventfd(0, EFD_CLOEXEC));
  {
    Successor successor = TakeOverFrom(rig);
    ASSERT_OK(successor.status);
    successor.server->StopOn(signals.get());
    ASSERT_EQ(::eventfd_write(signals.get(), 1), 0);
    EXPECT_CODE(Code::kCancelled, successor.server->Listen());
  }
  ASSERT_TRUE(ServerRig::Eventually([&] { return std::filesystem::exists(rig.AdminPath()); }));
  EXPECT_EQ(rig.State().state, "COMMITTED");
}

// Somebody takes its path, and leaves it again.
TEST(HandOver, AServerWhoseSuccessorEndedComesBackAsSoonAsItCan) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient successor = FetchAll(rig);
  ASSERT_OK(successor.Call<HandOverDoneResponse>(HandOverDoneRequest{}));
  EXPECT_FALSE(std::filesystem::exists(rig.Path()));
  {
    ASSERT_OK_AND_ASSIGN(const auto other, ListeningSocket::Bind(rig.Path(), 0600));
    successor.Close();
    ASSERT_OK(reader.channel().Send(GetAllocationStateRequest{}, Soon()));
    EXPECT_CODE(Code::kDeadlineExceeded,
                reader.channel().Receive<GetAllocationStateResponse>(
                    WaitLimit::For(RealClock(), std::chrono::milliseconds(20))));
  }
  EXPECT_OK(reader.channel().Receive<GetAllocationStateResponse>(Soon()));
  EXPECT_EQ(rig.State().state, "RO");
}

class CountsErrors : public LogSink {
 public:
  void Write(LogLevel level, std::string_view /*line*/) override {
    count_ += level == LogLevel::kError ? 1 : 0;
  }
  int count() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
};

// It tries ten times a second, perhaps for days.
TEST(HandOver, AServerThatCannotComeBackComplainsOnce) {
  const auto errors = std::make_shared<CountsErrors>();
  const ServerRig rig({.log = Logger(errors, LogFormat::kText, LogLevel::kError)});
  TestClient successor = FetchAll(rig);
  ASSERT_OK(successor.Call<HandOverDoneResponse>(HandOverDoneRequest{}));
  ASSERT_OK_AND_ASSIGN(const auto other, ListeningSocket::Bind(rig.Path(), 0600));
  successor.Close();
  for (int tries = 0; tries < 4; ++tries) {  // each looks whether somebody is there
    pollfd somebody{.fd = other.fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&somebody, 1, 60'000), 1);
    const UniqueFd looks(::accept(other.fd(), nullptr, nullptr));
  }
  EXPECT_EQ(errors->count(), 1);
}

TEST(HandOver, WhatIsSaidOutOfOrderChangesNothing) {
  ServerRig rig;
  rig.Publish();
  TestClient successor = FetchAll(rig);
  ASSERT_OK(successor.channel().Send(HandOverTakenNotice{}, Soon()));
  EXPECT_CODE(Code::kInvalid, successor.channel().Receive<HandOverDoneResponse>(Soon()));
  ASSERT_OK(successor.Call<HandOverDoneResponse>(HandOverDoneRequest{}));
  EXPECT_CODE(Code::kInvalid, successor.Call<HandOverDoneResponse>(HandOverDoneRequest{}));
  successor.Close();
  EXPECT_EQ(TestClient(rig.Path()).Lock("ro")->granted_lock_type, "ro");
}

TEST(HandOver, WhatIsHandedOverMakesNoRoomMeanwhile) {
  constexpr uint64_t kMiB = 1U << 20;
  ServerRig rig({.options = {.alloc_retry_interval = std::chrono::milliseconds(5)},
                 .open = [](int i) { return ServerRig::HostDevice(i, 4 * kMiB); }});
  rig.Publish(300);
  TestClient cache = rig.Connect("kv_cache");
  ASSERT_OK(cache.Lock("rw"));
  ASSERT_OK(cache.Allocate(2 * kMiB));
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK(writer.channel().Send(AllocateRequest{.size = 7 * kMiB / 2}, Soon()));
  ASSERT_TRUE(ServerRig::Eventually([&] {
    const auto events = rig.Events();
    return std::find(events.begin(), events.end(), "allocation_oom") != events.end();
  }));
  const auto weights = [&] { return rig.Status().domains[0]; };
  const int64_t kept = weights().kept_bytes;
  {
    TestClient successor(rig.AdminPath());
    ASSERT_OK(successor.channel().Send(HandOverRequest{}, Soon()));
    ASSERT_OK(successor.channel().Receive<HandOverResponse>(Soon()));
    cache.Close();  // now the old weights would be enough
    ASSERT_TRUE(ServerRig::Eventually(
        [&] { return weights().device_free_bytes > static_cast<int64_t>(2 * kMiB); }));
    for (int look = 0; look < 5; ++look) {
      EXPECT_EQ(weights().kept_bytes, kept);
    }
  }
  // The successor is gone: now they make room.
  EXPECT_OK(writer.channel().Receive<AllocateResponse>(Soon()));
}

TEST(HandOver, ACheckpointIsNotInterrupted) {
  ServerRig rig;
  rig.Publish();
  TestClient controller = rig.Connect();
  ASSERT_OK(controller.Call<CheckpointStateResponse>(PrepareCheckpointRequest{}));
  EXPECT_THAT(TakeOverFrom(rig).status.message(), HasSubstr("a checkpoint is being taken"));
}

// As one whose thread has not come to it yet.
class NeverSeals : public FaultyDevice {
 public:
  using FaultyDevice::FaultyDevice;
  Status Seal(Handle /*handle*/) override { return UnavailableError("later"); }
};

TEST(HandOver, WhatWasNotYetSealedIsSealedByTheSuccessor) {
  ServerRig rig({.open = [](int i) {
    DeviceSetup setup = ServerRig::HostDevice(i, 64U << 20);
    return DeviceSetup{std::make_unique<NeverSeals>(std::move(setup.device)), setup.quick};
  }});
  rig.Publish();
  Successor successor = TakeOverFrom(rig);
  ASSERT_OK(successor.status);
  ASSERT_OK(successor.server->Listen());
  EXPECT_OK(rig.Wait());
  std::thread thread([&] { EXPECT_OK(successor.server->Run()); });
  TestClient reader(rig.Path());
  EXPECT_OK(reader.Lock("ro"));
  const auto list = reader.Call<ListAllocationsResponse>(ListAllocationsRequest{});
  EXPECT_OK(list);
  EXPECT_TRUE(ServerRig::Eventually([&] {
    const auto fd = reader.Export(list->allocations.at(0).allocation_id);
    return fd.ok() && (::fcntl(fd->get(), F_GET_SEALS) & F_SEAL_FUTURE_WRITE) != 0;
  }));
  successor.server->Stop();
  thread.join();
}

// ---- Starting and ending.

TEST(Startup, SocketsLinksAndTheAdministrationAreThereAndGoWithTheServer) {
  ServerRig rig({.devices = 2});
  EXPECT_TRUE(std::filesystem::is_symlink(rig.directory() + "/gms_1_kv_cache.sock"));
  TestClient by_number(rig.directory() + "/gms_1_kv_cache.sock");
  ASSERT_OK_AND_ASSIGN(const auto lease, by_number.LockExtended("rw"));
  EXPECT_EQ(lease.gpu_uuid, ServerRig::Uuid(1));
  EXPECT_OK(rig.Stop());
  EXPECT_TRUE(std::filesystem::is_empty(rig.directory()));
}

// B05, B06
TEST(Startup, TagsAndPathsMustMakeSense) {
  const auto create = [](ServerOptions options, int devices = 1) {
    options.directory = "/tmp";
    std::vector<DeviceSetup> setups;
    for (int i = 0; i < devices; ++i) {
      setups.push_back(ServerRig::HostDevice(i));
    }
    return ToStatus(Server::Create(std::move(options), std::move(setups), Logger::Null()));
  };
  EXPECT_OK(create({}));
  EXPECT_OK(create({.tags = {"kv_cache"}, .socket_path = "/tmp/x.sock"}));
  EXPECT_THAT(create({.tags = {"other"}}).message(), HasSubstr("invalid choice"));
  EXPECT_THAT(create({.tags = {"weights", "weights"}}).message(), HasSubstr("must be unique"));
  EXPECT_THAT(create({.socket_path = "/tmp/x.sock"}).message(),
              HasSubstr("requires exactly one --tag"));
  EXPECT_FALSE(create({.tags = {"weights"}, .socket_path = "/tmp/x.sock"}, 2).ok());
  EXPECT_FALSE(create({}, 0).ok());
}

TEST(Startup, ASecondServerInTheSameDirectoryIsRefused) {
  ServerRig rig;
  std::vector<DeviceSetup> setups;
  setups.push_back(ServerRig::HostDevice(0));
  ASSERT_OK_AND_ASSIGN(auto second, Server::Create({.directory = rig.directory()},
                                                   std::move(setups), Logger::Null()));
  EXPECT_THAT(second->Listen().message(), HasSubstr("GMS already running at"));
  second.reset();
  EXPECT_EQ(rig.State().state, "EMPTY") << "the first one's sockets are untouched";
}

}  // namespace
}  // namespace hearth::gms::server
