#include "snapshot/images/adapt_files.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/testing/status_matchers.h"
#include "snapshot/images/decode.h"
#include "snapshot/images/framing.h"
#include "snapshot/images/testing/sample_images.h"

namespace hearth::snapshot::images {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kEstablished = 1, kClosed = 7, kCloseWait = 8, kListen = 10;
constexpr uint32_t kTcp = 6, kUdp = 17;

struct Socket {
  const char* local = "0.0.0.0";
  uint16_t port = 0;
  const char* peer = "0.0.0.0";
  uint16_t peer_port = 0;
  uint32_t state = kEstablished;
  uint32_t protocol = kTcp;
  uint32_t network = 9;
  bool only_v6 = false;
};

void AddAddress(MessageWriter& message, int field, const char* text) {
  std::array<uint32_t, 4> words{};
  const bool v6 = std::string_view(text).find(':') != std::string_view::npos;
  ASSERT_EQ(::inet_pton(v6 ? AF_INET6 : AF_INET, text, words.data()), 1) << text;
  for (size_t i = 0; i < (v6 ? 4U : 1U); ++i) {
    message.Number(field, words[i]);
  }
}

// With members that nobody here knows.
std::string Entry(uint32_t id, const Socket& socket) {
  const bool v6 = std::string_view(socket.local).find(':') != std::string_view::npos;
  MessageWriter message;
  message.Number(1, id)
      .Number(2, 100 + id)
      .Number(3, v6 ? AF_INET6 : AF_INET)
      .Number(4, 1)
      .Number(5, socket.protocol)
      .Number(6, socket.state)
      .Number(7, socket.port)
      .Number(8, socket.peer_port)
      .Number(9, 2)
      .Number(10, 5);
  AddAddress(message, 11, socket.local);
  AddAddress(message, 12, socket.peer);
  message.Bytes(13, MessageWriter().Number(1, 77).Take())
      .Bytes(14, MessageWriter().Number(1, 4711).Take())
      .Number(15, socket.only_v6 ? 1 : 0)
      .Number(18, socket.network);
  return MessageWriter().Number(1, 4).Number(2, id).Bytes(4, message.Take()).Take();
}

std::string UnixEntry(uint32_t id, uint32_t type, uint32_t state, std::string_view name) {
  return MessageWriter()
      .Number(1, 5)
      .Number(2, id)
      .Bytes(16, MessageWriter()
                     .Number(1, id)
                     .Number(2, 100 + id)
                     .Number(3, type)
                     .Number(4, state)
                     .Number(8, 0)
                     .Bytes(11, name)
                     .Take())
      .Take();
}

std::string TimerEntry(uint32_t id, uint64_t expirations, uint64_t next, uint64_t interval) {
  return MessageWriter()
      .Number(1, 17)
      .Number(2, id)
      .Bytes(12, MessageWriter()
                     .Number(1, id)
                     .Number(4, 1)
                     .Number(5, expirations)
                     .Number(7, 0)
                     .Number(8, next)
                     .Number(9, 0)
                     .Number(10, interval)
                     .Take())
      .Take();
}

std::string Image(const std::vector<std::string>& entries) {
  return ImageOf(static_cast<uint32_t>(Magic::kFiles), entries);
}
std::string Image(const std::vector<Socket>& sockets) {
  std::vector<std::string> entries;
  for (const Socket& socket : sockets) {
    entries.push_back(Entry(static_cast<uint32_t>(entries.size() + 1), socket));
  }
  return Image(entries);
}

class AdaptFilesTest : public testing::Test {
 protected:
  NewPlace Place() {
    return {.mount_namespace = 4026532281,
            .reserve_port = [this](const std::set<uint16_t>& taken) -> Result<uint16_t> {
              while (taken.count(next_) != 0) {
                ++next_;
              }
              return next_++;
            }};
  }
  NewPlace Moved(const char* from, const char* to) {
    NewPlace place = Place();
    const auto list = [](std::string ip) {
      return ip.empty() ? std::vector<std::string>() : std::vector{std::move(ip)};
    };
    place.source_ips = list(from);
    place.target_ips = list(to);
    return place;
  }
  // The sockets as they are afterwards, "local peer state" each.
  std::vector<std::string> Sockets(const std::string& image, const NewPlace& place) {
    const auto adapted = AdaptFiles(image, place);
    EXPECT_OK(adapted.status());
    std::vector<std::string> told;
    const auto files = DecodeFiles(adapted.ok() && adapted->image ? *adapted->image : image);
    for (const OpenFile& file : *files) {
      told.push_back(file.inet.local + " " + file.inet.peer + " " + file.inet.state);
    }
    return told;
  }

