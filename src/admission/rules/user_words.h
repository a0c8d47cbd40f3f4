#pragma once

#include "admission/rules/rule.h"
#include "json/value.h"
#include "schema/field_error.h"

namespace hearth::admission {

// Rules speak of the v1beta1 form of an object. Who sent v1alpha1 knows other places and other
// spellings of values, and is told those.
class UserWords {
 public:
  // What the user sent, and what the rules saw of it. Both must outlive this.
  UserWords(const json::Value& v1alpha1, const json::Value& v1beta1)
      : v1alpha1_(v1alpha1), v1beta1_(v1beta1) {}

  void Translate(schema::FieldError& error) const;
  void Translate(Warning& warning) const;

 private:
  const json::Value& v1alpha1_;
  const json::Value& v1beta1_;
};

}  // namespace hearth::admission
