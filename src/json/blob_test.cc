#include "json/blob.h"

#include <gtest/gtest.h>

#include <concepts>
#include <thread>
#include <utility>
#include <vector>

namespace hearth::json {
namespace {

// A view of a temporary would dangle; asking for one must not compile.
template <typename T>
concept GivesView = requires(T&& blob) {
  std::forward<T>(blob).view();
};
template <typename T>
concept GivesText = requires(T&& blob) {
  std::forward<T>(blob).text();
};
template <typename T>
concept GivesMember = requires(T&& blob) {
  std::forward<T>(blob)[std::string_view("name")];
};

static_assert(GivesView<Blob&> && GivesView<const Blob&> && !GivesView<Blob>);
static_assert(GivesText<Blob&> && GivesText<const Blob&> && !GivesText<Blob>);
static_assert(GivesMember<Blob&> && GivesMember<const Blob&> && !GivesMember<Blob>);

TEST(Blob, HoldsItsOwnCopyOfTheText) {
  std::string text = R"({"a":1})";
  const Blob blob = Blob::Trusted(text);
  text.assign(text.size(), 'x');
  EXPECT_EQ(blob.text(), R"({"a":1})");
  EXPECT_EQ(blob["a"].Int(), 1);
}

TEST(Blob, ADefaultOneHoldsNothing) {
  const Blob blob;
  EXPECT_TRUE(blob.empty());
  EXPECT_EQ(blob.text(), "");
  EXPECT_FALSE(blob.view().exists());
}

TEST(Blob, CopiesShareTheTextAndOutliveTheFirst) {
  Blob copy;
  const char* place = nullptr;
  {
    const Blob blob = Blob::Trusted("[1,2]");
    place = blob.text().data();
    copy = blob;
  }
  EXPECT_EQ(copy.text(), "[1,2]");
  EXPECT_EQ(copy.text().data(), place);
}

TEST(Blob, MovingLeavesNothingBehind) {
  Blob from = Blob::Trusted("1");
  Blob to = std::move(from);
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to.text(), "1");
  from = std::move(to);
  EXPECT_EQ(from.text(), "1");
}

TEST(Blob, AssigningItToItselfKeepsIt) {
  Blob blob = Blob::Trusted("[true]");
  Blob& same = blob;
  blob = same;
  EXPECT_EQ(blob.text(), "[true]");
  blob = std::move(same);
  EXPECT_EQ(blob.text(), "[true]");
}

TEST(Blob, ThreadsMayShareIt) {
  const Blob blob = Blob::Trusted("[1]");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([blob] {
      for (int n = 0; n < 1000; ++n) {
        const Blob mine = blob;
        EXPECT_EQ(mine.text().size(), 3U);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(blob.text(), "[1]");
}

}  // namespace
}  // namespace hearth::json
