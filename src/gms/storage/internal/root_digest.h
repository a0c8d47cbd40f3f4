#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "disk/digest.h"

namespace hearth::gms::storage {

// A JSON object, compact, with one more member at its end: the digest of every byte before that
// member's value. Whoever checks it needs no JSON: the file ends in the 32 digits, a quote, a brace
// and a line end, and the digest is of all bytes before those digits.
std::string WithRootDigest(std::string object);
// kDataLoss when the text does not end so, or the digest is another.
Result<disk::Digest> CheckRootDigest(std::string_view text);

}  // namespace hearth::gms::storage
