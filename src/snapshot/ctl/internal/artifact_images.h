#pragma once

#include "base/result.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/images/captured.h"

namespace hearth::snapshot::ctl {

// What the images of an artifact say, whether its pages are compressed or not.
Result<images::Captured> ReadImages(const Artifact& artifact);

}  // namespace hearth::snapshot::ctl
