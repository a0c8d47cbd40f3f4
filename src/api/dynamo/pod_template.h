#pragma once

#include "api/table/node.h"

namespace hearth::api::dynamo {

// The pod template of a component, complete, with the rules that hold for it: a container other
// than `main` needs an image, and so does an init container; the annotation that names vLLM's
// executor is mp or ray. The container `main` may say as little as its name.
Node ComponentPodTemplate();

// A pod template that is merged over another one. The schema says nothing of its inside, so that
// the definition stays small; admission reads it strictly.
Node SchemalessPodTemplate();

}  // namespace hearth::api::dynamo
