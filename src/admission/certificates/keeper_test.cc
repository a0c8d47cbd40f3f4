#include "admission/certificates/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "admission/certificates/internal/cluster.h"
#include "admission/certificates/keyring.h"
#include "base/base64.h"
#include "base/random.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"
#include "json/yaml.h"
#include "net/certificate_facts.h"

namespace hearth::admission::certificates {
namespace {

using json::Value;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

const kube::ObjectKey kSecret{"hearth-system", "webhook-server-cert"};

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

// One process of the operator: a keeper and what it serves.
struct Replica {
  Replica(kube::Client& client, Clock& clock, const KeeperOptions& options)
      : keeper(client, clock, options, Logger::Null(), nullptr) {}

  Result<Duration> Look() {
    return keeper.Look(
        [this](const net::TlsMaterial& material) {
          served = material;
          ++times;
          on_serve();
          return Status::Ok();
        },
        WaitLimit::Forever());
  }

  CertificateKeeper keeper;
  net::TlsMaterial served;
  int times = 0;
  bool calm = false;  // has had a look without trouble
  std::function<void()> on_serve;
};

class KeeperTest : public testing::Test {
 protected:
  KeeperTest() {
    api_.Put(internal::MutatingConfigurations(), Yaml(R"(
metadata: {name: hearth-mutating}
webhooks:
- {name: a, clientConfig: {service: {namespace: hearth-system, name: hearth-webhook}}}
- {name: b, clientConfig: {service: {namespace: hearth-system, name: hearth-webhook}}}
)"));
    api_.Put(internal::ValidatingConfigurations(), Yaml(R"(
metadata: {name: hearth-validating}
webhooks: [{name: c, clientConfig: {service: {namespace: hearth-system, name: hearth-webhook}}}]
)"));
    api_.Put(kube::types::CustomResourceDefinitions(), Yaml(R"(
metadata: {name: dynamographdeployments.nvidia.com}
spec: {conversion: {webhook: {clientConfig: {service: {namespace: hearth-system, name: hearth-webhook}}}}}
)"));
    options_.name_space = "hearth-system";
    options_.service = "hearth-webhook";
  }

  std::unique_ptr<Replica> Start() {
    auto replica = std::make_unique<Replica>(client_, clock_, options_);
    replica->on_serve = [this, shows = replica.get()] {
      EXPECT_TRUE(Believed(*shows)) << "shown before it was believed";
    };
    return replica;
  }

  Keyring Stored() {
    const json::Blob blob = api_.Find(kube::types::Secrets(), kSecret).value().ToBlob();
    return Keyring::From(blob.view());
  }
  void Store(const Keyring& keyring) {
    Value secret = kube::NewObject(kube::types::Secrets(), kSecret);
    keyring.WriteTo(secret);
    api_.Put(kube::types::Secrets(), std::move(secret));
  }
  // Of a clientConfig; empty when there is none.
  static std::string BundleIn(const Value& holder, std::string_view path) {
    const Value* bundle = holder.FindPath(path);
    return bundle != nullptr ? DecodeBase64(bundle->StringOr("")).value() : "";
  }
  std::string BundleOfWebhook(const kube::ResourceType& type, const std::string& name) {
    const Value object = api_.Find(type, {"", name}).value();
    return BundleIn(object.Find("webhooks")->items()[0], "clientConfig.caBundle");
  }
  std::vector<std::string> Bundles() {
    const Value crd = api_.Find(kube::types::CustomResourceDefinitions(),
                                {"", "dynamographdeployments.nvidia.com"})
                          .value();
    return {BundleOfWebhook(internal::MutatingConfigurations(), "hearth-mutating"),
            BundleOfWebhook(internal::ValidatingConfigurations(), "hearth-validating"),
            BundleIn(crd, "spec.conversion.webhook.clientConfig.caBundle")};
  }
  // Whether every API server that reads the bundles believes what the replica shows.
  bool Believed(const Replica& replica) {
    const auto bundles = Bundles();
    return std::all_of(bundles.begin(), bundles.end(), [&](const std::string& bundle) {
      const auto [known, is_new] =
          believed_.try_emplace(replica.served.certificate_pem + bundle, false);
      if (is_new) {
        known->second = HasSigner(replica.served.certificate_pem, bundle);
      }
      return known->second;
    });
  }
  static bool HasSigner(const std::string& certificate, const std::string& bundle) {
    const auto authorities = net::SplitCertificates(bundle).value();
    return std::any_of(authorities.begin(), authorities.end(), [&](const std::string& authority) {
      return net::CheckSignedBy(certificate, authority).ok();
    });
  }
  size_t Writes() {
    const auto requests = api_.requests();
    return static_cast<size_t>(
        std::count_if(requests.begin(), requests.end(),
                      [](const std::string& line) { return line.rfind("GET", 0) != 0; }));
  }
  // Looks until nothing is left to be done now.
  static void Calm(Replica& replica) {
    for (int i = 0; i < 10; ++i) {
      const auto next = replica.Look();
      ASSERT_OK(next);
      if (*next > std::chrono::milliseconds(100)) {
        return;
      }
    }
    FAIL() << "it never came to rest";
  }

  ManualClock clock_;
  controller::MemoryApi api_;
  controller::DirectTransport transport_{
      [this](const http::Request& request, const WaitLimit&) -> Result<http::Response> {
        return api_.Answer(request);
      }};
  kube::Client client_{transport_, clock_, {.max_tries = 1}};
  KeeperOptions options_;
  std::map<std::string, bool> believed_;  // what was asked before; signatures are slow to check
};

TEST_F(KeeperTest, MakesPutsInAndServes) {
  const auto replica = Start();
  EXPECT_CODE(Code::kUnavailable, replica->keeper.Ready());
  Calm(*replica);
  EXPECT_EQ(replica->served, Stored().Served());
  EXPECT_TRUE(Believed(*replica));
  EXPECT_OK(replica->keeper.Ready());
}

TEST_F(KeeperTest, ASettledClusterIsNotWrittenTo) {
  const auto replica = Start();
  Calm(*replica);
  const size_t before = Writes();
  Calm(*replica);
  EXPECT_EQ(Writes(), before);
  EXPECT_EQ(replica->times, 1);
}

TEST_F(KeeperTest, AnotherReplicaTakesWhatIsThere) {
  const auto one = Start();
  Calm(*one);
  const size_t before = Writes();
  const auto two = Start();
  Calm(*two);
  EXPECT_EQ(two->served, one->served);
  EXPECT_EQ(Writes(), before);
}

TEST_F(KeeperTest, WhoLosesTheRaceForTheSecretTakesTheWinners) {
  const auto one = Start();
  const auto two = Start();
  bool raced = false;
  api_.Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "POST" && !std::exchange(raced, true)) {
      Calm(*two);  // between the other's look and its write
    }
    return std::nullopt;
  });
  Calm(*one);
  EXPECT_TRUE(raced);
  EXPECT_EQ(one->served, two->served);
  EXPECT_EQ(one->served, Stored().Served());
  EXPECT_TRUE(Believed(*one));
}

// W28
TEST_F(KeeperTest, AnOverwrittenBundleIsPutRight) {
  const auto replica = Start();
  Calm(*replica);
  const auto good = Bundles();
  Value configuration =
      api_.Find(internal::ValidatingConfigurations(), {"", "hearth-validating"}).value();
  configuration["webhooks"].items()[0]["clientConfig"]["caBundle"] = "eA==";
  api_.Put(internal::ValidatingConfigurations(), configuration);
  ASSERT_FALSE(Believed(*replica));
  Calm(*replica);
  EXPECT_EQ(Bundles(), good);
}

TEST_F(KeeperTest, ADefinitionThatConvertsElsewhereIsLeftAlone) {
  const std::string name = "dynamocomponentdeployments.nvidia.com";
  api_.Put(kube::types::CustomResourceDefinitions(), Yaml("metadata: {name: " + name + R"(}
spec: {conversion: {webhook: {clientConfig: {service: {namespace: other, name: x}}}}}
)"));
  Calm(*Start());
  EXPECT_EQ(api_.Find(kube::types::CustomResourceDefinitions(), {"", name})
                ->FindPath("spec.conversion.webhook.clientConfig.caBundle"),
            nullptr);
}

TEST_F(KeeperTest, GarbageInTheSecretIsReplaced) {
  Store({.serving_certificate = "garbage", .serving_key = "x", .authority = "y"});
  const auto replica = Start();
  Calm(*replica);
  EXPECT_TRUE(Believed(*replica));
}

TEST_F(KeeperTest, GarbageWhileServingIsReplacedWithoutShowingWhatNobodyBelieves) {
  const auto replica = Start();
  Calm(*replica);
  const net::TlsMaterial before = replica->served;
  Store({.serving_certificate = "garbage"});
  ASSERT_OK(replica->Look());
  EXPECT_EQ(replica->served, before) << "the new authority has not settled";
  EXPECT_TRUE(Believed(*replica));
  clock_.Advance(minutes(1));
  Calm(*replica);
  EXPECT_NE(replica->served, before);
  EXPECT_EQ(replica->served, Stored().Served());
  EXPECT_TRUE(Believed(*replica));
  EXPECT_EQ(Bundles()[0], BundleOf(Stored()));
}

// One replica shows what the old Secret held and another one starts after it was lost. Both must be
// believed all the time, and come to rest at the same.
class LostSecretTest : public KeeperTest {
 protected:
  LostSecretTest() {
    old_one_ = Start();
    Calm(*old_one_);
    before_ = old_one_->served;
  }

  void LookInTurns(Replica& first, Replica& second) {
    for (int i = 0; i < 4; ++i) {
      for (Replica* replica : {&first, &second}) {
        ASSERT_OK(replica->Look());
        EXPECT_TRUE(Believed(*old_one_)) << "in round " << i;
      }
    }
  }
  void ExpectRestAtTheSame(Replica& newcomer) {
    const size_t before = Writes();
    LookInTurns(*old_one_, newcomer);
    EXPECT_EQ(Writes(), before) << "they overwrite each other";
    EXPECT_TRUE(Believed(newcomer));
    clock_.Advance(minutes(1));
    LookInTurns(*old_one_, newcomer);
    EXPECT_NE(old_one_->served, before_);
    EXPECT_EQ(old_one_->served, newcomer.served);
    EXPECT_EQ(newcomer.served, Stored().Served());
    clock_.Advance(hours(24));
    LookInTurns(newcomer, *old_one_);
    EXPECT_EQ(Bundles()[0], MakeBundle({Stored().authority})) << "the old authority is forgotten";
    EXPECT_EQ(Writes(), before + 4) << "the Secret and three bundles";
  }

  std::unique_ptr<Replica> old_one_;
  net::TlsMaterial before_;
};

TEST_F(LostSecretTest, ANewcomerThatLooksFirstKeepsWhatTheBundlesCarried) {
  api_.Remove(kube::types::Secrets(), kSecret);
  const auto newcomer = Start();
  LookInTurns(*newcomer, *old_one_);
  ExpectRestAtTheSame(*newcomer);
}

TEST_F(LostSecretTest, ASpoiltOneIsAsGoodAsLost) {
  Store({.serving_certificate = "garbage", .authority = "rubbish"});
  const auto newcomer = Start();
  LookInTurns(*newcomer, *old_one_);
  ExpectRestAtTheSame(*newcomer);
}

TEST_F(LostSecretTest, TheOldOneLooksFirst) {
  api_.Remove(kube::types::Secrets(), kSecret);
  const auto newcomer = Start();
  LookInTurns(*old_one_, *newcomer);
  ExpectRestAtTheSame(*newcomer);
}

TEST_F(LostSecretTest, TheBundlesAreLostAsWell) {
  api_.Remove(kube::types::Secrets(), kSecret);
  for (const auto& [type, name] :
       {std::pair(&internal::MutatingConfigurations(), "hearth-mutating"),
        std::pair(&internal::ValidatingConfigurations(), "hearth-validating")}) {
    Value configuration = api_.Find(*type, {"", name}).value();
    InjectWebhooks(configuration, "", {"hearth-system", "hearth-webhook", ""});
    api_.Put(*type, std::move(configuration));
  }
  Value crd =
      api_.Find(kube::types::CustomResourceDefinitions(), {"", "dynamographdeployments.nvidia.com"})
          .value();
  crd.MakePath("spec.conversion.webhook.clientConfig").Erase("caBundle");
  api_.Put(kube::types::CustomResourceDefinitions(), std::move(crd));
  const auto newcomer = Start();
  ASSERT_OK(newcomer->Look());
  ASSERT_FALSE(Believed(*old_one_)) << "nobody could know of it";
  LookInTurns(*old_one_, *newcomer);
  ExpectRestAtTheSame(*newcomer);
}

TEST_F(LostSecretTest, AnotherUsableOneIsPutInItsPlace) {
  api_.Remove(kube::types::Secrets(), kSecret);
  Store(CarryOut(
            Step::kReplaceAll,
            {.names = NamesOfService("hearth-webhook", "hearth-system"), .now = clock_.WallNow()},
            options_.periods, clock_)
            .value());
  clock_.Advance(hours(48));  // it may have been made long ago
  const auto newcomer = Start();
  LookInTurns(*old_one_, *newcomer);
  ExpectRestAtTheSame(*newcomer);
}

TEST_F(KeeperTest, ARenewedCertificateIsServedAtOnce) {
  const auto replica = Start();
  Calm(*replica);
  clock_.Advance(hours(24 * 280));
  Calm(*replica);
  EXPECT_EQ(replica->times, 2);
  EXPECT_EQ(replica->served, Stored().Served());
  EXPECT_OK(replica->keeper.Ready());
}

TEST_F(KeeperTest, TheBundleComesBeforeTheCertificate) {
  const auto replica = Start();
  Calm(*replica);
  Keyring unsigned_able = Stored();
  unsigned_able.authority_key.clear();  // the authority must be followed now
  Store(unsigned_able);
  ASSERT_OK_AND_ASSIGN(Duration next, replica->Look());
  EXPECT_EQ(next, Duration::zero()) << "a step was made";
  ASSERT_OK_AND_ASSIGN(next, replica->Look());
  EXPECT_EQ(next, minutes(1));
  EXPECT_EQ(replica->times, 1);
  EXPECT_EQ(net::SplitCertificates(Bundles()[2])->size(), 2U);
  clock_.Advance(minutes(1));
  Calm(*replica);
  EXPECT_EQ(replica->times, 2);
  EXPECT_TRUE(Believed(*replica));
  clock_.Advance(hours(24));
  Calm(*replica);
  EXPECT_EQ(net::SplitCertificates(Bundles()[2])->size(), 1U);
  EXPECT_TRUE(Believed(*replica));
}

TEST_F(KeeperTest, WhoRefusesItsBundleKeepsNobodyElseWaiting) {
  api_.Intercept([](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PUT" && request.target.find("hearth-mutating") != std::string::npos) {
      return http::Response{.status = 403};
    }
    return std::nullopt;
  });
  const auto replica = Start();
  replica->on_serve = [] {};  // the one that refuses does not believe it
  EXPECT_CODE(Code::kPermissionDenied, replica->Look());
  EXPECT_EQ(Bundles()[0], "");
  EXPECT_EQ(Bundles()[1], BundleOf(Stored()));
  EXPECT_EQ(Bundles()[2], BundleOf(Stored()));
  EXPECT_EQ(replica->times, 1) << "with nothing to show so far there is nothing to lose";
  EXPECT_OK(replica->keeper.Ready());
  EXPECT_CODE(Code::kPermissionDenied, replica->Look());  // told as long as it lasts
  api_.Intercept({});
  Calm(*replica);
  EXPECT_TRUE(Believed(*replica));
}

TEST_F(KeeperTest, WhoOverwritesABundleEachTimeIsNotFollowed) {
  const auto replica = Start();
  Calm(*replica);
  const auto good = Bundles();
  const size_t before = Writes();
  const auto overwrite = [&] {
    Value configuration =
        api_.Find(internal::ValidatingConfigurations(), {"", "hearth-validating"}).value();
    configuration["webhooks"].items()[0]["clientConfig"]["caBundle"] = "eA==";
    api_.Put(internal::ValidatingConfigurations(), configuration);
  };
  Duration next{};
  for (int i = 0; i < 50; ++i) {
    overwrite();
    ASSERT_OK_AND_ASSIGN(next, replica->Look());
  }
  EXPECT_LT(Writes() - before, 10U);
  EXPECT_LE(next, minutes(1));
  clock_.Advance(minutes(1));
  Calm(*replica);
  EXPECT_EQ(Bundles(), good);
}

TEST_F(KeeperTest, AWebhookOfAnotherServiceKeepsItsBundle) {
  api_.Put(internal::MutatingConfigurations(), Yaml(R"(
metadata: {name: hearth-mutating}
webhooks:
- {name: a, clientConfig: {service: {namespace: hearth-system, name: hearth-webhook}}}
- {name: b, clientConfig: {service: {namespace: other, name: x}, caBundle: eA==}}
)"));
  const auto replica = Start();
  Calm(*replica);
  EXPECT_TRUE(Believed(*replica));
  const Value object =
      api_.Find(internal::MutatingConfigurations(), {"", "hearth-mutating"}).value();
  EXPECT_EQ(BundleIn(object.Find("webhooks")->items()[1], "clientConfig.caBundle"), "x");
}

TEST_F(KeeperTest, RunWakesWhenABundleIsOverwritten) {
  net::EventLoop loop("keeper-test");
  const auto transport = kube::MakeHandlerTransport(loop, api_.Handler());
  kube::Client client(*transport, RealClock());
  CertificateKeeper keeper(client, RealClock(), options_, Logger::Null(), nullptr);
  std::jthread thread([&](const std::stop_token& stop) {
    EXPECT_OK(keeper.Run(stop, [](const net::TlsMaterial&) { return Status::Ok(); }));
  });
  const auto eventually = [](const auto& condition) {
    const SteadyTime end = RealClock().Now() + std::chrono::minutes(2);
    while (!condition() && RealClock().Now() < end) {
      std::this_thread::yield();
    }
    return condition();
  };
  ASSERT_TRUE(eventually([&] { return keeper.Ready().ok(); }));
  const auto good = Bundles();
  Value configuration =
      api_.Find(internal::MutatingConfigurations(), {"", "hearth-mutating"}).value();
  configuration["webhooks"].items()[0]["clientConfig"]["caBundle"] = "eA==";
  api_.Put(internal::MutatingConfigurations(), configuration);
  EXPECT_TRUE(eventually([&] { return Bundles() == good; }));
}

// Years in fast motion: replicas come, go, lose races and requests; at no moment is a certificate
// shown that somebody does not believe whose bundle could be put in.
TEST_F(KeeperTest, NobodyIsEverShownWhatTheyDoNotBelieve) {
  options_.periods = {.authority_lifetime = hours(16),
                      .serving_lifetime = hours(6),
                      .renew_before = hours(2),
                      .authority_renew_before = hours(6),
                      .previous_stays = hours(2)};
  Random random(11);
  api_.Intercept([&](const http::Request&) -> std::optional<http::Response> {
    return random.Below(12) == 0 ? std::optional(http::Response{.status = 500}) : std::nullopt;
  });
  std::vector<std::unique_ptr<Replica>> replicas(3);
  std::set<std::string> authorities;
  int accidents = 0;
  // One that shows something although a bundle could not be put in has nothing to lose; from its
  // first look without trouble on it is believed.
  const auto look_at_all = [](Replica& replica) {
    const auto next = replica.Look();
    replica.calm = replica.calm || (next.ok() && *next > std::chrono::milliseconds(100));
    return next.ok();
  };
  const auto check = [&] {
    for (const auto& each : replicas) {
      if (each != nullptr && each->calm) {
        ASSERT_TRUE(Believed(*each));
        ASSERT_GT(net::CertificateExpiry(each->served.certificate_pem).value(), clock_.WallNow());
      }
    }
  };
  for (int round = 0; round < 60 && !HasFatalFailure(); ++round) {
    // Each looks once an hour at least; what fails is tried again before long.
    for (int look = 0; look < 5 && !HasFatalFailure(); ++look) {
      auto& replica = replicas[look < 3 ? static_cast<size_t>(look) : random.Below(3)];
      if (replica == nullptr || random.Below(50) == 0) {
        replica = Start();
        replica->on_serve = [shows = replica.get(), this] {
          EXPECT_TRUE(!shows->calm || Believed(*shows)) << "shown before it was believed";
        };
      }
      for (int tries = 0; tries < 5 && !look_at_all(*replica); ++tries) {
        check();
      }
      check();
      clock_.Advance(minutes(random.Below(12)));
    }
    if (api_.Find(kube::types::Secrets(), kSecret)) {
      authorities.insert(Stored().authority);
    }
    // Somebody deletes the Secret, or spoils it.
    if (const auto accident = random.Below(12); accident == 0) {
      api_.Remove(kube::types::Secrets(), kSecret);
      ++accidents;
    } else if (accident == 1) {
      Store({.serving_certificate = "garbage", .authority = "rubbish"});
      ++accidents;
    }
  }
  EXPECT_GE(authorities.size(), 3U) << "the run was too short to prove anything";
  EXPECT_GE(accidents, 4);
}

}  // namespace
}  // namespace hearth::admission::certificates
