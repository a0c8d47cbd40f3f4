#include "gms/client/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <latch>
#include <thread>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/client/testing/scripted_server.h"

namespace hearth::gms {
namespace {

using Connection = ScriptedServer::Connection;

class SessionTest : public testing::Test {
 protected:
  ConnectOptions Options(LeaseRequest lease = LeaseRequest::kRo) const {
    return {.socket = path_, .lease = lease, .rpc_timeout = std::chrono::seconds(30)};
  }
  static HandshakeResponse Extended(const char* grant) {
    HandshakeResponse response = Granted(grant, false);
    response.extension = kExtensionVersion;
    response.nonce = "n1";
    response.gpu_uuid = "GPU-1";
    response.device_kind = "host";
    response.granularity = 4096;
    response.generation = 7;
    return response;
  }
  static size_t OpenFds() {
    size_t count = 0;
    for ([[maybe_unused]] const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
      ++count;
    }
    return count;
  }

  TempDirectory dir_;
  std::string path_ = dir_.path() + "/s.sock";
};

// A30, E07: a client that was started before the server waits for its socket.
TEST_F(SessionTest, WaitsForASocketThatAppearsLater) {
  auto connecting = std::async(std::launch::async, [&] { return Session::Connect(Options()); });
  ScriptedServer server(path_, [](Connection& c) { c.Shake(Granted("ro", true)); });
  ASSERT_OK_AND_ASSIGN(const auto session, connecting.get());
  EXPECT_EQ(session->grant(), Grant::kRo);
  EXPECT_TRUE(session->committed());
  EXPECT_FALSE(session->extended());
}

TEST_F(SessionTest, WaitsForAFolderThatAppearsLater) {
  path_ = dir_.path() + "/later/still/s.sock";
  auto connecting = std::async(std::launch::async, [&] { return Session::Connect(Options()); });
  std::filesystem::create_directories(dir_.path() + "/later/still");
  ScriptedServer server(path_, [](Connection& c) { c.Shake(Granted("rw", false)); });
  EXPECT_OK(connecting.get());
}

TEST_F(SessionTest, ReplacesAServerThatLeftItsSocketBehind) {
  {
    ScriptedServer dead(path_, [](Connection&) {});
  }
  auto connecting = std::async(std::launch::async, [&] { return Session::Connect(Options()); });
  std::filesystem::rename(path_, path_ + ".old");
  ScriptedServer server(path_, [](Connection& c) { c.Shake(Granted("ro", true)); });
  EXPECT_OK(connecting.get());
}

// A30, E07: a socket that does not come is given up at the deadline.
TEST_F(SessionTest, MissingSocketEndsAtTheConnectTimeout) {
  ConnectOptions options = Options();
  options.connect_timeout = std::chrono::milliseconds(50);
  const auto session = Session::Connect(options);
  EXPECT_CODE(Code::kUnavailable, session);
  EXPECT_NE(session.status().message().find(path_), std::string_view::npos);
}

TEST_F(SessionTest, StopEndsTheWaitForASocket) {
  std::stop_source stop;
  auto connecting = std::async(
      std::launch::async, [&] { return Session::Connect(Options(), {.stop = stop.get_token()}); });
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, connecting.get());
}

TEST_F(SessionTest, StopEndsTheWaitForALease) {
  std::stop_source stop;
  ScriptedServer server(path_, [&](Connection& c) {
    c.Receive<HandshakeRequest>();
    stop.request_stop();
    c.AwaitEnd();
  });
  EXPECT_CODE(Code::kCancelled, Session::Connect(Options(), {.stop = stop.get_token()}));
}

// W-37: waiting for admission has no limit unless one is given, whatever the other limits are.
TEST_F(SessionTest, AdmissionIsUnlimitedUnlessSaidOtherwise) {
  constexpr int64_t kUnlimited = -1;
  std::atomic<int64_t> asked = 0;
  ScriptedServer server(path_, [&](Connection& c) {
    asked = c.Receive<HandshakeRequest>()->timeout_ms.value_or(kUnlimited);
    c.Send(Granted("ro", true));
    c.AwaitEnd();
  });
  ConnectOptions options = Options();
  options.connect_timeout = options.rpc_timeout.emplace(std::chrono::minutes(1));
  ASSERT_OK(Session::Connect(options));
  EXPECT_EQ(asked, kUnlimited);
  options.admission_timeout = std::chrono::seconds(50);
  ASSERT_OK(Session::Connect(options));
  EXPECT_LE(asked, 50'000);
  EXPECT_GT(asked, 0);
}

TEST_F(SessionTest, LeaseThatSomebodyElseKeepsIsADeadline) {
  ScriptedServer server(path_, [&](Connection& c) { c.Shake({.success = false}); });
  const auto session = Session::Connect(Options());
  EXPECT_CODE(Code::kDeadlineExceeded, session);
  EXPECT_NE(session.status().message().find("Timeout waiting for lock"), std::string_view::npos);
}

// E06: a server that stalls after the handshake.
TEST_F(SessionTest, StalledServerEndsTheCallAndTheSession) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.AwaitEnd();
  });
  ConnectOptions options = Options();
  options.rpc_timeout = std::chrono::milliseconds(50);
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(options));
  const auto hash = session->LayoutHash();
  EXPECT_CODE(Code::kUnavailable, hash);
  EXPECT_NE(hash.status().message().find("GetMemoryLayoutHashRequest"), std::string_view::npos);
  EXPECT_NE(hash.status().message().find(path_), std::string_view::npos);
  EXPECT_FALSE(session->connected());
  EXPECT_CODE(Code::kUnavailable, session->LayoutHash());
}

