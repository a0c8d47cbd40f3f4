#pragma once

#include <set>
#include <string>
#include <vector>

#include "json/value.h"
#include "schema/cel/rule_set.h"
#include "schema/crd.h"
#include "schema/validate.h"

namespace hearth::schema {

// What came of an object: refused with the fields that causes name, or taken and how it looks then.
struct Verdict {
  bool taken = false;
  std::set<std::string> fields;
  std::set<std::string> causes;  // field, reason and message
  json::Value object;            // without what only a server adds
  std::string text;              // for the report
};

// Our side of the comparison: what the library makes of objects of the first version of a
// definition, rules included.
class Ours {
 public:
  explicit Ours(const json::Value& crd);
  Verdict Create(json::Value object, std::vector<std::string>* unknown = nullptr) const;
  // `old` as the server returned it.
  Verdict Update(json::Value object, json::Value old) const;
  // Through the subresource: nothing else of `object` counts.
  Verdict UpdateStatus(json::Value object, json::Value old) const;
  const ResourceDefinition& definition() const { return definition_; }

 private:
  const ResourceVersion& version() const { return definition_.versions[0]; }

  ResourceDefinition definition_;
  Validator validator_;
  RuleSet rules_;
};

// A document of tests/contract/schemas/.
std::vector<json::Value> ReadDocuments(const std::string& file);

// "/spec/a/0" and what is put there; "-/spec/a" takes it out.
void Edit(json::Value& object, const json::Value& edits);
// The objects that a file of cases asks for, each with what was done to the base.
std::vector<json::Value> HandWritten(const json::Value& cases);
// A known difference: we keep the digits of numbers, the server reads what does not fit an int64 as
// a double and writes that.
void RoundNumbers(json::Value& value);
// Takes off what the server adds to metadata, so that objects can be compared.
void DropServerFields(json::Value& object);

// Makes objects by damaging good ones: wrong types, values at and past limits, nulls, unknown
// members, duplicates, nesting. The same seed gives the same objects.
std::vector<json::Value> Generate(const std::vector<json::Value>& good, uint64_t seed, int count);
// Makes objects by changing the member ("spec", "status") of good ones where `schema`, that of the
// whole object, says something: values at and past limits, words of an enumeration, fields that are
// left out or come to others. Most of them have the right types, so that rules are asked.
std::vector<json::Value> GenerateGuided(const Schema& schema, const std::vector<json::Value>& good,
                                        const std::string& member, uint64_t seed, int count);

}  // namespace hearth::schema
