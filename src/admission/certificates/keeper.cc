#include "admission/certificates/keeper.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "admission/certificates/internal/cluster.h"
#include "admission/certificates/internal/repair_pace.h"
#include "admission/certificates/internal/served.h"
#include "base/backoff.h"
#include "base/stop_waker.h"
#include "controller/informer.h"

namespace hearth::admission::certificates {
namespace {

using internal::Target;

// After losing a race: the winner's write is there already.
constexpr Duration kRaceDelay = std::chrono::milliseconds(20);
// Wall clocks are set, and steady ones stop while a machine sleeps: the plan is asked at least this
// often.
constexpr Duration kLongestWait = std::chrono::hours(1);
const BackoffPolicy kRetry{std::chrono::milliseconds(500), std::chrono::seconds(30), 2.0, 0.5};

bool LostRace(const Status& status) {
  return status.Is(Code::kConflict) || status.Is(Code::kAlreadyExists);
}

json::FieldSet Field(std::string_view path) {
  json::FieldSet fields;
  CHECK(fields.Add(path, json::FieldSet::Mark::kKept).ok());
  return fields;
}

KeeperOptions Completed(KeeperOptions options) {
  if (options.names.dns_names.empty() && options.names.ip_addresses.empty()) {
    options.names = NamesOfService(options.service, options.name_space);
  }
  return options;
}

}  // namespace

struct CertificateKeeper::Impl {
  Impl(kube::Client& the_client, Clock& the_clock, KeeperOptions the_options, Logger the_logger,
       Metrics* metrics)
      : client(the_client),
        clock(the_clock),
        options(Completed(std::move(the_options))),
        logger(std::move(the_logger)),
        secret_key{options.name_space, options.secret},
        target_names{options.label + "=" + options.name_space,
                     options.definitions,
                     {options.name_space, options.service, options.url_prefix}},
        served(clock) {
    if (metrics != nullptr) {
      injections = metrics->counter("hearth_webhook_ca_injections_total",
                                    "Times a caBundle was put in or put right");
      rotations = metrics->counter("hearth_webhook_certificate_rotations_total",
                                   "Changes of the webhook server's Secret");
    }
  }

  Result<Duration> Look(const Serve& serve, const WaitLimit& limit);
  Result<Keyring> Rotate(const RotationFacts& facts, const RotationPlan& plan,
                         const std::optional<kube::Object>& secret, const WaitLimit& limit);
  // What became of putting the bundle in everywhere.
  struct Spreading {
    Status failure;                    // the first; the other targets were tried all the same
    Duration again = Duration::max();  // until a target that is left alone may be written
  };
  Spreading Spread(const std::vector<Target>& targets, const std::string& bundle,
                   const WaitLimit& limit);
  Status Put(const Target& target, const std::string& bundle, const WaitLimit& limit);
  bool Settled(const std::string& bundle) const;
  Duration UntilSettled() const {
    return std::max<Duration>(carried_since + options.settle - clock.Now(), kRaceDelay);
  }
  Result<Duration> Offer(const Keyring& keyring, const std::string& bundle, const Serve& serve);

  std::vector<std::unique_ptr<controller::Informer>> Watch();
  std::unique_ptr<controller::Informer> WatchOne(const kube::ResourceType& type,
                                                 controller::Scope scope, std::string_view field);
  void Wake();
  void Wait(Duration at_most, const std::stop_token& stop);

  kube::Client& client;
  Clock& clock;
  const KeeperOptions options;
  const Logger logger;
  const kube::ObjectKey secret_key;
  const internal::TargetNames target_names;
  internal::Served served;
  Counter injections;
  Counter rotations;

  // The thread that looks.
  std::string served_authority;
  std::string carried;  // by every target, since then
  SteadyTime carried_since;
  internal::RepairPace pace;

