#include "cli/bundle/bundle.h"

#include <fmt/format.h>

#include <utility>

#include "json/time.h"

namespace hearth::bundle {
namespace {

using json::Value;

constexpr int kFormat = 1;

}  // namespace

bool Bundle::Add(const std::string& path, std::string_view bytes, size_t redactions) {
  if (bytes_ + bytes.size() > kMostBytes) {
    LeaveOut(path, fmt::format("the bundle has {} MiB already", bytes_ >> 20));
    return false;
  }
  bytes_ += bytes.size();
  files_.Add(path, bytes);
  listed_.push_back({path, bytes.size(), redactions});
  return true;
}

void Bundle::AddObject(const std::string& path, Value object) {
  std::vector<Redaction> redactions = RedactObject(object);
  if (!Add(path, object.WritePretty(), redactions.size())) {
    return;
  }
  for (Redaction& redaction : redactions) {
    taken_.push_back({path, std::move(redaction)});
  }
}

void Bundle::AddText(const std::string& path, std::string_view text) {
  const RedactedText redacted = RedactText(text);
  if (Add(path, redacted.text, redacted.count) && redacted.count > 0) {
    taken_.push_back(
        {path,
         {fmt::format("{} times", redacted.count), "it looks like a token, a key or a password"}});
  }
}

void Bundle::LeaveOut(std::string what, std::string why) {
  left_out_.push_back({std::move(what), std::move(why)});
}

Value Bundle::Manifest() const {
  Value files = Value::Array();
  for (const File& file : listed_) {
    files.Append(Value::Object(
        {{"path", file.path}, {"bytes", file.bytes}, {"redactions", uint64_t{file.redactions}}}));
  }
  Value taken = Value::Array();
  for (const Taken& each : taken_) {
    taken.Append(Value::Object(
        {{"file", each.file}, {"path", each.redaction.path}, {"why", each.redaction.why}}));
  }
  Value left_out = Value::Array();
  for (const LeftOut& each : left_out_) {
    left_out.Append(Value::Object({{"what", each.what}, {"why", RedactText(each.why).text}}));
  }
  return Value::Object({{"format", kFormat},
                        {"program", "hearth " + facts_.version},
                        {"created", json::Time{facts_.now}.ToString()},
                        {"server", RedactText(facts_.server).text},
                        {"files", std::move(files)},
                        {"redacted", std::move(taken)},
                        {"leftOut", std::move(left_out)}});
}

std::string Bundle::Pack() {
  files_.Add("manifest.json", Manifest().WritePretty());
  return files_.Finish();
}

}  // namespace hearth::bundle