  uint16_t next_ = 50000;
};

TEST_F(AdaptFilesTest, WhatIsReadAndWrittenUnchangedIsTheSame) {
  const std::string image = SampleImages().at("files.img");
  ASSERT_OK_AND_ASSIGN(const auto entries, SplitImage(image, Magic::kFiles));
  EXPECT_EQ(JoinImage(Magic::kFiles, entries), image);
  const std::string inventory = SampleImages().at("inventory.img");
  ASSERT_OK_AND_ASSIGN(const auto one, SplitImage(inventory, Magic::kInventory));
  EXPECT_EQ(JoinImage(Magic::kInventory, one), inventory);
}

// A86: no rewrite, no mount.
TEST_F(AdaptFilesTest, ListenersAndOtherFilesStayAsTheyAre) {
  const std::string image =
      Image({Entry(1, {.local = "10.0.0.4", .port = 80, .state = kListen}),
             Entry(2, {.local = "10.0.0.4",
                       .port = 900,
                       .peer = "10.9.9.9",
                       .peer_port = 53,
                       .protocol = kUdp}),
             UnixEntry(3, 1, 10, std::string("\0other", 6)), TimerEntry(4, 0, 500, 1000),
             TimerEntry(5, 1, 0, 0), TimerEntry(6, 0, 0, 1000)});
  ASSERT_OK_AND_ASSIGN(const AdaptedFiles adapted, AdaptFiles(image, Place()));
  EXPECT_FALSE(adapted.image.has_value());
  EXPECT_THAT(adapted.dropped, IsEmpty());
}

// A85, P12
TEST_F(AdaptFilesTest, TheSourcePodsAddressBecomesTheTargetPods) {
  const std::string image = Image(
      {{.local = "10.0.0.4", .port = 80, .state = kListen},
       {.local = "::ffff:10.0.0.4", .port = 81, .peer = "::", .state = kListen},
       {.local = "0.0.0.0", .port = 82, .state = kListen},
       {.local = "10.0.0.40", .port = 83, .state = kListen},
       {.local = "10.0.0.4", .port = 900, .peer = "10.9.9.9", .peer_port = 53, .protocol = kUdp}});
  EXPECT_THAT(
      Sockets(image, Moved("10.0.0.4", "10.1.2.3")),
      ElementsAre("10.1.2.3:80  listen", "[::ffff:10.1.2.3]:81  listen", "0.0.0.0:82  listen",
                  "10.0.0.40:83  listen", "10.1.2.3:900 10.9.9.9:53 established"));
  const std::string v6 =
      Image(std::vector<Socket>{{.local = "fd00::4", .port = 80, .peer = "::", .state = kListen},
                                {.local = "::", .port = 81, .peer = "::", .state = kListen}});
  EXPECT_THAT(Sockets(v6, Moved("fd00::4", "fd00::5")),
              ElementsAre("[fd00::5]:80  listen", "[::]:81  listen"));
}

// A85
TEST_F(AdaptFilesTest, AddressesStayWhenOneIsNotKnownOrTheyAreTheSame) {
  const std::string image =
      Image(std::vector<Socket>{{.local = "10.0.0.4", .port = 80, .state = kListen}});
  for (const auto& [from, to] :
       {std::pair("", "10.0.0.5"), std::pair("10.0.0.4", ""), std::pair("10.0.0.4", "10.0.0.4"),
        std::pair("10.0.0.4", "::ffff:10.0.0.4")}) {
    EXPECT_FALSE(AdaptFiles(image, Moved(from, to))->image.has_value()) << from << " " << to;
  }
  NewPlace closed = Moved("10.0.0.4", "10.0.0.5");
  closed.connections = false;
  EXPECT_FALSE(AdaptFiles(image, closed)->image.has_value());
  EXPECT_CODE(Code::kInvalid, AdaptFiles(image, Moved("10.0.0.4", "pod")));
}

// P12: of a pod that has both, each becomes the one of its family, whatever their order.
TEST_F(AdaptFilesTest, BothAddressesOfAPodMove) {
  const std::string image =
      Image({{.local = "10.0.0.4", .port = 80, .state = kListen},
             {.local = "::ffff:10.0.0.4", .port = 81, .peer = "::", .state = kListen},
             {.local = "fd00::4", .port = 82, .peer = "::", .state = kListen}});
  NewPlace place = Place();
  place.source_ips = {"10.0.0.4", "fd00::4"};
  place.target_ips = {"fd00::5", "10.0.0.5"};
  EXPECT_THAT(
      Sockets(image, place),
      ElementsAre("10.0.0.5:80  listen", "[::ffff:10.0.0.5]:81  listen", "[fd00::5]:82  listen"));
  place.target_ips = {"10.0.0.5"};
  const auto refused = AdaptFiles(image, place);
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("[fd00::4]:82"));
}

