// Each manifest of examples/sharing says which claims come of it and which pods use them. So do the
// plans, and the guide names the same.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "claims/inject.h"
#include "claims/plan.h"
#include "claims/testing/sample_sets.h"
#include "grove/model/names.h"
#include "json/yaml.h"

namespace hearth::claims {
namespace {

namespace fs = std::filesystem;
using Users = std::map<std::string, std::vector<std::string>>;  // pods by claim

std::string Read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// "#   <claim>: <pod> <pod>" below "# Claims".
Users Said(const std::string& text) {
  Users users;
  bool within = false;
  for (const std::string_view line : Split(text, '\n')) {
    const bool entry = line.starts_with("#   ");
    if (within && entry) {
      const auto words = Split(Trim(line.substr(1)), ' ');
      auto& pods = users[std::string(words[0].substr(0, words[0].size() - 1))];
      pods.assign(words.begin() + 1, words.end());
    }
    within = line == "# Claims" || (within && entry);
  }
  return users;
}

class Come {
 public:
  explicit Come(const grove::SetFacts& set) : set_(set) {
    AddClaims(SetOwner(set));
    for (int32_t i = 0; i < set.spec.replicas; ++i) {
      for (const auto& clique : set.parts().cliques) {
        if (set.GroupOf(clique.name) == nullptr) {
          AddClique(SampleClique(set, i, clique.name, clique.spec.replicas));
        }
      }
      for (const auto& group : set.parts().scaling_groups) {
        AddGroup(i, group);
      }
    }
  }
  const Users& users() const { return users_; }

 private:
  void AddClaims(const Result<Owner>& owner) {
    ASSERT_OK(owner);
    for (const Claim& claim : DesiredClaims(*owner)) {
      EXPECT_TRUE(users_.try_emplace(claim.name).second) << claim.name << " is two claims";
    }
  }

  void AddGroup(int32_t i, const api::grove::ScalingGroupTemplate& group) {
    AddClaims(GroupOwner(set_, SampleGroup(set_, i, group.name, *group.replicas)));
    for (int32_t j = 0; j < *group.replicas; ++j) {
      for (const std::string& name : group.clique_names) {
        AddClique(SampleMember(set_, i, group.name, j, name, set_.FindClique(name)->spec.replicas));
      }
    }
  }

  void AddClique(const grove::CliqueFacts& clique) {
    AddClaims(CliqueOwner(set_, clique, {}));
    for (int32_t index = 0; index < clique.replicas; ++index) {
      const auto place = PlaceOf(set_, clique, index);
      ASSERT_OK(place);
      for (const std::string& claim : ClaimsOf(set_, *place)) {
        ASSERT_TRUE(users_.contains(claim)) << claim << " is used and nobody makes it";
        users_[claim].push_back(grove::Hostname(clique.id.name, index));
      }
    }
  }

  const grove::SetFacts& set_;
  Users users_;
};

Users Comes(const std::string& text) {
  auto documents = json::ParseYaml(text);
  EXPECT_OK(documents);
  for (const json::Value& document : *documents) {
    if (document.Find("kind")->string() == "PodCliqueSet") {
      const json::Blob blob = document.ToBlob();
      const auto set = grove::SetFacts::From(grove::Identity::Of(blob.view()), blob.view());
      EXPECT_OK(set);
      return Come(*set).users();
    }
  }
  return {};
}

TEST(SharingExamples, MakeTheClaimsTheySayForThePodsTheySay) {
  const fs::path root(HEARTH_SOURCE_DIR);
  const std::string guide = Read(root / "docs" / "resource-sharing.md");
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "examples" / "sharing")) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::string text = Read(entry.path());
    const Users users = Comes(text);
    EXPECT_FALSE(users.empty());
    EXPECT_EQ(Said(text), users);
    EXPECT_NE(guide.find(entry.path().filename().string()), std::string::npos);
    for (const auto& [claim, pods] : users) {
      EXPECT_NE(guide.find(claim), std::string::npos) << "the guide does not show " << claim;
    }
    ++count;
  }
  EXPECT_EQ(count, 9) << "two scopes at three levels, filters, a template of the cluster, and all";
}

}  // namespace
}  // namespace hearth::claims
