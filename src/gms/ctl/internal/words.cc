#include "gms/ctl/internal/words.h"

#include "base/base64.h"
#include "base/strings.h"
#include "json/parse.h"

namespace hearth::gms::ctl {

TensorWords DescribeTensor(std::string_view metadata_value) {
  const auto parsed = json::Parse(metadata_value);
  if (!parsed.ok() || !parsed->view()["shape"].IsArray()) {
    return {};
  }
  std::vector<std::string> sizes;
  for (const json::View size : parsed->view()["shape"].items()) {
    sizes.emplace_back(size.raw());
  }
  std::string dtype = parsed->view()["dtype"].StringOr("");
  if (dtype.starts_with("torch.")) {
    dtype.erase(0, std::string_view("torch.").size());
  }
  return {.dtype = dtype, .shape = "[" + Join(sizes, ", ") + "]"};
}

json::Value::Member ValueMember(std::string_view bytes) {
  if (const auto parsed = json::ParseValue(bytes); parsed.ok()) {
    return {"value", *parsed};
  }
  if (ValidUtf8(bytes)) {
    return {"value", bytes};
  }
  return {"value_base64", EncodeBase64(bytes)};
}

}  // namespace hearth::gms::ctl
