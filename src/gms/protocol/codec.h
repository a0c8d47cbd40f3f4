#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gms/protocol/limits.h"
#include "gms/protocol/messages.h"

// Messages as MessagePack and back. Every struct of messages.h goes through its Visit; nothing here
// knows a message by name.
namespace hearth::gms {

namespace internal {

// Counts what Encoder is going to write.
class FieldCounter {
 public:
  template <typename T>
  void operator()(const char*, const T&) {
    ++count_;
  }
  template <typename T>
  void required(const char*, const T&) {
    ++count_;
  }
  template <typename T>
  void bytes(const char*, const T&) {
    ++count_;
  }
  template <typename T>
  void extra(const char*, const T& value) {
    count_ += value != T{} ? 1 : 0;
  }
  size_t count() const { return count_; }

 private:
  size_t count_ = 0;
};

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  template <typename M>
  void Put(const M& message) {
    auto& fields = const_cast<M&>(message);  // Visit is one for both directions; we only read
    FieldCounter counter;
    fields.Visit(counter);
    BeginMap(counter.count() + (M::kType != nullptr ? 1 : 0));
    if constexpr (M::kType != nullptr) {
      Text("type");
      Text(M::kType);
    }
    fields.Visit(*this);
  }

  template <typename T>
  void operator()(const char* name, const T& value) {
    Text(name);
    Value(value);
  }
  template <typename T>
  void required(const char* name, const T& value) {
    (*this)(name, value);
  }
  template <typename T>
  void extra(const char* name, const T& value) {
    if (value != T{}) {
      (*this)(name, value);
    }
  }
  void bytes(const char* name, const Bytes& value) {
    Text(name);
    Binary(value);
  }
  void bytes(const char* name, const std::optional<Bytes>& value) {
    Text(name);
    value ? Binary(*value) : Nil();
  }

 private:
  void Value(const std::string& value) { Text(value); }
  void Value(int64_t value);
  void Value(uint64_t value);
  void Value(bool value);
  template <typename T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : Nil();
  }
  template <typename T>
  void Value(const std::vector<T>& values) {
    BeginArray(values.size());
    for (const T& value : values) {
      Value(value);
    }
  }
  template <typename M>
  requires requires { M::kType; }
  void Value(const M& message) { Put(message); }

  void BeginMap(size_t size);
  void BeginArray(size_t size);
  void Text(std::string_view text);
  void Binary(std::string_view bytes);
  void Nil();

  std::string& out_;
};

// A value of a parsed document, whatever library parsed it.
using Node = const void*;

// Fills one struct from one map; the first thing that is wrong stays in status().
class Decoder {
 public:
  Decoder(Node map, bool reject_unknown);

  template <typename M>
  void Get(M& message) {
    message.Visit(*this);
    RejectUnknown();
  }
  template <typename T>
  void operator()(const char* name, T& value) {
    if (const Node node = Find(name)) {
      Read(name, node, value);
    }
  }
  template <typename T>
  void required(const char* name, T& value) {
    if (const Node node = Find(name)) {
      Read(name, node, value);
    } else {
      Fail(name, "is missing");
    }
  }
  template <typename T>
  void extra(const char* name, T& value) {
    (*this)(name, value);
  }
  void bytes(const char* name, Bytes& value);
  void bytes(const char* name, std::optional<Bytes>& value);
  const Status& status() const { return status_; }

 private:
  Node Find(const char* name);
  void Read(const char* name, Node node, std::string& value);
  void Read(const char* name, Node node, int64_t& value);
  void Read(const char* name, Node node, uint64_t& value);
  void Read(const char* name, Node node, bool& value);
  template <typename T>
  void Read(const char* name, Node node, std::optional<T>& value) {
    if (!IsNil(node)) {
      Read(name, node, value.emplace());
    }
  }
  template <typename T>
  void Read(const char* name, Node node, std::vector<T>& values) {
    const size_t size = ArraySize(name, node);
    values.resize(size);
    for (size_t i = 0; i < size && status_.ok(); ++i) {
      Read(name, Element(node, i), values[i]);
    }
  }
  template <typename M>
  requires requires { M::kType; }
  void Read(const char* name, Node node, M& message) {
    Decoder nested(node, reject_unknown_);
    nested.Get(message);
    if (!nested.status_.ok() && status_.ok()) {
      status_ = nested.status_.WithContext(name);
    }
  }

  static bool IsNil(Node node);
  size_t ArraySize(const char* name, Node node);
  static Node Element(Node node, size_t index);
  void Fail(const char* name, std::string_view problem);
  void RejectUnknown();

  Node map_;
  bool reject_unknown_;
  size_t found_ = 0;
  Status status_;
};

}  // namespace internal

// The payload of a frame.
template <typename M>
std::string Encode(const M& message) {
  std::string out;
  internal::Encoder(out).Put(message);
  return out;
}

// Whether fields that we do not know are passed over, as existing peers expect, or are a mistake.
enum class UnknownFields : uint8_t { kIgnore, kReject };

// A payload that was parsed and found to be a map with a `type`, before anybody says which message
// it must be. Refers to the payload, which must outlive it. Moves only.
class Document {
 public:
  // kDataLoss: not one MessagePack document, or beyond the limits, or without a type.
  static Result<Document> Parse(std::string_view payload);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  std::string_view type() const;
  template <typename M>
  bool Is() const {
    return type() == M::kType;
  }
  // kDataLoss: a field is missing, has another kind of value, or is unknown and must not be. The
  // type itself is not compared.
  template <typename M>
  Result<M> As(UnknownFields unknown = UnknownFields::kIgnore) const {
    M message;
    internal::Decoder decoder(root(), unknown == UnknownFields::kReject);
    decoder.Get(message);
    if (!decoder.status().ok()) {
      return decoder.status().WithContext(type());
    }
    return message;
  }

 private:
  struct Impl;
  explicit Document(std::unique_ptr<Impl> impl);
  internal::Node root() const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::gms
