#include "json/internal/bracket_scanner.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace hearth::json::internal {
namespace {

// One byte at a time: what the fast ones must agree with. A backslash is active everywhere; valid
// JSON has it in strings only.
size_t SlowEnd(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool was_escaped = escaped;
    escaped = c == '\\' && !was_escaped;
    if (c == '"') {
      in_string = in_string != !was_escaped;
    } else if (!in_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::string RandomText(std::mt19937& random, size_t length) {
  constexpr std::string_view kBytes = "{}[]{}[]\"\"\\\\abc,: ";
  std::string text = "{";
  while (text.size() < length) {
    text += kBytes[random() % kBytes.size()];
  }
  return text;
}

std::string Balanced(std::mt19937& random, int levels) {
  std::string text = "{\"k\\\\\":[\"" + std::string(random() % 90, '\\') + "x\"";
  text = random() % 2 == 0 ? text : std::string("{\"k\":[\"a\"");
  for (size_t i = random() % 4; i > 0 && levels > 0; --i) {
    text += "," + Balanced(random, levels - 1);
  }
  return text + "]}";
}

std::vector<BracketScan*> Scans() {
  std::vector<BracketScan*> scans = {ScanBracketsBaseline};
  if (HasAvx2()) {
    scans.push_back(ScanBracketsAvx2);
  }
  return scans;
}

size_t EndOf(BracketScan* scan, std::string_view text, size_t piece) {
  BracketState state;
  for (size_t at = 0; at < text.size(); at += piece) {
    // A copy of exactly this size, so that a sanitizer sees a step too far.
    const std::string_view next = text.substr(at, piece);
    const std::vector<char> bytes(next.begin(), next.end());
    const char* behind = scan(state, bytes.data(), bytes.data() + bytes.size());
    if (behind != nullptr) {
      return at + static_cast<size_t>(behind - bytes.data());
    }
  }
  return std::string_view::npos;
}

TEST(BracketScanner, FindsTheClosingBracket) {
  BracketScanner scanner;
  const std::string_view text = R"({"a":["}\"",{}]},{})";
  EXPECT_EQ(scanner.Scan(text.data(), text.data() + text.size()), text.data() + 16);
}

TEST(BracketScanner, GoesOnBetweenPieces) {
  BracketScanner scanner;
  const std::string_view text = "[\"\\\"]\"]";
  for (const char& c : text.substr(0, text.size() - 1)) {
    EXPECT_EQ(scanner.Scan(&c, &c + 1), nullptr);
  }
  EXPECT_EQ(scanner.Scan(&text.back(), &text.back() + 1), &text.back() + 1);
}

TEST(BracketScanner, AgreesWithTheSlowWayOnNoise) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = RandomText(random, 1 + random() % 400);
    for (BracketScan* scan : Scans()) {
      EXPECT_EQ(EndOf(scan, text, SIZE_MAX / 2), SlowEnd(text)) << text;
      EXPECT_EQ(EndOf(scan, text, 1 + random() % 100), SlowEnd(text)) << text;
    }
  }
}

TEST(BracketScanner, AgreesWithTheSlowWayOnDeepText) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::string text = Balanced(random, 6) + ",{}]";
    for (BracketScan* scan : Scans()) {
      EXPECT_EQ(EndOf(scan, text, SIZE_MAX / 2), SlowEnd(text)) << text;
      EXPECT_EQ(EndOf(scan, text, 1 + random() % 200), SlowEnd(text)) << text;
    }
  }
}

}  // namespace
}  // namespace hearth::json::internal