TEST_F(AdaptFilesTest, AnAddressOfTheOtherFamilyIsNoPlaceForASocket) {
  const std::string image =
      Image(std::vector<Socket>{{.local = "10.0.0.4", .port = 80, .state = kListen}});
  const auto refused = AdaptFiles(image, Moved("10.0.0.4", "fd00::5"));
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("10.0.0.4:80"));
  const std::string others =
      Image(std::vector<Socket>{{.local = "0.0.0.0", .port = 80, .state = kListen}});
  EXPECT_OK(AdaptFiles(others, Moved("10.0.0.4", "fd00::5")).status());
}

// A86: pairs, of two families as well.
TEST_F(AdaptFilesTest, ConnectionsWithinGetNewPortsWhereNobodyListens) {
  const std::string image = Image(
      {{.local = "127.0.0.1", .port = 8000, .state = kListen},
       // Through the listener: its port stays.
       {.local = "127.0.0.1", .port = 40001, .peer = "127.0.0.1", .peer_port = 8000},
       {.local = "127.0.0.1", .port = 8000, .peer = "127.0.0.1", .peer_port = 40001},
       // The listener is gone.
       {.local = "::1", .port = 40002, .peer = "::1", .peer_port = 9000},
       {.local = "::1", .port = 9000, .peer = "::1", .peer_port = 40002, .state = kCloseWait},
       // One end speaks IPv6 of the same.
       {.local = "10.0.0.4", .port = 40003, .peer = "10.0.0.4", .peer_port = 8000},
       {.local = "::ffff:10.0.0.4", .port = 8000, .peer = "::ffff:10.0.0.4", .peer_port = 40003}});
  EXPECT_THAT(
      Sockets(image, Moved("10.0.0.4", "10.1.2.3")),
      ElementsAre("127.0.0.1:8000  listen", "127.0.0.1:50000 127.0.0.1:8000 established",
                  "127.0.0.1:8000 127.0.0.1:50000 established",
                  "[::1]:50001 [::1]:50002 established", "[::1]:50002 [::1]:50001 close-wait",
                  "10.1.2.3:50003 10.1.2.3:8000 established",
                  "[::ffff:10.1.2.3]:8000 [::ffff:10.1.2.3]:50003 established"));
}

