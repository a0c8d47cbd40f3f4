#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "controller/cached_object.h"
#include "controller/pass.h"
#include "json/value.h"
#include "kube/model/names.h"

namespace hearth::controller {

// A child that is not there is created, which never touches an object that somebody else made: that
// is a conflict or, with kCreateOrUse, as good.
enum class Birth { kCreate, kCreateOrUse };

// A child as it should be beside the one that is there, if any.
struct Child {
  const kube::ResourceType& type;
  json::Value desired;
  const CachedObject* cached = nullptr;
  Birth birth = Birth::kCreate;
  // What it is made from has changed since all was well. A child that we have not written yet is
  // written then: it may hold what is no longer wanted, which cannot be seen.
  bool changed = false;
  // Who may have made it before us.
  std::span<const std::string_view> former_managers = {};
};

// Makes it so, unless it is so. One that is being deleted is waited for, which is ok: its end wakes
// us. kConflict names the object that stands in its place and is controlled by something else. True
// when something was sent.
Result<bool> EnsureChild(Pass& pass, Child child, std::string_view owner_uid);

}  // namespace hearth::controller