  std::mutex mutex;
  std::condition_variable wake;
  bool woken = false;
};

bool CertificateKeeper::Impl::Settled(const std::string& bundle) const {
  return carried == bundle && clock.Now() - carried_since >= options.settle;
}

Result<Duration> CertificateKeeper::Impl::Look(const Serve& serve, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::optional<kube::Object> secret,
                   internal::ReadSecret(client, secret_key, limit));
  ASSIGN_OR_RETURN(const std::vector<Target> targets,
                   internal::ReadTargets(client, target_names, limit));
  RotationFacts facts{.keyring = secret ? Keyring::From(secret->view()) : Keyring(),
                      .names = options.names,
                      .now = clock.WallNow(),
                      .shown_authority = served_authority,
                      .carried_authorities = internal::CarriedBy(targets)};
  const std::string before = BundleOf(facts.keyring);
  facts.next_is_believed =
      Settled(before) && std::all_of(targets.begin(), targets.end(),
                                     [&](const Target& target) { return target.Carries(before); });
  const RotationPlan plan = PlanRotation(facts, options.periods);
  ASSIGN_OR_RETURN(const Keyring keyring, Rotate(facts, plan, secret, limit));
  const std::string bundle = BundleOf(keyring);
  const Spreading spread = Spread(targets, bundle, limit);
  if (LostRace(spread.failure)) {
    return spread.failure;
  }
  // Others may believe us: one that refuses must not keep them waiting.
  ASSIGN_OR_RETURN(const Duration until_offer, Offer(keyring, bundle, serve));
  RETURN_IF_ERROR(spread.failure);
  // One step of a rotation is often followed by the next.
  const Duration until_plan = plan.step == Step::kKeep ? plan.look_again : Duration::zero();
  return std::min({until_offer, until_plan, spread.again});
}

Result<Keyring> CertificateKeeper::Impl::Rotate(const RotationFacts& facts,
                                                const RotationPlan& plan,
                                                const std::optional<kube::Object>& secret,
                                                const WaitLimit& limit) {
  if (plan.step == Step::kKeep) {
    return facts.keyring;
  }
  ASSIGN_OR_RETURN(Keyring keyring, CarryOut(plan.step, facts, options.periods, clock));
  RETURN_IF_ERROR(internal::WriteSecret(client, secret_key, secret, keyring, limit));
  rotations.Add();
  if (plan.alarming) {
    logger.Warning("replaced what could not be used in the webhook server's Secret",
                   {{"secret", secret_key.ToString()}, {"why", plan.why}});
  } else {
    logger.Info("changed the webhook server's certificates",
                {{"secret", secret_key.ToString()}, {"why", plan.why}});
  }
  return keyring;
}

CertificateKeeper::Impl::Spreading CertificateKeeper::Impl::Spread(
    const std::vector<Target>& targets, const std::string& bundle, const WaitLimit& limit) {
  Spreading spread;
  bool wrote = false;
  for (const Target& target : targets) {
    if (target.Carries(bundle)) {
      continue;
    }
    const Duration wait = pace.WaitFor(target.ToString(), clock.Now());
    if (wait > Duration::zero()) {
      spread.again = std::min(spread.again, wait);
      continue;
    }
    const Status put = Put(target, bundle, limit);
    spread.failure = spread.failure.ok() ? put : spread.failure;
    wrote = wrote || put.ok();
  }
  if (!spread.failure.ok() || spread.again != Duration::max()) {
    carried.clear();  // not by all
  } else if (wrote || carried != bundle) {
    carried = bundle;
    carried_since = clock.Now();
  }
  return spread;
}

Status CertificateKeeper::Impl::Put(const Target& target, const std::string& bundle,
                                    const WaitLimit& limit) {
  const std::string name = target.ToString();
  if (carried == bundle) {
    logger.Warning("somebody overwrote a caBundle; putting it right", {{"object", name}});
  }
  if (pace.Wrote(name, clock.Now())) {
    logger.Warning("a caBundle was put in again and again; it is left as it is for a while",
                   {{"object", name}});
  }
  const Status injected = internal::Inject(client, target, bundle, limit);
  if (!injected.ok() && !injected.Is(Code::kNotFound)) {  // gone meanwhile: nobody to tell
    return injected;
  }
  injections.Add();
  return Status::Ok();
}

