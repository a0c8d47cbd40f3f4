#include "gms/ctl/internal/words.h"

#include <gtest/gtest.h>

namespace hearth::gms::ctl {
namespace {

TEST(Words, TensorsAsEnginesDescribeThem) {
  const TensorWords words =
      DescribeTensor(R"({"dtype": "torch.bfloat16", "shape": [256, 2048], "stride": [2048, 1]})");
  EXPECT_EQ(words.dtype, "bfloat16");
  EXPECT_EQ(words.shape, "[256, 2048]");
  EXPECT_EQ(DescribeTensor(R"({"shape": []})").shape, "[]");
  EXPECT_EQ(DescribeTensor("no JSON").shape, "");
  EXPECT_EQ(DescribeTensor(R"({"dtype": "torch.int8"})").dtype, "");
}

TEST(Words, ValuesInJsonKeepTheirBytes) {
  const auto text = [](std::string_view bytes) {
    return json::Value::FromMembers({ValueMember(bytes)}).Write();
  };
  EXPECT_EQ(text(R"({"a": 1})"), R"({"value":{"a":1}})");
  EXPECT_EQ(text("plain"), R"({"value":"plain"})");
  EXPECT_EQ(text("\xff\x01"), R"({"value_base64":"/wE="})");
}

}  // namespace
}  // namespace hearth::gms::ctl
