#pragma once

#include <gtest/gtest.h>

#include "base/result.h"

// ASSERT_OK(DoIt()); EXPECT_CODE(Code::kNotFound, Find()); ASSERT_OK_AND_ASSIGN(auto x, Make());
#define ASSERT_OK(expr)                                                      \
  do {                                                                       \
    auto&& hearth_r_ = (expr);                                               \
    ASSERT_TRUE(hearth_r_.ok()) << ::hearth::ToStatus(hearth_r_).ToString(); \
  } while (false)
#define EXPECT_OK(expr)                                                      \
  do {                                                                       \
    auto&& hearth_r_ = (expr);                                               \
    EXPECT_TRUE(hearth_r_.ok()) << ::hearth::ToStatus(hearth_r_).ToString(); \
  } while (false)
#define EXPECT_CODE(expected, expr)                                     \
  do {                                                                  \
    auto&& hearth_r_ = (expr);                                          \
    EXPECT_EQ(::hearth::CodeName(::hearth::ToStatus(hearth_r_).code()), \
              ::hearth::CodeName(expected))                             \
        << ::hearth::ToStatus(hearth_r_).ToString();                    \
  } while (false)
#define ASSERT_OK_AND_ASSIGN(left, expr) \
  ASSERT_OK_AND_ASSIGN_(HEARTH_CONCAT(hearth_result_, __LINE__), left, expr)
#define ASSERT_OK_AND_ASSIGN_(result, left, expr)         \
  auto result = (expr);                                   \
  ASSERT_TRUE(result.ok()) << result.status().ToString(); \
  left = std::move(result).value()
