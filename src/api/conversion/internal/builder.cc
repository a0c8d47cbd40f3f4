#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

ObjectBuilder::ObjectBuilder(Arena& arena, const Tree& object)
    : members_(arena, (object.IsObject() ? object.size() : 0) + 4) {
  for (size_t i = 0; object.IsObject() && i < object.size(); ++i) {
    Add(object.name(i), object.at(i));
  }
}

Tree::Member* ObjectBuilder::IndexedPlace(std::string_view name) {
  if (places_ == nullptr) {
    places_ = std::make_unique<Places>(members_.size() * 2);
    for (size_t i = 0; i < members_.size(); ++i) {
      arena().SpendIndexing(members_.data()[i].name);
      places_->emplace(members_.data()[i].name, i);
    }
  }
  const auto place = places_->find(name);
  return place == places_->end() ? nullptr : members_.data() + place->second;
}

Tree::Member* ObjectBuilder::Place(std::string_view name) {
  constexpr size_t kFew = 32;
  if (members_.size() > kFew && ++looks_ > kFew) {
    return IndexedPlace(name);
  }
  arena().SpendLooks(members_.size());
  Tree::Member* end = members_.data() + members_.size();
  Tree::Member* found = std::find_if(members_.data(), end, [&](const Tree::Member& member) {
    return SameName(member.name, name);
  });
  return found == end ? nullptr : found;
}

void ObjectBuilder::Set(std::string_view name, const Tree& value) {
  if (Tree::Member* place = Place(name); place != nullptr) {
    place->value = value;
  } else {
    Add(name, value);
  }
}

void ObjectBuilder::SetIfAny(std::string_view name, const Tree& value) {
  if (value.Exists()) {
    Set(name, value);
  }
}

void ObjectBuilder::Erase(std::string_view name) {
  if (const Tree::Member* place = Place(name); place != nullptr) {
    arena().SpendLooks(members_.size());  // those behind it move
    members_.EraseAt(static_cast<size_t>(place - members_.data()));
    places_.reset();
    looks_ = 0;
  }
}

Tree ObjectBuilder::Find(std::string_view name) {
  const Tree::Member* place = Place(name);
  return place == nullptr ? Tree() : place->value;
}

Tree ObjectBuilder::Build() const {
  return Tree(std::construct_at(
      arena().Room<Tree::Node>(1),
      Tree::Node{.is_object = true, .size = members_.size(), .members = members_.data()}));
}

ListBuilder::ListBuilder(Arena& arena, const Tree& list)
    : items_(arena, (list.IsArray() ? list.size() : 0) + 4) {
  AppendAll(list);
}

void ListBuilder::AppendAll(const Tree& list) {
  for (size_t i = 0; list.IsArray() && i < list.size(); ++i) {
    Append(list.at(i));
  }
}

Tree ListBuilder::Build() const {
  return Tree(std::construct_at(
      items_.arena().Room<Tree::Node>(1),
      Tree::Node{.is_object = false, .size = items_.size(), .items = items_.data()}));
}

}  // namespace hearth::api::conversion::internal
