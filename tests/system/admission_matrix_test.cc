// Every case of tests/admission, asked twice: kubectl and a real API server with our webhooks, and
// the door without either. Both must say the same. A case is
//   patch   a JSON patch of the file's object, before it is created
//   status  what a controller writes meanwhile
//   then    a JSON patch of what was stored: an update
//   as      who updates; the administrator, when not given
//   says    what is told of an object that is refused; without it the object is taken
//   warns   what is warned of, be it taken or not
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "admission/door/door.h"
#include "api/catalog/catalog.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "kubectl_batch.h"
#include "webhook_rig.h"

namespace hearth {
namespace {

using admission::Operation;
using admission::Request;
using json::Value;
using testing::HasSubstr;

constexpr uint64_t kMostBytes = 4 << 20;

std::string Folder() { return std::string(HEARTH_SOURCE_DIR) + "/tests/admission/"; }

std::vector<std::string> Files() { return RealFileSystem().List(Folder()).value(); }

// One file is one object that is taken as it is, and cases that change it.
Value ReadFile(const std::string& name) {
  const auto text = RealFileSystem().Read(Folder() + name, kMostBytes);
  EXPECT_OK(text);
  auto parsed = json::ParseYamlDocument(text.ok() ? *text : "");
  EXPECT_OK(parsed);
  return parsed.ok() ? *std::move(parsed) : Value();
}

// What one side says. Of an object that is taken: nothing, or warnings where a case expects them.
using Answer = std::vector<std::string>;

bool IsNamespaced(const Value& object) {
  const auto* kind =
      api::FindKind(object.Find("apiVersion")->string(), object.Find("kind")->string());
  return kind == nullptr || kind->definition.namespaced;
}

// A member that is misspelt would be a case that tries nothing.
void ExpectKnownMembers(const Value& one) {
  static const std::set<std::string_view> kKnown = {"name", "patch", "status", "then",
                                                    "as",   "says",  "warns"};
  for (const auto& [name, value] : one.members()) {
    EXPECT_TRUE(kKnown.contains(name)) << name;
  }
}

bool Warns(const Value& one) { return one.Find("warns") != nullptr; }

struct Case {
  const Value* one;  // as the file has it
  Value object;      // to create, or to replace `old` with
  Value old;         // as it is stored, for an update
};

kube::ResourceType TypeOf(const Value& object) {
  const api::CheckedKind& kind =
      *api::FindKind(object.Find("apiVersion")->string(), object.Find("kind")->string());
  const schema::ResourceDefinition& definition = kind.definition;
  return {definition.group, kind.version.name, definition.plural, definition.kind,
          definition.namespaced};
}

class AdmissionMatrix : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    std::string why_not;
    kube::TestControlPlane* plane = kube::SharedControlPlane(&why_not);
    if (plane == nullptr) {
      return;
    }
    InstallDefinitions(*plane);
    ASSERT_OK_AND_ASSIGN(const std::string operator_namespace, plane->NewNamespace("operator"));
    WebhookRigOptions options;
    options.operator_namespace = operator_namespace;
    options.keeper.url_prefix = "https://127.0.0.1:";
    rig_ = std::make_unique<WebhookRig>(*plane, operator_namespace, std::move(options));
    rig_->Start();
    rig_->Register();
    ASSERT_TRUE(rig_->AwaitAdmission());
    // Who updates may be a service account: what it may do is not what is tried here.
    ASSERT_OK(plane->Kubectl({"create", "clusterrolebinding", "all-accounts",
                              "--clusterrole=cluster-admin", "--group=system:serviceaccounts"}));
  }
  static void TearDownTestSuite() { rig_.reset(); }

  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    ASSERT_OK_AND_ASSIGN(name_space_, plane_->NewNamespace("matrix"));
  }

  // Of each case, in their order. kubectl's warnings are seen only when they make it fail, and it
  // does not tell which object they are about: a case that warns has a run of its own.
  std::vector<Answer> FromKubectl(const std::vector<std::string>& command,
                                  const std::vector<Case>& cases) {
    std::vector<Answer> answers(cases.size());
    std::vector<Value> together;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (Warns(*cases[i].one)) {
        std::vector<std::string> failing = command;
        failing.emplace_back("--warnings-as-errors");
        answers[i] = FromKubectlAlone(std::move(failing), cases[i].object);
      } else {
        together.push_back(cases[i].object);
      }
    }
    const auto said = AskKubectl(*plane_, command, together);
    EXPECT_OK(said);
    size_t next = 0;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (!Warns(*cases[i].one)) {
        answers[i] = ToAnswer(said.ok() ? said->at(next++) : said.status().ToString());
      }
    }
    return answers;
  }

  Answer FromKubectlAlone(std::vector<std::string> command, const Value& object) {
    const std::string file = directory_ / "object.yaml";
    EXPECT_OK(RealFileSystem().Write(file, json::WriteYaml(object), 0600));
    command.insert(command.end(), {"-f", file});
    const auto said = plane_->Kubectl(command);
    return said.ok() ? Answer() : Answer{std::string(said.status().message())};
  }

  static Answer ToAnswer(std::string said) {
    return said.empty() ? Answer() : Answer{std::move(said)};
  }

  static kube::ObjectKey KeyOf(const Value& object) {
    const Value* name_space = object.FindPath("metadata.namespace");
    return {name_space == nullptr ? "" : name_space->string(),
            object.FindPath("metadata.name")->string()};
  }

  void SetStatus(const Value& object, const Value& status) {
    const json::Blob patch = Value::Object({{"status", status}}).ToBlob();
    ASSERT_OK(rig_->client().Patch(TypeOf(object), KeyOf(object), kube::PatchType::kMerge,
                                   patch.view(), WebhookRig::Limit(), {.subresource = "status"}));
  }

  // As kubectl get shows it: whatever the API server has put in by itself is not an author's
  // change.
  Value Stored(const Value& object) {
    const auto got = rig_->client().Get(TypeOf(object), KeyOf(object), WebhookRig::Limit());
    EXPECT_OK(got);
    Value stored = got.ok() ? got->ToValue() : Value::Object();
    stored["metadata"].Erase("managedFields");
    return stored;
  }

  static Answer FromDoor(const Value& one, const Value& object, const Request& request) {
    const auto admitted = admission::Admit(object, request);
    if (!admitted.ok()) {
      return {admitted.status().ToString()};
    }
    Answer answer = Warns(one) ? Texts(admitted->warnings) : Answer();
    for (const admission::Finding& finding : admitted->errors) {
      answer.push_back(finding.error.ToString());
    }
    return answer;
  }

  static void Expect(const Value& one, const std::string& who, const Answer& answer) {
    const Value* says = one.Find(Warns(one) ? "warns" : "says");
    const std::string all = testing::PrintToString(answer);
    if (says == nullptr) {
      EXPECT_TRUE(answer.empty()) << who << " says " << all;
      return;
    }
    EXPECT_FALSE(answer.empty()) << who << " takes it";
    for (const Value& text : says->items()) {
      const bool said = std::any_of(answer.begin(), answer.end(), [&](const std::string& line) {
        return line.find(text.string()) != std::string::npos;
      });
      EXPECT_TRUE(said) << who << " says " << all << "\nand not " << text.string();
    }
  }

  void TryCreates(const std::vector<Case>& cases) {
    const std::vector<std::string> create = {"create", "--dry-run=server"};
    const std::vector<Answer> answers = FromKubectl(create, cases);
    for (size_t i = 0; i < cases.size(); ++i) {
      const auto& [one, object, old] = cases[i];
      SCOPED_TRACE(GetParam() + ": " + one->Find("name")->string());
      Expect(*one, "kubectl", answers[i]);
      Expect(*one, "the door", FromDoor(*one, object, {.user = "admin"}));
    }
    // kubectl has other words around the only error of a run, which is what most users see.
    const auto refused = std::find_if(cases.begin(), cases.end(), [](const Case& one) {
      return one.one->Find("says") != nullptr && !Warns(*one.one);
    });
    if (refused != cases.end()) {
      SCOPED_TRACE(GetParam() + ": " + refused->one->Find("name")->string());
      Expect(*refused->one, "kubectl, asked alone", FromKubectlAlone(create, refused->object));
    }
  }

  void TryUpdates(std::vector<Case> cases) {
    ASSERT_NO_FATAL_FAILURE(CreateAll(cases));
    std::map<std::string, std::vector<Case>> by_user;
    for (Case& one : cases) {
      SCOPED_TRACE(GetParam() + ": " + one.one->Find("name")->string());
      ASSERT_NO_FATAL_FAILURE(Change(one));
      const Value* user = one.one->Find("as");
      by_user[user == nullptr ? "" : user->string()].push_back(std::move(one));
    }
    for (const auto& [user, theirs] : by_user) {
      TryReplaces(user, theirs);
    }
  }

  void CreateAll(const std::vector<Case>& cases) {
    std::vector<Value> objects;
    for (const Case& one : cases) {
      objects.push_back(one.object);
    }
    ASSERT_OK_AND_ASSIGN(const auto said, AskKubectl(*plane_, {"create"}, objects));
    for (size_t i = 0; i < cases.size(); ++i) {
      ASSERT_EQ(said[i], "") << cases[i].one->Find("name")->string();
    }
  }

  // From an object that was created to the update of what is stored.
  void Change(Case& one) {
    if (const Value* status = one.one->Find("status")) {
      ASSERT_NO_FATAL_FAILURE(SetStatus(one.object, *status));
    }
    one.old = Stored(one.object);
    one.object = one.old;
    ASSERT_OK(json::ApplyJsonPatch(one.object, *one.one->Find("then")));
  }

  void TryReplaces(const std::string& user, const std::vector<Case>& cases) {
    std::vector<std::string> command = {"replace"};
    if (!user.empty()) {
      command.push_back("--as=" + user);
    }
    const std::vector<Answer> answers = FromKubectl(command, cases);
    for (size_t i = 0; i < cases.size(); ++i) {
      const auto& [one, object, old] = cases[i];
      SCOPED_TRACE(GetParam() + ": " + one->Find("name")->string());
      Expect(*one, "kubectl", answers[i]);
      Expect(*one, "the door",
             FromDoor(*one, object,
                      {.operation = Operation::kUpdate,
                       .old = &old,
                       .user = user.empty() ? "admin" : user}));
    }
  }

  static inline std::unique_ptr<WebhookRig> rig_;
  kube::TestControlPlane* plane_ = nullptr;
  std::string name_space_;
  TempDirectory directory_;
};