TEST_F(AdaptFilesTest, AListenerForAllAddressesListensToBothFamilies) {
  std::vector<Socket> sockets = {
      {.local = "::", .port = 8000, .peer = "::", .state = kListen},
      {.local = "127.0.0.1", .port = 40001, .peer = "127.0.0.1", .peer_port = 8000},
      {.local = "127.0.0.1", .port = 8000, .peer = "127.0.0.1", .peer_port = 40001}};
  EXPECT_EQ(AdaptFiles(Image(sockets), Place())->moved_ports, 1U);
  sockets[0].only_v6 = true;
  EXPECT_EQ(AdaptFiles(Image(sockets), Place())->moved_ports, 2U);
  sockets[0] = {.local = "0.0.0.0", .port = 8000, .state = kListen, .network = 10};
  EXPECT_EQ(AdaptFiles(Image(sockets), Place())->moved_ports, 2U) << "it listens elsewhere";
}

TEST_F(AdaptFilesTest, PortsThatTheImageHasAreNotGivenAgain) {
  const std::string image =
      Image({{.local = "0.0.0.0", .port = 50000, .state = kListen},
             {.local = "127.0.0.1", .port = 50001, .peer = "127.0.0.1", .peer_port = 50003},
             {.local = "127.0.0.1", .port = 50003, .peer = "127.0.0.1", .peer_port = 50001}});
  EXPECT_THAT(Sockets(image, Place()),
              ElementsAre("0.0.0.0:50000  listen", "127.0.0.1:50002 127.0.0.1:50004 established",
                          "127.0.0.1:50004 127.0.0.1:50002 established"));
}

TEST_F(AdaptFilesTest, WithoutAPortNothingIsAdapted) {
  NewPlace place = Place();
  place.reserve_port = [](const auto&) -> Result<uint16_t> { return ExhaustedError("no port"); };
  const std::string image =
      Image(std::vector<Socket>{{.local = "::1", .port = 1, .peer = "::1", .peer_port = 2},
                                {.local = "::1", .port = 2, .peer = "::1", .peer_port = 1}});
  EXPECT_CODE(Code::kExhausted, AdaptFiles(image, place));
}

// A86, P12
TEST_F(AdaptFilesTest, ConnectionsToOthersAreDroppedAndTold) {
  const std::string image = Image(
      {{.local = "0.0.0.0", .port = 8000, .state = kListen},
       {.local = "10.0.0.4", .port = 8000, .peer = "10.0.0.9", .peer_port = 5000},
       {.local = "fd00::4", .port = 5001, .peer = "fd00::9", .peer_port = 443, .state = kCloseWait},
       // The same numbers in another network are somebody else.
       {.local = "10.0.0.4", .port = 1, .peer = "10.0.0.4", .peer_port = 2, .network = 1},
       {.local = "10.0.0.4", .port = 2, .peer = "10.0.0.4", .peer_port = 1, .network = 2}});
  ASSERT_OK_AND_ASSIGN(const AdaptedFiles adapted, AdaptFiles(image, Place()));
  ASSERT_THAT(adapted.dropped, SizeIs(4));
  EXPECT_EQ(adapted.dropped[0], (DroppedConnection{"10.0.0.4:8000", "10.0.0.9:5000"}));
  EXPECT_EQ(adapted.dropped[1], (DroppedConnection{"[fd00::4]:5001", "[fd00::9]:443"}));
  EXPECT_THAT(Sockets(image, Place()),
              ElementsAre("0.0.0.0:8000  listen", "0.0.0.0:0  closed", "[::]:0  closed",
                          "0.0.0.0:0  closed", "0.0.0.0:0  closed"));
  static_assert(kClosed == 7);
}

TEST_F(AdaptFilesTest, WhereCriuClosesAllConnectionsTheyAreOnlyTold) {
  NewPlace place = Place();
  place.connections = false;
  const std::string image = Image(std::vector<Socket>{
      {.local = "10.0.0.4", .port = 8000, .peer = "10.0.0.9", .peer_port = 5000}});
  ASSERT_OK_AND_ASSIGN(const AdaptedFiles adapted, AdaptFiles(image, place));
  EXPECT_FALSE(adapted.image.has_value());
  EXPECT_THAT(adapted.dropped, SizeIs(1));
}

