#include "json/blob.h"

#include <cstring>
#include <new>
#include <utility>

namespace hearth::json {

// Stands in front of the text, in the same piece of memory.
struct Blob::Rep {
  explicit Rep(size_t text_size) : size(text_size) {}

  std::atomic<uint32_t> owners{1};
  size_t size;

  char* text() { return reinterpret_cast<char*>(this + 1); }

  static Rep* Make(std::string_view text) {
    auto* rep = new (::operator new(sizeof(Rep) + text.size())) Rep(text.size());
    std::memcpy(rep->text(), text.data(), text.size());
    return rep;
  }

  static Rep* Share(Rep* rep) {
    if (rep != nullptr) {
      rep->owners.fetch_add(1, std::memory_order_relaxed);
    }
    return rep;
  }

  static void Release(Rep* rep) {
    // The last owner must see everything the others did before they let go.
    if (rep != nullptr && rep->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      rep->~Rep();
      ::operator delete(rep);
    }
  }
};

Blob Blob::Trusted(std::string_view compact) {
  Blob blob;
  if (!compact.empty()) {
    blob.rep_ = Rep::Make(compact);
  }
  return blob;
}

Blob::Blob(const Blob& other) : rep_(Rep::Share(other.rep_)) {}
Blob::Blob(Blob&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}

Blob& Blob::operator=(const Blob& other) {  // NOLINT(bugprone-unhandled-self-assignment)
  Rep* shared = Rep::Share(other.rep_);     // first, in case it is this one
  Rep::Release(std::exchange(rep_, shared));
  return *this;
}

Blob& Blob::operator=(Blob&& other) noexcept {
  Rep* taken = std::exchange(other.rep_, nullptr);
  Rep::Release(std::exchange(rep_, taken));
  return *this;
}

Blob::~Blob() { Rep::Release(rep_); }

std::string_view Blob::text() const& {
  return rep_ == nullptr ? std::string_view() : std::string_view(rep_->text(), rep_->size);
}

}  // namespace hearth::json
