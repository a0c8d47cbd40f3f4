#include "json/item_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/testing/sample_pod.h"

namespace hearth::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Outcome {
  std::vector<std::string> items;
  std::string head;  // or the failure
  Code code = Code::kOk;
};

Outcome Split(std::string_view text, size_t piece = SIZE_MAX, ItemSplitter::Limits limits = {}) {
  Outcome outcome;
  ItemSplitter splitter(
      [&](std::string_view item, size_t capacity) {
        EXPECT_GE(capacity, item.size());
        outcome.items.emplace_back(item);
        return Status::Ok();
      },
      limits);
  Status fed;
  for (; !text.empty() && fed.ok(); text.remove_prefix(std::min(piece, text.size()))) {
    // A copy that ends where the piece ends, so that a sanitizer sees a step too far.
    const std::string_view next = text.substr(0, piece);
    fed = splitter.Feed({std::vector<char>(next.begin(), next.end()).data(), next.size()});
  }
  const auto head = splitter.Finish();
  outcome.head = head.ok() ? *head : head.status().ToString();
  outcome.code = head.status().code();
  return outcome;
}

TEST(ItemSplitter, GivesItemsAndTheListAroundThem) {
  const Outcome outcome = Split(
      R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":[{}]}],"x":1})");
  EXPECT_THAT(outcome.items, ElementsAre(R"({"a":1})", R"({"b":[{}]})"));
  EXPECT_EQ(outcome.head,
            R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[],"x":1})");
}

TEST(ItemSplitter, PiecesOfAnySizeGiveTheSame) {
  const std::string text =
      " {\n \"kind\" : \"L\\\"ist\", \"metadata\": {\"items\": [1,{\"no\":\"}\"}]}, \"items\" : [ "
      "{\"a\": \"]}\\\\\\\"{\"} ,\n{\"b\":{\"c\":[\"[\"]}}, {} ] , \"after\": \"\\\\\" }\n";
  const Outcome whole = Split(text);
  ASSERT_EQ(whole.code, Code::kOk) << whole.head;
  ASSERT_EQ(whole.items.size(), 3U);
  EXPECT_EQ(whole.items[0], R"({"a": "]}\\\"{"})");
  EXPECT_EQ(whole.head,
            R"({"kind":"L\"ist","metadata":{"items":[1,{"no":"}"}]},"items":[],"after":"\\"})");
  for (size_t piece = 1; piece < text.size(); ++piece) {
    const Outcome split = Split(text, piece);
    EXPECT_EQ(split.items, whole.items) << piece;
    EXPECT_EQ(split.head, whole.head) << piece;
  }
}

TEST(ItemSplitter, RealPodsComeOutWhole) {
  const std::string pod = SamplePod::Text();
  const std::string list = SamplePod::ListText(3);
  for (const size_t piece : {size_t{100}, size_t{4096}, size_t{65536}}) {
    EXPECT_THAT(Split(list, piece).items, ElementsAre(pod, pod, pod));
  }
}

TEST(ItemSplitter, EmptyListsHaveNoItems) {
  EXPECT_EQ(Split(R"({"items":[]})").head, R"({"items":[]})");
  EXPECT_EQ(Split(R"({"items": [ ] })").head, R"({"items":[]})");
  EXPECT_EQ(Split(R"({"items":null})").head, R"({"items":null})");
}

TEST(ItemSplitter, AnItemsNameMayBeEscaped) {
  EXPECT_THAT(Split(R"({"item\u0073":[{"a":1}]})").items, ElementsAre(R"({"a":1})"));
}

TEST(ItemSplitter, ItemsElsewhereAreNotTheItems) {
  const Outcome outcome = Split(
      R"({"x":"items","metadata":{"items":[{"no":1}]},"y":["items",[{"no":2}]],"items":[{}]})");
  EXPECT_THAT(outcome.items, ElementsAre("{}"));
}

