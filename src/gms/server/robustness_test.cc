// Clients that are broken, slow, hostile or many.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/testing/server_rig.h"

namespace hearth::gms::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

void ExpectServing(ServerRig& rig) {
  TestClient client = rig.Connect("kv_cache");
  ASSERT_OK(client.Lock("rw"));
  EXPECT_OK(client.Allocate(4096));
}

// E03, W-12: what is no message is answered and ends the connection; others notice nothing.
TEST(Robustness, BytesThatAreNoMessageEndTheConnection) {
  ServerRig rig;
  for (const std::string& bytes :
       {std::string("\0\0\0\1\xc1", 5), std::string("\0\0\0\0", 4),
        std::string("\0\0\0\2\x90\x90", 6), std::string("\0\0\0\3\x81\xa0\x01", 7)}) {
    TestClient client = rig.Connect();
    ASSERT_OK(client.channel().SendFrame(bytes, Soon()));
    EXPECT_EQ(client.channel().Receive<CommitResponse>(Soon()).status().reason(),
              ReasonOf(ErrorCode::kMalformed));
    EXPECT_TRUE(client.Ended());
  }
  ExpectServing(rig);
}

// W-14
TEST(Robustness, AFrameThatIsTooLongEndsTheConnection) {
  ServerRig rig;
  TestClient client = rig.Connect();
  ASSERT_OK(client.Lock("rw"));
  ASSERT_OK(client.channel().SendFrame("\xff\xff\xff\xff", Soon()));
  EXPECT_TRUE(client.Ended());
  EXPECT_TRUE(rig.BecomesState("EMPTY")) << "with its lease";
}

