#include "api/conversion/internal/arena.h"

namespace hearth::api::conversion::internal {

Tree Flag(bool value) {
  static const json::Value kTrue(true);
  static const json::Value kFalse(false);
  return Tree(value ? &kTrue : &kFalse);
}

}  // namespace hearth::api::conversion::internal