// W-37: the time that a server waits for memory is its own affair.
TEST_F(SessionTest, AllocationOutlastsTheTimeoutOfOtherCalls) {
  std::latch waited(1);
  ScriptedServer server(path_, [&](Connection& c) {
    c.Shake(Granted("rw", false));
    c.Receive<AllocateRequest>();
    waited.wait();
    c.Send(AllocateResponse{.allocation_id = "a", .size = 1, .aligned_size = 4096});
    c.AwaitEnd();
  });
  ConnectOptions options = Options(LeaseRequest::kRw);
  options.rpc_timeout = std::chrono::milliseconds(1);
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(options));
  auto allocating = std::async(std::launch::async, [&] { return session->Allocate(1); });
  EXPECT_EQ(allocating.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  waited.count_down();
  EXPECT_OK(allocating.get());
}

TEST_F(SessionTest, ConnectionThatEndsNamesSocketAndRequest) {
  ScriptedServer server(path_, [](Connection& c) { c.Shake(Granted("ro", true)); });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  const auto list = session->List();
  EXPECT_CODE(Code::kUnavailable, list);
  EXPECT_NE(list.status().message().find("ListAllocationsRequest on " + path_),
            std::string_view::npos);
}

struct Refusal {
  const char* words;
  ErrorResponse error;
  Code code;
  const char* reason;
};

class SessionRefusalTest : public SessionTest, public testing::WithParamInterface<Refusal> {};

TEST_P(SessionRefusalTest, IsAStatusAndTheSessionGoesOn) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.Receive<GetAllocationRequest>();
    c.Send(GetParam().error);
    c.Receive<GetMemoryLayoutHashRequest>();
    c.Send(GetMemoryLayoutHashResponse{.memory_layout_hash = "h"});
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  const auto got = session->Get("x");
  EXPECT_CODE(GetParam().code, got);
  EXPECT_EQ(got.status().reason(), GetParam().reason);
  EXPECT_EQ(got.status().message(),
            "GMS request GetAllocationRequest error: " + GetParam().error.error);
  EXPECT_EQ(*session->LayoutHash(), "h");
}

INSTANTIATE_TEST_SUITE_P(
    All, SessionRefusalTest,
    testing::Values(
        Refusal{
            "NumberedNotFound", {"Unknown allocation: x", 6}, Code::kNotFound, "UnknownAllocation"},
        Refusal{"NumberedStale", {"stale", 14}, Code::kConflict, "StaleLayout"},
        Refusal{"NumberedMemory", {"no memory", 8}, Code::kExhausted, "OutOfMemory"},
        Refusal{
            "WordsNotFound", {"Unknown allocation: x", 0}, Code::kNotFound, "UnknownAllocation"},
        Refusal{"WordsNotAllowed",
                {"AllocateRequest not allowed for RO session in state RO", 0},
                Code::kPermissionDenied,
                "NotAllowed"},
        Refusal{"WordsSealed",
                {"Allocate not allowed: the layout is committed", 0},
                Code::kPermissionDenied,
                "NotAllowed"},
        Refusal{"WordsMemory",
                {"Timed out waiting for GPU memory: 5", 0},
                Code::kExhausted,
                "OutOfMemory"},
        Refusal{"WordsRange",
                {"offset out of range for allocation", 0},
                Code::kInvalid,
                "InvalidArgument"},
        Refusal{"WordsUnknown", {"something new", 0}, Code::kInternal, "Internal"}),
    [](const auto& info) { return std::string(info.param.words); });

