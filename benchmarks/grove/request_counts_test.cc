#include "request_counts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::bench {
namespace {

std::string Line(const std::string& verb, const std::string& resource, int code,
                 const std::string& subresource = "", const std::string& second = "01") {
  return fmt::format(
      R"({{"kind":"Event","level":"Metadata","stage":"ResponseComplete","verb":"{}",)"
      R"("objectRef":{{"resource":"{}","namespace":"ns","subresource":"{}"}},)"
      R"("responseStatus":{{"code":{}}},"stageTimestamp":"2026-01-01T00:00:{}.500000Z"}})",
      verb, resource, subresource, code, second);
}

TEST(RequestCounts, StatusesEventsAndReadsAreNotWrites) {
  RequestCounts counts;
  ASSERT_OK(counts.Add(Line("create", "pods", 201)));
  ASSERT_OK(counts.Add(Line("patch", "podcliques", 201)));
  ASSERT_OK(counts.Add(Line("patch", "podcliques", 200)));
  ASSERT_OK(counts.Add(Line("patch", "podcliquesets", 200, "status")));
  ASSERT_OK(counts.Add(Line("create", "events", 201)));
  ASSERT_OK(counts.Add(Line("list", "pods", 200)));
  EXPECT_EQ(counts.requests(), 6U);
  EXPECT_EQ(counts.writes(), 3U);
  EXPECT_EQ(counts.writes_to("podcliques"), 2U);
  EXPECT_EQ(counts.created(), 2U);
  EXPECT_EQ(counts.status_writes("podcliquesets"), 1U);
  EXPECT_EQ(counts.status_writes("podcliques"), 0U);
  EXPECT_EQ(counts.events(), 1U);
}

TEST(RequestCounts, WatchesAndLeasesDoNotCount) {
  RequestCounts counts;
  ASSERT_OK(counts.Add(Line("watch", "pods", 200)));
  ASSERT_OK(counts.Add(Line("update", "leases", 200)));
  EXPECT_EQ(counts.requests(), 0U);
}

TEST(RequestCounts, RefusedCreationCreatesNothing) {
  RequestCounts counts;
  ASSERT_OK(counts.Add(Line("create", "pods", 409)));
  EXPECT_EQ(counts.writes(), 1U);
  EXPECT_EQ(counts.created(), 0U);
  EXPECT_EQ(counts.conflicts(), 1U);
}

TEST(RequestCounts, KnowsWhenTheLastOfEachWasAnswered) {
  RequestCounts counts;
  ASSERT_OK(counts.Add(Line("create", "pods", 201, "", "01")));
  ASSERT_OK(counts.Add(Line("patch", "pods", 200, "", "02")));
  ASSERT_OK(counts.Add(Line("patch", "podcliques", 200, "status", "03")));
  EXPECT_EQ(counts.last_write() - counts.last_created(), std::chrono::seconds(1));
  EXPECT_EQ(counts.last() - counts.last_write(), std::chrono::seconds(1));
}

TEST(RequestCounts, WhatIsNoEventIsRefused) {
  RequestCounts counts;
  EXPECT_TRUE(counts.Add("not json").Is(Code::kInvalid));
  EXPECT_TRUE(counts.Add("{}").Is(Code::kInvalid));
}

}  // namespace
}  // namespace hearth::bench