// Shows what the Secret holds once everybody believes it; how long that will take.
Result<Duration> CertificateKeeper::Impl::Offer(const Keyring& keyring, const std::string& bundle,
                                                const Serve& serve) {
  const net::TlsMaterial material = keyring.Served();
  if (served.Is(material)) {
    served.SetTrouble("");
    // While the next authority is being spread, the plan waits for the bundles to settle.
    return keyring.next_authority.empty() ? Duration::max() : UntilSettled();
  }
  // With nothing to show so far there is nothing to lose.
  const bool believed = keyring.authority == served_authority || Settled(bundle);
  if (served.any() && !believed) {
    return UntilSettled();
  }
  RETURN_IF_ERROR(serve(material));
  served.Set(material);
  served.SetTrouble("");
  logger.Info("serving a certificate", {{"secret", secret_key.ToString()}});
  served_authority = keyring.authority;
  return Duration::max();
}

std::unique_ptr<controller::Informer> CertificateKeeper::Impl::WatchOne(
    const kube::ResourceType& type, controller::Scope scope, std::string_view field) {
  auto informer = std::make_unique<controller::Informer>(
      client, clock, type, std::move(scope), Field(field), std::vector<controller::Index>(),
      controller::InformerOptions(), logger, nullptr);
  informer->OnChange([this](const controller::Change&) { Wake(); });
  informer->Start();
  return informer;
}

std::vector<std::unique_ptr<controller::Informer>> CertificateKeeper::Impl::Watch() {
  std::vector<std::unique_ptr<controller::Informer>> informers;
  informers.push_back(WatchOne(
      kube::types::Secrets(),
      {.name_space = options.name_space, .field_selector = "metadata.name=" + options.secret},
      "data"));
  for (const auto* type :
       {&internal::MutatingConfigurations(), &internal::ValidatingConfigurations()}) {
    informers.push_back(
        WatchOne(*type, {.label_selector = target_names.label_selector}, "webhooks"));
  }
  for (const std::string& name : options.definitions) {
    informers.push_back(WatchOne(kube::types::CustomResourceDefinitions(),
                                 {.field_selector = "metadata.name=" + name}, "spec.conversion"));
  }
  return informers;
}

void CertificateKeeper::Impl::Wake() {
  std::lock_guard lock(mutex);
  woken = true;
  wake.notify_all();
}

void CertificateKeeper::Impl::Wait(Duration at_most, const std::stop_token& stop) {
  const SteadyTime until = TimeAfter(clock.Now(), at_most);
  const StopWaker waker(stop, mutex, wake);
  std::unique_lock lock(mutex);
  while (!woken && !stop.stop_requested() && clock.Now() < until) {
    clock.WaitUntil(lock, wake, until);
  }
  woken = false;
}

CertificateKeeper::CertificateKeeper(kube::Client& client, Clock& clock, KeeperOptions options,
                                     Logger logger, Metrics* metrics)
    : impl_(std::make_unique<Impl>(client, clock, std::move(options), std::move(logger), metrics)) {
}

CertificateKeeper::~CertificateKeeper() = default;

Status CertificateKeeper::Ready() const { return impl_->served.Ready(); }

Result<Duration> CertificateKeeper::Look(const Serve& serve, const WaitLimit& limit) {
  auto next = impl_->Look(serve, limit);
  if (next.ok()) {
    return std::min(*next, kLongestWait);
  }
  return LostRace(next.status()) ? Result<Duration>(kRaceDelay) : next;
}

Status CertificateKeeper::Run(const std::stop_token& stop, const Serve& serve) {
  const auto informers = impl_->Watch();
  Backoff backoff(kRetry, Random::Seeded());
  while (!stop.stop_requested()) {
    const auto limit = WaitLimit::For(impl_->clock, impl_->options.request_timeout, stop);
    const auto next = Look(serve, limit);
    if (next.ok()) {
      backoff.Reset();
    } else if (!stop.stop_requested()) {
      impl_->logger.Warning("keeping the webhook server's certificates failed",
                            {{"error", next.status().ToString()}});
      if (!impl_->served.any()) {
        impl_->served.SetTrouble(next.status().ToString());
      }
    }
    impl_->Wait(next.ok() ? *next : backoff.Next(), stop);
  }
  return Status::Ok();
}

}  // namespace hearth::admission::certificates
