#include "gms/protocol/codec.h"

#include <fmt/format.h>

#include <limits>
#include <msgpack.hpp>
#include <utility>

#include "base/strings.h"

namespace hearth::gms {
namespace {

// What msgpack's packer writes to.
class Sink {
 public:
  explicit Sink(std::string& out) : out_(out) {}
  void write(const char* data, size_t size) { out_.append(data, size); }

 private:
  std::string& out_;
};
using Packer = msgpack::packer<Sink>;

const msgpack::object& Object(internal::Node node) {
  return *static_cast<const msgpack::object*>(node);
}

bool IsText(const msgpack::object& object, std::string_view text) {
  return object.type == msgpack::type::STR &&
         std::string_view(object.via.str.ptr, object.via.str.size) == text;
}

const msgpack::object* FindKey(const msgpack::object& map, std::string_view key) {
  for (uint32_t i = 0; i < map.via.map.size; ++i) {
    if (IsText(map.via.map.ptr[i].key, key)) {
      return &map.via.map.ptr[i].val;
    }
  }
  return nullptr;
}

// Looks whether the document is whole and how much it holds, before any of it is built: a few
// bytes may claim millions of elements.
class Measure : public msgpack::null_visitor {
 public:
  bool visit_nil() { return Count(1); }
  bool visit_boolean(bool) { return Count(1); }
  bool visit_positive_integer(uint64_t) { return Count(1); }
  bool visit_negative_integer(int64_t) { return Count(1); }
  bool visit_float32(float) { return Count(1); }
  bool visit_float64(double) { return Count(1); }
  bool visit_str(const char*, uint32_t) { return Count(1); }
  bool visit_bin(const char*, uint32_t) { return Count(1); }
  bool visit_ext(const char*, uint32_t) { return Count(1); }
  bool start_array(uint32_t) { return Enter(); }
  bool end_array() { return Leave(); }
  bool start_map(uint32_t) { return Enter(); }
  bool end_map() { return Leave(); }
  void parse_error(size_t, size_t) { ok_ = false; }
  void insufficient_bytes(size_t, size_t) { ok_ = false; }
  bool ok() const { return ok_; }

 private:
  bool Count(size_t values) {
    values_ += values;
    ok_ = ok_ && values_ <= kMaxValues;
    return ok_;
  }
  bool Enter() {
    ++depth_;
    ok_ = ok_ && depth_ <= kMaxDepth;
    return ok_ && Count(1);
  }
  bool Leave() {
    --depth_;
    return ok_;
  }