// E01, E04: descriptors that nobody asked for, or too few, end the session and are closed.
TEST_F(SessionTest, WrongNumberOfDescriptorsEndsTheSessionAndLeaksNone) {
  for (const size_t count : {0, 2}) {
    const size_t before = OpenFds();
    {
      ScriptedServer server(path_, [&](Connection& c) {
        c.Shake(Granted("ro", true));
        c.Receive<ExportAllocationRequest>();
        std::vector<UniqueFd> fds;
        for (size_t i = 0; i < count; ++i) {
          fds.push_back(SomeFd());
        }
        c.Send(ExportAllocationResponse{.allocation_id = "a"}, fds);
        fds.clear();
        c.AwaitEnd();
      });
      ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
      EXPECT_CODE(Code::kUnavailable, session->Export("a"));
      EXPECT_FALSE(session->connected());
    }
    EXPECT_EQ(OpenFds(), before);
    std::filesystem::remove(path_);
  }
}

TEST_F(SessionTest, DescriptorWithAnAnswerThatHasNoneEndsTheSession) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.Receive<GetMemoryLayoutHashRequest>();
    const UniqueFd fd = SomeFd();
    c.Send(GetMemoryLayoutHashResponse{}, {&fd, 1});
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  const auto hash = session->LayoutHash();
  EXPECT_CODE(Code::kUnavailable, hash);
  EXPECT_NE(hash.status().message().find("unexpected descriptors"), std::string_view::npos);
}

TEST_F(SessionTest, AnswerToSomethingElseEndsTheSession) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.Receive<GetMemoryLayoutHashRequest>();
    c.Send(MetadataListResponse{});
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  EXPECT_CODE(Code::kUnavailable, session->LayoutHash());
  EXPECT_FALSE(session->connected());
}

TEST_F(SessionTest, BytesThatAreNoMessageEndTheSession) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.Receive<GetMemoryLayoutHashRequest>();
    c.SendBytes(std::string_view("\0\0\0\2\xc1\xc1", 6));
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  EXPECT_CODE(Code::kUnavailable, session->LayoutHash());
}

TEST_F(SessionTest, FrameLargerThanAnyAnswerEndsTheSession) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.Receive<GetMemoryLayoutHashRequest>();
    c.SendBytes(std::string_view("\xff\xff\xff\xff", 4));
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  EXPECT_CODE(Code::kUnavailable, session->LayoutHash());
}

TEST_F(SessionTest, HandshakeTellsWhoTheServerIs) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Extended("rw"));
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  EXPECT_TRUE(session->extended());
  EXPECT_EQ(session->identity(), (ServerIdentity{"n1", "GPU-1"}));
  EXPECT_EQ(session->device_kind(), "host");
  EXPECT_EQ(session->granularity(), 4096U);
  EXPECT_EQ(session->generation(), 7U);
}

TEST_F(SessionTest, AnotherServerThanExpectedIsAConflict) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Extended("ro"));
    c.AwaitEnd();
  });
  ConnectOptions options = Options();
  options.expected = {.nonce = "n0"};
  const auto session = Session::Connect(options);
  EXPECT_CODE(Code::kConflict, session);
  EXPECT_EQ(session.status().reason(), Session::kOtherServer);
}

// A server without the extension does not tell who it is: an expectation cannot be met.
TEST_F(SessionTest, ServerThatDoesNotTellItsNameIsNotTheExpectedOne) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("ro", true));
    c.AwaitEnd();
  });
  ConnectOptions options = Options();
  options.expected = {.gpu_uuid = "GPU-1"};
  EXPECT_CODE(Code::kConflict, Session::Connect(options));
}

TEST_F(SessionTest, PlainHandshakeHasNothingOfTheExtension) {
  std::promise<HandshakeRequest> received;
  ScriptedServer server(path_, [&](Connection& c) {
    received.set_value(*c.Shake(Granted("ro", true)));
    c.AwaitEnd();
  });
  ConnectOptions options = Options();
  options.plain = true;
  ASSERT_OK(Session::Connect(options));
  const HandshakeRequest seen = received.get_future().get();
  EXPECT_EQ(seen.extension, 0);
  EXPECT_EQ(seen.client, "");
}

