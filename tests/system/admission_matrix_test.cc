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
#include <set>

#include "admission/door/door.h"
#include "api/catalog/catalog.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/patch.h"
#include "json/yaml.h"
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

  Answer FromKubectl(std::vector<std::string> command, const Value& object,
                     const std::string& user = "") {
    const std::string file = directory_ / "object.yaml";
    EXPECT_OK(RealFileSystem().Write(file, json::WriteYaml(object), 0600));
    command.insert(command.end(), {"-f", file});
    if (!user.empty()) {
      command.push_back("--as=" + user);
    }
    const auto said = plane_->Kubectl(command);
    return said.ok() ? Answer() : Answer{std::string(said.status().message())};
  }

  // kubectl's warnings are seen only when they make it fail.
  static std::vector<std::string> Command(const Value& one, std::vector<std::string> command) {
    if (Warns(one)) {
      command.emplace_back("--warnings-as-errors");
    }
    return command;
  }

  // Whatever the API server has put in by itself is not an author's change.
  Value Stored(const Value& object) {
    const auto text = OnStored({"get", "-o", "json"}, object);
    EXPECT_OK(text);
    return text.ok() ? json::ParseYamlDocument(*text).value() : Value();
  }

  Result<std::string> OnStored(std::vector<std::string> command, const Value& object) {
    const std::string version = object.Find("apiVersion")->string();
    const size_t slash = version.find('/');
    command.insert(command.end(), {object.Find("kind")->string() + "." + version.substr(slash + 1) +
                                       "." + version.substr(0, slash),
                                   object.FindPath("metadata.name")->string(), "-n", name_space_});
    return plane_->Kubectl(std::move(command));
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

  void TryCreate(const Value& one, const Value& object) {
    Expect(one, "kubectl", FromKubectl(Command(one, {"create", "--dry-run=server"}), object));
    Expect(one, "the door", FromDoor(one, object, {.user = "admin"}));
  }

  void TryUpdate(const Value& one, Value object, size_t number) {
    object["metadata"]["name"] = "m" + std::to_string(number);
    const Answer created = FromKubectl({"create"}, object);
    ASSERT_TRUE(created.empty()) << testing::PrintToString(created);
    if (const Value* status = one.Find("status")) {
      ASSERT_OK(OnStored({"patch", "--subresource=status", "--type=merge",
                          "-p=" + Value::Object({{"status", *status}}).Write()},
                         object));
    }
    const Value old = Stored(object);
    Value changed = old;
    ASSERT_OK(json::ApplyJsonPatch(changed, *one.Find("then")));
    const std::string user = one.Find("as") == nullptr ? "" : one.Find("as")->string();
    Expect(one, "kubectl", FromKubectl(Command(one, {"replace"}), changed, user));
    Expect(
        one, "the door",
        FromDoor(
            one, changed,
            {.operation = Operation::kUpdate, .old = &old, .user = user.empty() ? "admin" : user}));
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
    one.Find("then") == nullptr ? TryCreate(one, object) : TryUpdate(one, object, i);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AdmissionMatrix, testing::ValuesIn(Files()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param.substr(0, info.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hearth
