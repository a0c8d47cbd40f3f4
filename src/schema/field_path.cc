#include "schema/field_path.h"

namespace hearth::schema {

void FieldPath::Append(std::string& text, bool dotted) const {
  if (parent_ != nullptr) {
    parent_->Append(text, dotted);
  }
  switch (kind_) {
    case Kind::kRoot:
      text += name_;
      break;
    case Kind::kItem:
      text += "[" + std::to_string(index_) + "]";
      break;
    case Kind::kKey:
      if (!dotted) {
        text.append("[").append(name_).append("]");
        break;
      }
      [[fallthrough]];
    case Kind::kName:
      text.append(text.empty() ? "" : ".").append(name_);
      break;
  }
}

std::string FieldPath::ToString() const {
  std::string text;
  Append(text, false);
  return text.empty() && IsRoot() ? "<nil>" : text;
}

std::string FieldPath::ToDotted() const {
  std::string text;
  Append(text, true);
  return text;
}

}  // namespace hearth::schema