// W-30: parts that stand one behind the other in the stream keep their descriptors apart.
TEST_F(SessionTest, LayoutInPartsKeepsDescriptorsWithTheirAllocations) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Extended("ro"));
    c.Receive<OpenLayoutRequest>();
    for (int part = 0; part < 3; ++part) {
      OpenLayoutResponse response{.generation = 7, .memory_layout_hash = "h", .more = part < 2};
      std::vector<UniqueFd> fds;
      for (int i = 0; i < 100; ++i) {
        response.allocations.push_back({.allocation_id = std::to_string(part * 100 + i)});
        fds.push_back(SomeFd());
      }
      response.metadata.push_back({.key = std::to_string(part)});
      c.Send(response, fds);
    }
    c.Receive<GetMemoryLayoutHashRequest>();
    c.Send(GetMemoryLayoutHashResponse{.memory_layout_hash = "next"});
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  ASSERT_OK_AND_ASSIGN(const OpenedLayout layout, session->OpenLayout());
  EXPECT_EQ(layout.allocations.size(), 300U);
  EXPECT_EQ(layout.allocations.back().allocation_id, "299");
  EXPECT_EQ(layout.fds.size(), 300U);
  EXPECT_EQ(layout.metadata.size(), 3U);
  EXPECT_EQ(*session->LayoutHash(), "next");
}

TEST_F(SessionTest, TakerThatFailsLeavesTheSessionInStepAndNoDescriptors) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Extended("ro"));
    c.Receive<OpenLayoutRequest>();
    for (int part = 0; part < 2; ++part) {
      const UniqueFd fd = SomeFd();
      c.Send(OpenLayoutResponse{.allocations = {{.allocation_id = "a"}}, .more = part == 0},
             {&fd, 1});
    }
    c.Receive<GetMemoryLayoutHashRequest>();
    c.Send(GetMemoryLayoutHashResponse{.memory_layout_hash = "next"});
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options()));
  const size_t before = OpenFds();
  int calls = 0;
  EXPECT_CODE(Code::kExhausted, session->OpenLayoutInParts({}, [&](const OpenedLayout&) {
    ++calls;
    return ExhaustedError("no room");
  }));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(*session->LayoutHash(), "next");
  EXPECT_LE(OpenFds(), before + 1);  // the server may still hold one
}

TEST_F(SessionTest, NamesOfOurOwnNeedTheExtension) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("rw", false));
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options(LeaseRequest::kRw)));
  EXPECT_CODE(Code::kUnsupported, session->Allocate(4096, "weights", "mine"));
  EXPECT_TRUE(session->connected());
}

// All or nothing, also one by one: what was allocated before the refusal is given back.
TEST_F(SessionTest, BatchWithoutTheExtensionGivesBackWhatItHad) {
  std::vector<std::string> freed;
  std::latch done(1);
  ScriptedServer server(path_, [&](Connection& c) {
    c.Shake(Granted("rw", false));
    c.Receive<AllocateRequest>();
    c.Send(AllocateResponse{.allocation_id = "first", .size = 1, .aligned_size = 1});
    c.Receive<AllocateRequest>();
    c.Send(ErrorResponse{.error = "Timed out waiting for GPU memory: 1"});
    freed.push_back(c.Receive<FreeAllocationRequest>()->allocation_id);
    c.Send(FreeAllocationResponse{.success = true});
    done.count_down();
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options(LeaseRequest::kRw)));
  const std::vector<AllocationItem> items(3, {.size = 1, .tag = "t"});
  EXPECT_CODE(Code::kExhausted, session->AllocateBatch(items, true));
  done.wait();
  EXPECT_EQ(freed, std::vector<std::string>{"first"});
}

TEST_F(SessionTest, CommitInPlaceTurnsTheWriterIntoAReader) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Extended("rw"));
    EXPECT_TRUE(c.Receive<CommitRequest>()->in_place);
    c.Send(CommitResponse{.success = true, .memory_layout_hash = "h", .generation = 8});
    c.AwaitEnd();
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options(LeaseRequest::kRw)));
  ASSERT_OK_AND_ASSIGN(const CommittedLayout committed, session->Commit(true));
  EXPECT_TRUE(committed.still_connected);
  EXPECT_EQ(committed.hash, "h");
  EXPECT_EQ(session->grant(), Grant::kRo);
  EXPECT_EQ(session->generation(), 8U);
}

TEST_F(SessionTest, CommitWithoutTheExtensionEndsTheSession) {
  ScriptedServer server(path_, [](Connection& c) {
    c.Shake(Granted("rw", false));
    EXPECT_FALSE(c.Receive<CommitRequest>()->in_place);
    c.Send(CommitResponse{.success = true});
  });
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Connect(Options(LeaseRequest::kRw)));
  ASSERT_OK_AND_ASSIGN(const CommittedLayout committed, session->Commit(true));
  EXPECT_FALSE(committed.still_connected);
  EXPECT_FALSE(session->connected());
}

}  // namespace
}  // namespace hearth::gms
