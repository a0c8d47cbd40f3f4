#include "json/quantity.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/status_matchers.h"

namespace hearth::json {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

struct Row {
  const char* text;
  const char* canonical;
  int64_t value;
  int64_t milli_value;
};

// Canonical forms are those of apimachinery v0.34; values as well, except that ours saturate where
// Go wraps around.
const Row kRows[] = {
    {"0", "0", 0, 0},
    {"-0", "0", 0, 0},
    {"+0", "0", 0, 0},
    {"00", "0", 0, 0},
    {"0.0", "0", 0, 0},
    {"0Mi", "0", 0, 0},
    {"0e3", "0", 0, 0},
    {"1", "1", 1, 1000},
    {"+1", "1", 1, 1000},
    {"-1", "-1", -1, -1000},
    {"01", "1", 1, 1000},
    {"10", "10", 10, 10000},
    {"100", "100", 100, 100000},
    {"1000", "1k", 1000, 1000000},
    {"1001", "1001", 1001, 1001000},
    {"1024", "1024", 1024, 1024000},
    {"1000000", "1M", 1000000, 1000000000},
    {"123456789", "123456789", 123456789, 123456789000},
    {"1.5", "1500m", 2, 1500},
    {"-1.5", "-1500m", -2, -1500},
    {"1.500", "1500m", 2, 1500},
    {"0.5", "500m", 1, 500},
    {".5", "500m", 1, 500},
    {"-.5", "-500m", -1, -500},
    {"1.", "1", 1, 1000},
    {"1.G", "1G", 1000000000, 1000000000000},
    {"0.1", "100m", 1, 100},
    {"0.25", "250m", 1, 250},
    {"0.001", "1m", 1, 1},
    {"0.000001", "1u", 1, 1},
    {"0.000000001", "1n", 1, 1},
    {"0.0000000001", "1n", 1, 1},
    {"-0.0000000001", "-1n", -1, -1},
    {"1.0000000001", "1000000001n", 2, 1001},
    {"1n", "1n", 1, 1},
    {"0.1n", "1n", 1, 1},
    {"999n", "999n", 1, 1},
    {"1000n", "1u", 1, 1},
    {"1u", "1u", 1, 1},
    {"1500u", "1500u", 1, 2},
    {"1000u", "1m", 1, 1},
    {"1m", "1m", 1, 1},
    {"100m", "100m", 1, 100},
    {"250m", "250m", 1, 250},
    {"500m", "500m", 1, 500},
    {"1000m", "1", 1, 1000},
    {"1500m", "1500m", 2, 1500},
    {"0.1m", "100u", 1, 1},
    {"0.5m", "500u", 1, 1},
    {"1k", "1k", 1000, 1000000},
    {"1.5k", "1500", 1500, 1500000},
    {"1000k", "1M", 1000000, 1000000000},
    {"1500k", "1500k", 1500000, 1500000000},
    {"0.001k", "1", 1, 1000},
    {"1M", "1M", 1000000, 1000000000},
    {"2.5M", "2500k", 2500000, 2500000000},
    {"1G", "1G", 1000000000, 1000000000000},
    {"0.5G", "500M", 500000000, 500000000000},
    {"1T", "1T", 1000000000000, 1000000000000000},
    {"1P", "1P", 1000000000000000, 1000000000000000000},
    {"1E", "1E", 1000000000000000000, kMax},
    {"1.1E", "1100P", 1100000000000000000, kMax},
    {"9E", "9E", 9000000000000000000, kMax},
    {"9223372036854775807", "9223372036854775807", kMax, kMax},
    {"-9223372036854775807", "-9223372036854775807", -9223372036854775807, kMin},
    {"9223372036854775808", "9223372036854775808", kMax, kMax},
    {"1Ki", "1Ki", 1024, 1024000},
    {"1023Ki", "1023Ki", 1047552, 1047552000},
    {"1024Ki", "1Mi", 1048576, 1048576000},
    {"1025Ki", "1025Ki", 1049600, 1049600000},
    {"1536Ki", "1536Ki", 1572864, 1572864000},
    {"2048Ki", "2Mi", 2097152, 2097152000},
    {"0.5Ki", "512", 512, 512000},
    {"0.0001Ki", "102400u", 1, 103},
    {"-0.5Ki", "-512", -512, -512000},
    {"1.5Ki", "1536", 1536, 1536000},
    {"1.1Ki", "1126400m", 1127, 1126400},
    {"-1.5Mi", "-1536Ki", -1572864, -1572864000},
    {"0.5Gi", "512Mi", 536870912, 536870912000},
    {"1Gi", "1Gi", 1073741824, 1073741824000},
    {"1.5Gi", "1536Mi", 1610612736, 1610612736000},
    {"1.3Gi", "1395864371200m", 1395864372, 1395864371200},
    {"16Gi", "16Gi", 17179869184, 17179869184000},
    {"1048576Ki", "1Gi", 1073741824, 1073741824000},
    {"100Mi", "100Mi", 104857600, 104857600000},
    {"1Ti", "1Ti", 1099511627776, 1099511627776000},
    {"1Pi", "1Pi", 1125899906842624, 1125899906842624000},
    {"1Ei", "1Ei", 1152921504606846976, kMax},
    {"7Ei", "7Ei", 8070450532247928832, kMax},
    {"8Ei", "9223372036854775807", kMax, kMax},
    {"10Ei", "9223372036854775807", kMax, kMax},
    {"-10Ei", "-9223372036854775807", -9223372036854775807, kMin},
    {"12345678901234567890Ki", "9223372036854775807", kMax, kMax},
    {"1e0", "1", 1, 1000},
    {"1e1", "10", 10, 10000},
    {"1e2", "100", 100, 100000},
    {"1e3", "1e3", 1000, 1000000},
    {"1E3", "1e3", 1000, 1000000},
    {"1e+3", "1e3", 1000, 1000000},
    {"1e03", "1e3", 1000, 1000000},
    {"1e-3", "1e-3", 1, 1},
    {"1e-9", "1e-9", 1, 1},
    {"1e-10", "1e-9", 1, 1},
    {"1.5e3", "1500", 1500, 1500000},
    {"12e6", "12e6", 12000000, 12000000000},
    {"100e-3", "100e-3", 1, 100},
    {"-1e3", "-1e3", -1000, -1000000},
    {"1e18", "1e18", 1000000000000000000, kMax},
    {"1e20", "100e18", kMax, kMax},
    {"1e28", "10e27", kMax, kMax},
};

TEST(Quantity, ReadsAndWritesAsApimachineryDoes) {
  for (const Row& row : kRows) {
    const Result<Quantity> quantity = Quantity::Parse(row.text);
    ASSERT_TRUE(quantity.ok()) << row.text << ": " << quantity.status().ToString();
    EXPECT_EQ(quantity->ToString(), row.canonical) << row.text;
    EXPECT_EQ(quantity->Value(), row.value) << row.text;
    EXPECT_EQ(quantity->MilliValue(), row.milli_value) << row.text;
  }
}

TEST(Quantity, CanonicalFormReadsBackToTheSame) {
  for (const Row& row : kRows) {
    ASSERT_OK_AND_ASSIGN(const Quantity quantity, Quantity::Parse(row.text));
    ASSERT_OK_AND_ASSIGN(const Quantity again, Quantity::Parse(quantity.ToString()));
    EXPECT_EQ(again, quantity) << row.text;
    EXPECT_EQ(again.Hash(), quantity.Hash()) << row.text;
    EXPECT_EQ(again.ToString(), quantity.ToString()) << row.text;
  }
}

TEST(Quantity, RefusesWhatIsNoQuantity) {
  for (const char* text :
       {"",    "1.2.3", "1e",  "1K",   "1ki",  "1mi",  "1i",  "1KiB", " 1",  "1 ",  "abc", "1e1.5",
        "0x1", "1_000", "1,5", "1Eie", "1e3k", "1ke3", "--1", "1-",   "1e+", "1\n", "１",  "1%"}) {
    EXPECT_EQ(Quantity::Parse(text).status().code(), Code::kInvalid) << text;
  }
}

// apimachinery takes these for 0; its documented grammar does not have them.
TEST(Quantity, RefusesTextWithoutDigits) {
  for (const char* text : {".", "+", "-", "m", "Ki", "-Mi", "e3"}) {
    EXPECT_EQ(Quantity::Parse(text).status().code(), Code::kInvalid) << text;
  }
}

TEST(Quantity, ErrorsSayWhatIsWrong) {
  EXPECT_NE(Quantity::Parse("5Gib").status().message().find("\"Gib\" is not a suffix"),
            std::string::npos);
  EXPECT_NE(Quantity::Parse("").status().message().find("empty"), std::string::npos);
  EXPECT_NE(Quantity::Parse("m").status().message().find("no digits"), std::string::npos);
}

TEST(Quantity, NumbersBeyondTheRangeAreCapped) {
  for (const char* text : {"1e30", "1e1000", "1e99999999999999999999", "2e29",
                           "170141183460469231731687303715884105728", "999999999999E"}) {
    ASSERT_OK_AND_ASSIGN(const Quantity quantity, Quantity::Parse(text));
    EXPECT_EQ(quantity, *Quantity::Parse("1e29")) << text;
  }
  ASSERT_OK_AND_ASSIGN(const Quantity negative, Quantity::Parse("-1e30"));
  EXPECT_EQ(negative, *Quantity::Parse("-1e29"));
  EXPECT_EQ(negative.Value(), kMin);
}

TEST(Quantity, TheSmallestThingIsOneNano) {
  ASSERT_OK_AND_ASSIGN(const Quantity tiny, Quantity::Parse("1e-99999999999999999999"));
  EXPECT_EQ(tiny.ToString(), "1e-9");
  EXPECT_EQ(Quantity::Parse("0e99999999999999999999")->ToString(), "0");
}

TEST(Quantity, ManyDigitsStayExact) {
  ASSERT_OK_AND_ASSIGN(const Quantity binary, Quantity::Parse("0.00000000000000000001Ei"));
  EXPECT_EQ(binary.ToString(), "11529216n");
  ASSERT_OK_AND_ASSIGN(const Quantity decimal, Quantity::Parse("1" + std::string(28, '0') + "." +
                                                               std::string(500, '0') + "1"));
  EXPECT_EQ(decimal.ToString(), "10000000000000000000000000000000000001n");
}

TEST(Quantity, ComparesByValue) {
  const auto q = [](std::string_view text) { return *Quantity::Parse(text); };
  EXPECT_EQ(q("1"), q("1000m"));
  EXPECT_EQ(q("1Gi"), q("1073741824"));
  EXPECT_EQ(q("1e3"), q("1k"));
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_GT(q("1Gi"), q("1G"));
  EXPECT_LT(q("-1"), q("-1n"));
  EXPECT_EQ(q("1Gi").Hash(), q("1073741824").Hash());
  EXPECT_NE(q("1n").Hash(), q("2n").Hash());
}

TEST(Quantity, AddsExactlyAndKeepsTheLeftForm) {
  const auto q = [](std::string_view text) { return *Quantity::Parse(text); };
  EXPECT_EQ((q("50k") + q("20")).ToString(), "50020");
  EXPECT_EQ((q("1Gi") + q("1Gi")).ToString(), "2Gi");
  EXPECT_EQ((q("0") + q("1Ki")).ToString(), "1Ki");
  EXPECT_EQ((q("1") - q("1n")).ToString(), "999999999n");
  EXPECT_EQ(q("5") - q("5"), Quantity());
}

TEST(Quantity, SumsEndAtTheMaximum) {
  const Quantity most = *Quantity::Parse("1e29");
  EXPECT_EQ(most + most, most);
  EXPECT_EQ(most - most, Quantity());
  const Quantity least = Quantity() - most;
  EXPECT_EQ(least - most, least);
}

TEST(Quantity, IsAnIntOnlyWhenItIsExactlyOne) {
  EXPECT_EQ(Quantity::Parse("50k")->ToInt(), 50'000);
  EXPECT_EQ(Quantity::Parse("-1Ki")->ToInt(), -1024);
  EXPECT_EQ(Quantity::Parse("1500m")->ToInt(), std::nullopt);
  EXPECT_EQ(Quantity::Parse("1e20")->ToInt(), std::nullopt);
  EXPECT_EQ(Quantity::Parse("1500m")->ToDouble(), 1.5);
  EXPECT_EQ(Quantity::Parse("-100m")->ToDouble(), -0.1);
}

TEST(Quantity, FromIntIsExact) {
  EXPECT_EQ(Quantity::FromInt(kMax).Value(), kMax);
  EXPECT_EQ(Quantity::FromInt(kMin).Value(), kMin);
  EXPECT_EQ(Quantity::FromInt(2000).ToString(), "2k");
  EXPECT_EQ(Quantity().ToString(), "0");
}

}  // namespace
}  // namespace hearth::json