  size_t values_ = 0;
  size_t depth_ = 0;
  bool ok_ = true;
};

bool Whole(std::string_view payload) {
  Measure measure;
  size_t end = 0;
  return msgpack::parse(payload.data(), payload.size(), end, measure) && measure.ok() &&
         end == payload.size();
}

bool StayInPlace(msgpack::type::object_type, size_t, void*) { return true; }

}  // namespace

namespace internal {

void Encoder::Value(int64_t value) {
  Sink sink(out_);
  Packer(sink).pack_int64(value);
}

void Encoder::Value(uint64_t value) {
  Sink sink(out_);
  Packer(sink).pack_uint64(value);
}

void Encoder::Value(bool value) {
  Sink sink(out_);
  value ? Packer(sink).pack_true() : Packer(sink).pack_false();
}

void Encoder::BeginMap(size_t size) {
  Sink sink(out_);
  Packer(sink).pack_map(static_cast<uint32_t>(size));
}

void Encoder::BeginArray(size_t size) {
  Sink sink(out_);
  Packer(sink).pack_array(static_cast<uint32_t>(size));
}

void Encoder::Text(std::string_view text) {
  Sink sink(out_);
  Packer packer(sink);
  packer.pack_str(static_cast<uint32_t>(text.size()));
  packer.pack_str_body(text.data(), static_cast<uint32_t>(text.size()));
}

void Encoder::Binary(std::string_view bytes) {
  Sink sink(out_);
  Packer packer(sink);
  packer.pack_bin(static_cast<uint32_t>(bytes.size()));
  packer.pack_bin_body(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

void Encoder::Nil() {
  Sink sink(out_);
  Packer(sink).pack_nil();
}

Decoder::Decoder(Node map, bool reject_unknown) : map_(map), reject_unknown_(reject_unknown) {
  if (Object(map_).type != msgpack::type::MAP) {
    Fail("message", "is not a map");
  } else if (FindKey(Object(map_), "type") != nullptr) {
    ++found_;
  }
}

Node Decoder::Find(const char* name) {
  if (!status_.ok()) {
    return nullptr;
  }
  const msgpack::object* value = FindKey(Object(map_), name);
  found_ += value != nullptr ? 1 : 0;
  return value;
}

void Decoder::RejectUnknown() {
  if (!status_.ok() || !reject_unknown_ || found_ == Object(map_).via.map.size) {
    return;
  }
  status_ = Status(Code::kDataLoss, "has a field that is not known, or one twice");
}

void Decoder::Fail(const char* name, std::string_view problem) {
  if (status_.ok()) {
    status_ = Status(Code::kDataLoss, fmt::format("{} {}", name, problem));
  }
}

bool Decoder::IsNil(Node node) { return Object(node).type == msgpack::type::NIL; }

size_t Decoder::ArraySize(const char* name, Node node) {
  if (Object(node).type != msgpack::type::ARRAY) {
    Fail(name, "is not an array");
    return 0;
  }
  return Object(node).via.array.size;
}

Node Decoder::Element(Node node, size_t index) { return Object(node).via.array.ptr + index; }

void Decoder::Read(const char* name, Node node, std::string& value) {
  const msgpack::object& object = Object(node);
  if (object.type != msgpack::type::STR) {
    return Fail(name, "is not a string");
  }
  const std::string_view text(object.via.str.ptr, object.via.str.size);
  if (!ValidUtf8(text)) {
    return Fail(name, "is not UTF-8");
  }
  value = text;
}

void Decoder::Read(const char* name, Node node, int64_t& value) {
  const msgpack::object& object = Object(node);
  if (object.type == msgpack::type::NEGATIVE_INTEGER) {
    value = object.via.i64;
  } else if (object.type == msgpack::type::POSITIVE_INTEGER &&
             object.via.u64 <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    value = static_cast<int64_t>(object.via.u64);
  } else {
    Fail(name, "is not an integer of 64 bits");
  }
}

void Decoder::Read(const char* name, Node node, uint64_t& value) {
  if (Object(node).type != msgpack::type::POSITIVE_INTEGER) {
    return Fail(name, "is not a whole number");
  }
  value = Object(node).via.u64;
}

void Decoder::Read(const char* name, Node node, bool& value) {
  if (Object(node).type != msgpack::type::BOOLEAN) {
    return Fail(name, "is not true or false");
  }
  value = Object(node).via.boolean;
}

void Decoder::bytes(const char* name, Bytes& value) {
  std::optional<Bytes> read;
  bytes(name, read);
  if (read) {
    value = *std::move(read);
  } else {
    Fail(name, "is missing");
  }
}

void Decoder::bytes(const char* name, std::optional<Bytes>& value) {
  const Node node = Find(name);
  if (node == nullptr || IsNil(node)) {
    return;
  }
  const msgpack::object& object = Object(node);
  if (object.type != msgpack::type::BIN) {
    return Fail(name, "is not bytes");
  }
  value.emplace(object.via.bin.ptr, object.via.bin.size);
}

}  // namespace internal

struct Document::Impl {
  msgpack::object_handle handle;
  std::string_view type;
};

Document::Document(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::string_view Document::type() const { return impl_->type; }
internal::Node Document::root() const { return &impl_->handle.get(); }

Result<Document> Document::Parse(std::string_view payload) {
  if (!Whole(payload)) {
    return Status(Code::kDataLoss, "not one MessagePack document within the limits");
  }
  auto impl = std::make_unique<Impl>();
  try {
    impl->handle = msgpack::unpack(payload.data(), payload.size(), StayInPlace);
  } catch (const std::exception& error) {
    return Status(Code::kDataLoss, error.what());
  }
  const msgpack::object& root = impl->handle.get();
  const auto* type = root.type == msgpack::type::MAP ? FindKey(root, "type") : nullptr;
  if (type == nullptr || type->type != msgpack::type::STR) {
    return Status(Code::kDataLoss, "not a map with a type");
  }
  impl->type = {type->via.str.ptr, type->via.str.size};
  return Document(std::move(impl));
}

}  // namespace hearth::gms