// A86: names differ between mount namespaces; only CUDA's listeners get one.
TEST_F(AdaptFilesTest, CudasListenersGetANameOfTheirContainer) {
  const std::string old("\0cuda-uvmfd-4026531836-17", 25);
  const std::string image =
      Image({UnixEntry(1, 5, 10, old), UnixEntry(2, 5, 1, old), UnixEntry(3, 1, 10, old)});
  const auto names = [&](const NewPlace& place) {
    const auto adapted = AdaptFiles(image, place);
    std::vector<std::string> told;
    const auto files = DecodeFiles(*adapted->image);
    for (const OpenFile& file : *files) {
      told.push_back(file.unix_socket.name);
    }
    return told;
  };
  // SHA-256 of 00000000f00001b9 (the namespace) and the old name.
  const auto here = names(Place());
  EXPECT_THAT(
      here, ElementsAre("@dynamo-9e64493cb28ae7f63ec0a6674c419c9ec4d6ed8e9a93ffb28b9141b87bd0ea10",
                        "@cuda-uvmfd-4026531836-17", "@cuda-uvmfd-4026531836-17"));
  NewPlace elsewhere = Place();
  elsewhere.mount_namespace = 4026532282;
  EXPECT_NE(names(elsewhere)[0], here[0]);
}

TEST_F(AdaptFilesTest, APeriodicTimerThatHadExpiredRunsOn) {
  const std::string other = TimerEntry(2, 0, 7, 10);
  ASSERT_OK_AND_ASSIGN(const AdaptedFiles adapted,
                       AdaptFiles(Image({TimerEntry(1, 3, 0, 10), other}), Place()));
  ASSERT_TRUE(adapted.image.has_value());
  ASSERT_OK_AND_ASSIGN(const auto entries, SplitImage(*adapted.image, Magic::kFiles));
  EXPECT_THAT(std::string(entries[0]), HasSubstr(MessageWriter().Number(8, 10).Take()));
  EXPECT_EQ(entries[1], other);
}

// A86: the original's bytes are intact but for what had to change.
TEST_F(AdaptFilesTest, MembersThatAreNotKnownAreKept) {
  const std::string untouched = Entry(2, {.local = "0.0.0.0", .port = 80, .state = kListen});
  const std::string image =
      Image({Entry(1, {.local = "10.0.0.4", .port = 80, .state = kListen}), untouched});
  ASSERT_OK_AND_ASSIGN(const AdaptedFiles adapted,
                       AdaptFiles(image, Moved("10.0.0.4", "10.0.0.5")));
  ASSERT_OK_AND_ASSIGN(const auto entries, SplitImage(*adapted.image, Magic::kFiles));
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[1], untouched);
  for (const auto& [field, value] : {std::pair(13, 77), std::pair(14, 4711)}) {
    EXPECT_THAT(
        std::string(entries[0]),
        HasSubstr(MessageWriter()
                      .Bytes(field, MessageWriter().Number(1, static_cast<uint64_t>(value)).Take())
                      .Take()));
  }
  EXPECT_EQ(entries[0].size(),
            Entry(1, {.local = "10.0.0.5", .port = 80, .state = kListen}).size());
}

// A86
TEST_F(AdaptFilesTest, AnUnknownKindOfFileIsRefused) {
  const auto refused =
      AdaptFiles(Image({MessageWriter().Number(1, 21).Number(2, 1).Take()}), Place());
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("kind 21"));
  EXPECT_CODE(Code::kUnsupported,
              AdaptFiles(Image({MessageWriter().Number(2, 1).Take()}), Place()));
  EXPECT_CODE(Code::kDataLoss,
              AdaptFiles(Image({MessageWriter().Number(1, 4).Number(2, 1).Take()}), Place()));
  EXPECT_CODE(Code::kDataLoss, AdaptFiles("rubbish", Place()));
}

}  // namespace
}  // namespace hearth::snapshot::images
