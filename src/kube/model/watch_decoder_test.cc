#include "kube/model/watch_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/testing/status_matchers.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using enum WatchEventType;

// Collects events and sees to it that the promised capacity is really there.
class Collected {
 public:
  WatchDecoder::OnEvent OnEvent() {
    return [this](WatchEventType type, std::string_view object, size_t capacity) {
      EXPECT_GE(capacity, object.size());
      // An address sanitizer sees a lie here.
      for (size_t i = 0; i < capacity; ++i) {
        sum_ += object.data()[i];
      }
      events.emplace_back(type, object);
      return answer;
    };
  }
  std::vector<std::pair<WatchEventType, std::string>> events;
  Status answer;

 private:
  int sum_ = 0;
};

// In pieces of one size, each in memory of its own.
Status FeedInPieces(WatchDecoder& decoder, std::string_view text, size_t piece) {
  for (size_t at = 0; at < text.size(); at += piece) {
    const std::vector<char> copy(text.begin() + at,
                                 text.begin() + std::min(at + piece, text.size()));
    RETURN_IF_ERROR(decoder.Feed({copy.data(), copy.size()}, copy.size()));
  }
  return decoder.Finish();
}

constexpr std::string_view kThree = R"({"type":"ADDED","object":{"a":1}})"
                                    "\n"
                                    R"({"type":"MODIFIED","object":{"b":"}\n"}})"
                                    "\n"
                                    R"({"type":"BOOKMARK","object":{}})"
                                    "\n";

TEST(WatchDecoder, GivesTheSameEventsHoweverTheBytesAreCut) {
  for (size_t piece = 1; piece <= kThree.size(); ++piece) {
    Collected collected;
    WatchDecoder decoder(collected.OnEvent());
    ASSERT_OK(FeedInPieces(decoder, kThree, piece));
    EXPECT_THAT(collected.events,
                ElementsAre(Pair(kAdded, R"({"a":1})"), Pair(kModified, R"({"b":"}\n"})"),
                            Pair(kBookmark, "{}")))
        << "pieces of " << piece;
  }
}

TEST(WatchDecoder, AnEventInOnePieceIsNotCopied) {
  std::string_view seen;
  WatchDecoder decoder([&](WatchEventType, std::string_view object, size_t) {
    seen = object;
    return Status::Ok();
  });
  ASSERT_OK(decoder.Feed(kThree, kThree.size()));
  EXPECT_GE(seen.data(), kThree.data());
  EXPECT_LT(seen.data(), kThree.data() + kThree.size());
}

TEST(WatchDecoder, ACutEventHasRoomForReadersAhead) {
  size_t behind = 0;
  WatchDecoder decoder([&](WatchEventType, std::string_view object, size_t capacity) {
    behind = capacity - object.size();
    return Status::Ok();
  });
  ASSERT_OK(decoder.Feed(R"({"type":"ADDED",)", 16));
  ASSERT_OK(decoder.Feed("\"object\":{}}\n", 13));
  EXPECT_GE(behind, 64u);
}

TEST(WatchDecoder, ToleratesOtherSpellings) {
  for (const char* line : {R"({"object":{"a":1},"type":"DELETED"})",
                           R"( { "type" : "DELETED" , "object" : {"a": 1} } )",
                           R"({"type":"DELETED","object":{"a":1},"more":1})",
                           "{\"type\":\"DELETED\",\"object\":{\"a\":1}}\r",
                           R"({"type":"\u0044ELETED","object":{"a":1}})"}) {
    Collected collected;
    WatchDecoder decoder(collected.OnEvent());
    SCOPED_TRACE(line);
    ASSERT_OK(FeedInPieces(decoder, std::string(line) + "\n", 1000));
    EXPECT_THAT(collected.events, ElementsAre(Pair(kDeleted, R"({"a":1})"))) << line;
  }
}

TEST(WatchDecoder, EmptyLinesAreNothing) {
  Collected collected;
  WatchDecoder decoder(collected.OnEvent());
  ASSERT_OK(FeedInPieces(decoder, "\n\r\n  \n", 1));
  EXPECT_THAT(collected.events, IsEmpty());
}

TEST(WatchDecoder, RefusesWhatIsNoEvent) {
  for (const char* line :
       {"hello", "{}", "[]", R"({"type":"ADDED"})", R"({"type":"ADDED","object":null})",
        R"({"type":"ADDED","object":[]})", R"({"type":"CREATED","object":{}})", R"({"object":{}})",
        R"({"type":"ADDED","object":})", R"({"type":1,"object":{}})"}) {
    Collected collected;
    WatchDecoder decoder(collected.OnEvent());
    SCOPED_TRACE(line);
    EXPECT_CODE(Code::kInvalid, FeedInPieces(decoder, std::string(line) + "\n", 1000));
    EXPECT_THAT(collected.events, IsEmpty()) << line;
  }
}

TEST(WatchDecoder, AFailureOfTheReceiverEndsIt) {
  Collected collected;
  collected.answer = ConflictError("enough");
  WatchDecoder decoder(collected.OnEvent());
  EXPECT_CODE(Code::kConflict, decoder.Feed(kThree, kThree.size()));
  EXPECT_EQ(collected.events.size(), 1u);
  EXPECT_CODE(Code::kConflict, decoder.Feed(kThree, kThree.size()));
  EXPECT_CODE(Code::kConflict, decoder.Finish());
  EXPECT_EQ(collected.events.size(), 1u);
}

TEST(WatchDecoder, TooLongIsRefusedWholeOrCut) {
  const std::string line = R"({"type":"ADDED","object":{"a":1}})"
                           "\n";
  for (const size_t piece : {size_t{1}, line.size()}) {
    Collected collected;
    WatchDecoder fits(collected.OnEvent(), line.size() - 1);
    EXPECT_OK(FeedInPieces(fits, line, piece));
    EXPECT_EQ(collected.events.size(), 1u);
    WatchDecoder tight(collected.OnEvent(), line.size() - 2);
    EXPECT_CODE(Code::kExhausted, FeedInPieces(tight, line, piece));
    EXPECT_EQ(collected.events.size(), 1u);
  }
}

TEST(WatchDecoder, EndInsideAnEventIsDataLoss) {
  const std::string_view whole = kThree.substr(0, kThree.find('\n'));
  for (size_t cut = 1; cut < whole.size(); ++cut) {
    Collected collected;
    WatchDecoder decoder(collected.OnEvent());
    SCOPED_TRACE(cut);
    EXPECT_CODE(Code::kDataLoss, FeedInPieces(decoder, whole.substr(0, cut), 7));
    EXPECT_THAT(collected.events, IsEmpty());
  }
}

TEST(WatchDecoder, OnlyTheLastLineEndMayBeMissing) {
  Collected collected;
  WatchDecoder decoder(collected.OnEvent());
  ASSERT_OK(FeedInPieces(decoder, kThree.substr(0, kThree.size() - 1), 7));
  EXPECT_EQ(collected.events.size(), 3u);
}

}  // namespace
}  // namespace hearth::kube