TEST_P(AdmissionMatrix, KubectlAndTheDoorSayTheSame) {
  const Value file = ReadFile(GetParam());
  const Value* base = file.Find("object");
  const Value* cases = file.Find("cases");
  ASSERT_TRUE(base != nullptr && cases != nullptr);
  std::vector<Case> creates;
  std::vector<Case> updates;
  for (size_t i = 0; i < cases->items().size(); ++i) {
    const Value& one = cases->items()[i];
    SCOPED_TRACE(GetParam() + ": " + one.Find("name")->string());
    ExpectKnownMembers(one);
    Value object = *base;
    if (IsNamespaced(object)) {
      object["metadata"]["namespace"] = name_space_;
    }
    if (const Value* patch = one.Find("patch")) {
      ASSERT_OK(json::ApplyJsonPatch(object, *patch));
    }
    if (one.Find("then") == nullptr) {
      creates.push_back({&one, std::move(object)});
    } else {
      object["metadata"]["name"] = "m" + std::to_string(i);
      updates.push_back({&one, std::move(object)});
    }
  }
  TryCreates(creates);
  TryUpdates(std::move(updates));
}

INSTANTIATE_TEST_SUITE_P(All, AdmissionMatrix, testing::ValuesIn(Files()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param.substr(0, info.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hearth
