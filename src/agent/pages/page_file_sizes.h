#pragma once

#include "base/result.h"
#include "snapshot/artifact/contents.h"
#include "snapshot/images/image_folder.h"

namespace hearth::agent {

// Whether every page file is as long as the images say: where there are no digests, one that was
// cut off would come back as zeros, or keep CRIU waiting for ever. kDataLoss names it.
Status CheckPageFileSizes(const snapshot::images::ImageFolder& images,
                          const snapshot::Contents& contents);

}  // namespace hearth::agent
