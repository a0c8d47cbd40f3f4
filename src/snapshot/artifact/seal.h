#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "disk/digest.h"

namespace hearth::snapshot {

// The root digest of an artifact: of the manifest's text, which holds the digest of the table of
// contents, which holds those of all other files. It is the manifest's last line, a comment to
// whoever reads YAML.
std::string Seal(std::string manifest_text);

bool IsSealed(std::string_view text);
// kDataLoss when the text is not the one that was sealed.
Result<disk::Digest> CheckSeal(std::string_view text);

}  // namespace hearth::snapshot