TEST(ItemSplitter, WhatIsNotAListIsRefused) {
  EXPECT_THAT(Split("[]").head, HasSubstr("does not begin with '{'"));
  EXPECT_THAT(Split("<html>").head, HasSubstr("does not begin with '{'"));
  EXPECT_THAT(Split(R"({"items":{}})").head, HasSubstr("items are not an array"));
  EXPECT_THAT(Split(R"({"items":[],"items":[]})").head, HasSubstr("two members named items"));
  EXPECT_THAT(Split(R"({"items":[1]})").head, HasSubstr("after 0 items stands '1'"));
  EXPECT_THAT(Split(R"({"items":[{},]})").head, HasSubstr("stands ']'"));
  EXPECT_THAT(Split(R"({"items":[,{}]})").head, HasSubstr("stands ','"));
  EXPECT_THAT(Split(R"({"items":[{}{}]})").head, HasSubstr("stands '{'"));
  EXPECT_THAT(Split(R"({"items":[]} x)").head, HasSubstr("more bytes follow"));
  for (const char* text : {"[]", R"({"items":{}})", R"({"items":[{},]})"}) {
    EXPECT_EQ(Split(text).code, Code::kInvalid);
  }
}

TEST(ItemSplitter, AnythingWithoutItemsIsNotAnEmptyList) {
  const Outcome outcome = Split(R"({"kind":"Status","code":403})");
  EXPECT_EQ(outcome.code, Code::kInvalid);
  EXPECT_THAT(outcome.head, HasSubstr(R"(it has no items: {"kind":"Status","code":403})"));
}

TEST(ItemSplitter, TheListAroundTheItemsIsChecked) {
  EXPECT_THAT(Split(R"({"kind":01,"items":[]})").head, HasSubstr("the list around its items"));
  EXPECT_EQ(Split(R"({"items":nope})").code, Code::kInvalid);
  EXPECT_EQ(Split(R"({"items":[] "x":1})").code, Code::kInvalid);
}

TEST(ItemSplitter, EveryCutIsDataLoss) {
  const std::string text = R"({"kind":"L","items":[{"a":1},{"b":2}],"x":{"y":1}})";
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(Split(text.substr(0, length)).code, Code::kDataLoss) << length;
  }
}

TEST(ItemSplitter, ItemsAndHeadAreLimited) {
  const std::string list = R"({"items":[{"a":1},{"a":"0123456789"}]})";
  const Outcome small = Split(list, SIZE_MAX, {.max_item_bytes = 10});
  EXPECT_EQ(small.code, Code::kExhausted);
  EXPECT_THAT(small.head, HasSubstr("item 1 of the list has more than 10 bytes"));
  EXPECT_EQ(Split(list, 1, {.max_item_bytes = 10}).code, Code::kExhausted);
  EXPECT_EQ(Split(list, 1, {.max_item_bytes = 18}).code, Code::kOk);
  EXPECT_EQ(Split(list, 1, {.max_head_bytes = 12}).code, Code::kOk);
  EXPECT_EQ(Split(list, 1, {.max_head_bytes = 11}).code, Code::kExhausted);
}

TEST(ItemSplitter, AFailureOfTheTakerEndsIt) {
  int calls = 0;
  ItemSplitter splitter([&](std::string_view, size_t) {
    return ++calls == 2 ? InternalError("full") : Status::Ok();
  });
  EXPECT_EQ(splitter.Feed(R"({"items":[{},{},{}]})").code(), Code::kInternal);
  EXPECT_EQ(splitter.Feed("{}").code(), Code::kInternal);
  EXPECT_EQ(splitter.Finish().status().code(), Code::kInternal);
  EXPECT_EQ(calls, 2);
}

TEST(ItemSplitter, AnItemInOnePieceIsNotCopied) {
  const std::string list = R"({"items":[{"a":1}]})";
  const char* seen = nullptr;
  ItemSplitter splitter([&](std::string_view item, size_t) {
    seen = item.data();
    return Status::Ok();
  });
  ASSERT_TRUE(splitter.Feed(list).ok());
  EXPECT_EQ(seen, list.data() + list.find("{\"a\""));
}

}  // namespace
}  // namespace hearth::json