// Who has not said yet what it wants gets little memory for it.
TEST(Robustness, TheFirstRequestIsSmallAndLaterOnesNeedNotBe) {
  ServerRig rig;
  TestClient stranger = rig.Connect();
  ASSERT_OK(stranger.channel().SendFrame(std::string_view("\0\1\0\1", 4), Soon()));
  EXPECT_TRUE(stranger.Ended());
  TestClient writer = rig.Connect();
  ASSERT_OK(writer.Lock("rw"));
  ASSERT_OK_AND_ASSIGN(const auto made, writer.Allocate(4096));
  EXPECT_OK(writer.Put("key", made.allocation_id, 0, std::string(100'000, 'v')));
}

// Half of a request costs memory as a whole one does, and nobody answers it.
TEST(Robustness, UnfinishedRequestsOfAllClientsHaveOneLimit) {
  ServerRig rig({.options = {.unfinished_bytes = 1U << 20}});
  rig.Publish();
  const std::string request = EncodeFrame(MetadataGetRequest{std::string(600'000, 'k')});
  const std::string_view half = std::string_view(request).substr(0, request.size() - 1);
  TestClient first = rig.Connect();
  ASSERT_OK(first.Lock("ro"));
  ASSERT_OK(first.channel().SendFrame(half, Soon()));
  TestClient second = rig.Connect();
  ASSERT_OK(second.Lock("ro"));
  (void)second.channel().SendFrame(half, Soon());
  EXPECT_TRUE(second.Ended());
  TestClient other = rig.Connect();
  ASSERT_OK(other.Lock("ro"));
  EXPECT_EQ(other.CountAllocations(), 1) << "ordinary requests have their room";
  ASSERT_OK(first.channel().SendFrame(request.substr(half.size()), Soon()));
  EXPECT_OK(first.channel().Receive<MetadataGetResponse>(Soon()));
  ASSERT_OK(first.channel().SendFrame(request, Soon()));
  EXPECT_OK(first.channel().Receive<MetadataGetResponse>(Soon()));
}

TEST(Robustness, AMalformedRequestEndsTheSessionWithItsLease) {
  ServerRig rig;
  TestClient client = rig.Connect();
  ASSERT_OK(client.Lock("rw"));
  ASSERT_OK(client.channel().SendFrame(std::string("\0\0\0\1\xc1", 5), Soon()));
  EXPECT_TRUE(client.Ended());
  EXPECT_TRUE(rig.BecomesState("EMPTY"));
}

// W-12
TEST(Robustness, AConnectionThatSaysNothingIsClosed) {
  ServerRig rig({.options = {.handshake_timeout = milliseconds(20)}});
  TestClient silent = rig.Connect();
  TestClient half = rig.Connect();
  ASSERT_OK(half.channel().SendFrame(std::string_view("\0\0", 2), Soon()));
  EXPECT_TRUE(silent.Ended());
  EXPECT_TRUE(half.Ended());
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  TestClient gone = rig.Connect();
  EXPECT_TRUE(gone.Ended()) << "by then the reader's time would be over as well";
  EXPECT_OK(reader.LockState());
}

TEST(Robustness, ConnectionsAboveTheLimitAreToldAndClosed) {
  ServerRig rig({.options = {.max_connections = 2}});
  TestClient first = rig.Connect("kv_cache");
  ASSERT_OK(first.Lock("rw"));
  TestClient second = rig.Connect();
  ASSERT_OK(second.Lock("rw"));
  TestClient third = rig.Connect();
  EXPECT_EQ(third.Answer().status().reason(), ReasonOf(ErrorCode::kLimitReached));
  second.Close();
  EXPECT_TRUE(ServerRig::Eventually([&] { return rig.Connect().Lock("rw", 1000).ok(); }));
}

TEST(Robustness, OneProcessHasOnlyAPartOfTheConnections) {
  ServerRig rig({.options = {.max_connections_of_one = 2}});
  TestClient first = rig.Connect("kv_cache");
  ASSERT_OK(first.Lock("rw"));
  TestClient second = rig.Connect();
  ASSERT_OK(second.Lock("rw"));
  TestClient third = rig.Connect();
  EXPECT_EQ(third.Answer().status().reason(), ReasonOf(ErrorCode::kLimitReached));
  EXPECT_EQ(rig.Status().domains.size(), 2U) << "the administration is nobody's part";
  second.Close();
  EXPECT_TRUE(ServerRig::Eventually([&] { return rig.Connect().Lock("rw", 1000).ok(); }));
}

// A client that asks and does not read its answers holds up nobody but itself.
TEST(Robustness, ASlowReaderDoesNotStallOthers) {
  ServerRig rig({.options = {.connection = {.answer_timeout = std::chrono::hours(1)}},
                 .open = [](int i) { return ServerRig::HostDevice(i, 64U << 20); }});
  rig.Publish(2000);
  TestClient slow = rig.Connect();
  ASSERT_OK(slow.LockExtended("ro"));
  std::string frames;
  for (int i = 0; i < 500; ++i) {
    frames += EncodeFrame(ListAllocationsRequest{});
  }
  const std::string open = EncodeFrame(OpenLayoutRequest{});
  ASSERT_OK(slow.channel().SendFrame(frames + open, Soon()));
  ExpectServing(rig);
  TestClient other = rig.Connect();
  ASSERT_OK(other.Lock("ro"));
  EXPECT_EQ(other.CountAllocations(), 2000);
  for (int i = 0; i < 500; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto list, slow.channel().Receive<ListAllocationsResponse>(Soon()));
    ASSERT_EQ(list.allocations.size(), 2000U);
  }
}

// W-03
TEST(Robustness, TwoThousandExportsLeaveNoDescriptorBehind) {
  ServerRig rig;
  rig.Publish();
  TestClient reader = rig.Connect();
  ASSERT_OK(reader.Lock("ro"));
  ASSERT_OK_AND_ASSIGN(const auto list,
                       reader.Call<ListAllocationsResponse>(ListAllocationsRequest{}));
  const std::string id = list.allocations[0].allocation_id;
  ASSERT_OK(reader.Export(id));
  reader.CountAllocations();  // answered only after the server is done with the export
  const size_t before = OpenFds();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_OK(reader.Export(id));
  }
  reader.CountAllocations();
  EXPECT_LE(OpenFds(), before);
}

TEST(Robustness, ConnectionsThatComeAndGoLeaveNothingBehind) {
  ServerRig rig;
  rig.Publish();
  { ExpectServing(rig); }
  ASSERT_TRUE(rig.BecomesState("EMPTY", "kv_cache"));
  const size_t before = OpenFds();
  for (int i = 0; i < 300; ++i) {
    TestClient client = rig.Connect(i % 2 == 0 ? "weights" : "kv_cache");
    client.Ask(i % 3 == 0 ? "rw" : "rw_or_ro");
    if (i % 5 == 0) {
      (void)client.Answer();
    }
  }
  EXPECT_TRUE(ServerRig::Eventually([&] { return OpenFds() <= before; }));
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
}

// Random bytes, cut anywhere, from many connections: the server serves on.
TEST(Robustness, RandomSessionsAreSurvived) {
  ServerRig rig;
  rig.Publish();
  Random random(4711);
  const std::string good = EncodeFrame(HandshakeRequest{.lock_type = "rw_or_ro", .extension = 1}) +
                           EncodeFrame(OpenLayoutRequest{}) +
                           EncodeFrame(AllocateRequest{.size = 4096}) +
                           EncodeFrame(CommitRequest{.in_place = true});
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good.substr(0, random.Below(good.size() + 1));
    for (uint64_t i = random.Below(4); i > 0 && !bytes.empty(); --i) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    TestClient client = rig.Connect();
    if (!bytes.empty()) {
      (void)client.channel().SendFrame(bytes, Soon());
    }
  }
  EXPECT_TRUE(rig.BecomesState("COMMITTED"));
  ExpectServing(rig);
}

// 32 clients that do everything at once, with nothing lost in the end.
TEST(Robustness, ThirtyTwoClientsAtOnce) {
  ServerRig rig({.devices = 2, .open = [](int i) {
                   DeviceSetup setup = ServerRig::HostDevice(i, 64U << 20);
                   setup.quick = i == 0;
                   return setup;
                 }});
  rig.Publish(8);
  std::vector<std::thread> clients;
  for (int i = 0; i < 32; ++i) {
    clients.emplace_back([&rig, i] {
      Random random(static_cast<uint64_t>(i));
      for (int round = 0; round < 10; ++round) {
        TestClient client = rig.Connect(i % 4 == 0 ? "kv_cache" : "weights", i % 2);
        const auto lease = client.LockExtended(random.Below(4) == 0 ? "rw" : "rw_or_ro");
        ASSERT_OK(lease);
        if (lease->granted_lock_type == "rw") {
          ASSERT_OK(client.Allocate(static_cast<int64_t>(random.Below(100'000) + 1)));
          if (random.Below(2) == 0) {
            ASSERT_OK(client.Call<CommitResponse>(CommitRequest{.in_place = true}));
          }
        }
        ASSERT_OK(client.channel().Send(OpenLayoutRequest{}, Soon()));
        if (random.Below(3) != 0) {
          ASSERT_OK(client.channel().Receive<OpenLayoutResponse>(Soon()));
        }
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_TRUE(ServerRig::Eventually([&] {
    for (const DomainItem& domain : rig.Status().domains) {
      if (!domain.sessions.empty()) {
        return false;
      }
    }
    return true;
  }));
  for (const int device : {0, 1}) {
    TestClient client = rig.Connect("weights", device);
    EXPECT_OK(client.Lock("rw_or_ro"));
  }
}

// B03: a listener that breaks ends the server and says so.
TEST(Robustness, ABrokenListenerEndsTheServer) {
  ServerRig rig;
  const std::string path = rig.Path();
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_un address{};
    socklen_t size = sizeof(address);
    int listening = 0;
    socklen_t length = sizeof(listening);
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) == 0 && listening == 1 &&
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        path == address.sun_path) {
      ::shutdown(fd, SHUT_RDWR);
    }
  }
  const Status status = rig.Wait();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("GMS server stopped unexpectedly"));
}

}  // namespace
}  // namespace hearth::gms::server
