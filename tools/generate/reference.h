#pragma once

#include <string>
#include <vector>

#include "files.h"
#include "schema/crd.h"

// The reference for users, in Markdown, from the same definitions as the CustomResourceDefinitions.
// Pure: the same definitions give the same bytes.
namespace hearth::generate {

// docs/reference/<kind in lower case>.md: what the kind is, its versions and columns, and every
// field, object by object, with its rules. Types of Kubernetes itself are named and not unfolded;
// only what was added to them is told.
GeneratedFile ReferencePage(const schema::ResourceDefinition& definition);

// docs/reference/README.md: the kinds.
GeneratedFile ReferenceIndex(const std::vector<schema::ResourceDefinition>& definitions);

}  // namespace hearth::generate
