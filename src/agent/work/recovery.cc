#include "agent/work/recovery.h"

#include "agent/host/journal.h"
#include "agent/host/network_namespace.h"
#include "agent/host/packet_filter.h"
#include "agent/host/process_facts.h"
#include "agent/host/restored_processes.h"
#include "agent/work/kill_container.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/store.h"

namespace hearth::agent {
namespace {

// For each step of each container: the agent is not at work before all are done.
constexpr Duration kForOne = std::chrono::seconds(10);

class Recovery {
 public:
  Recovery(const RecoveryPlaces& places, const RecoveryParts& parts, const Logger& log)
      : places_(places), parts_(parts), log_(log) {}

  CutOffCaptures Run() {
    const auto unfinished =
        RecoverUnfinished(parts_.files, places_.journal_directory,
                          [this](const JournalEntry& entry) { return End(entry); });
    if (!unfinished.ok()) {
      Warn("cannot read what an earlier agent left", unfinished.status());
      return {};
    }
    for (const Status& failure : unfinished->failures) {
      Warn("cannot end what an earlier agent left", failure);
    }
    for (const std::string& path : unfinished->unreadable) {
      log_.Warning("removed a journal that cannot be read", {{"file", path}});
    }
    RemoveStaging();
    return std::move(cut_off_);
  }

 private:
  Status End(const JournalEntry& entry) {
    log_.Warning("an earlier agent was killed at work",
                 {{"container", entry.container_id}, {"checkpoint", entry.checkpoint_id}});
    if (entry.work == JournalEntry::Work::kRestore) {
      return EndHalfRestored(entry);
    }
    if (IsStored(entry)) {
      return Status::Ok();
    }
    cut_off_.containers.insert(entry.container_id);
    if (!entry.content_uid.empty()) {
      cut_off_.contents.insert(entry.content_uid);
    }
    const auto container = parts_.runtime.Find(entry.container_id, Soon());
    if (container.ok()) {
      ReleaseCuda(container->pid);
    }
    const Status network = ReleaseNetwork(entry, container.ok() ? container->pid : 0);
    const Status killed =
        KillContainer(parts_.runtime, {.proc = places_.host_proc}, entry.container_id, Soon());
    return killed.ok() ? network : killed;
  }

  WaitLimit Soon() { return WaitLimit::For(parts_.clock, kForOne); }

  // What CRIU has made and not let go waits for it for ever. The container itself is as it was, and
  // the restore is begun again in it. What is noted as restored has no journal any more.
  Status EndHalfRestored(const JournalEntry& entry) {
    const auto container = parts_.runtime.Find(entry.container_id, Soon());
    // What was restored into one that has ended has ended with it.
    if (!container.ok() || (entry.pid != 0 && container->pid != entry.pid)) {
      return Status::Ok();
    }
    const Status ended = EndRestored({.proc = places_.host_proc}, container->pid,
                                     WaitLimit::For(RealClock(), kForOne));
    return ended.Is(Code::kNotFound) ? Status::Ok() : ended;
  }

  // It was killed after the last step: what is stored is of this container.
  bool IsStored(const JournalEntry& entry) {
    const auto layout = snapshot::StorageLayout::Create(places_.storage_directory);
    const auto directory = layout.ok()
                               ? layout->Artifact(entry.checkpoint_id, entry.artifact_version)
                               : layout.status();
    const auto artifact =
        directory.ok() ? snapshot::Artifact::Open(*directory) : directory.status();
    return artifact.ok() && artifact->manifest().content_uid == entry.content_uid &&
           artifact->manifest().source.container_id == entry.container_id;
  }

  // Who is killed gives his devices back by himself; one that cannot be killed now must not hold
  // them.
  void ReleaseCuda(int pid) {
    if (parts_.cuda == nullptr) {
      return;
    }
    const ProcReader proc(places_.host_proc);
    const auto tree = proc.Tree(pid);
    const auto pids = tree.ok() ? parts_.cuda->FindProcesses(proc, *tree, Soon()) : tree.status();
    const Status released = pids.ok() ? parts_.cuda->Release(*pids) : pids.status();
    if (!released.ok()) {
      Warn("cannot release CUDA of a container whose capture was cut off", released);
    }
  }

  // It is that of the whole pod, and stays when the container goes. `pid` is the container's; 0: it
  // is gone.
  Status ReleaseNetwork(const JournalEntry& entry, int pid) {
    uint64_t inode = entry.network_namespace;
    if (inode == 0) {  // of an agent that did not write it down
      inode = ProcReader(places_.host_proc).NamespaceInode(pid, "net").value_or(0);
    }
    const auto network = OpenNetworkNamespace(places_.host_proc, inode);
    if (network.status().Is(Code::kNotFound)) {
      return Status::Ok();  // nobody is in it
    }
    RETURN_IF_ERROR(network.status());
    return ReleasePackets(parts_.processes, PathForPrograms(*network), Soon())
        .WithContext("release the network of a pod whose capture was cut off");
  }

  void RemoveStaging() {
    const auto layout = snapshot::StorageLayout::Create(places_.storage_directory);
    const auto removed =
        layout.ok() ? snapshot::RemoveAbandoned(parts_.files, *layout) : layout.status();
    if (!removed.ok()) {
      Warn("cannot remove what captures left that were killed", removed.status());
      return;
    }
    for (const std::string& path : *removed) {
      log_.Info("removed what a capture left that was killed", {{"directory", path}});
    }
  }

  void Warn(std::string_view what, const Status& why) {
    log_.Warning(what, {{"error", why.ToString()}});
  }

  const RecoveryPlaces& places_;
  const RecoveryParts& parts_;
  const Logger& log_;
  CutOffCaptures cut_off_;
};

}  // namespace

CutOffCaptures RecoverFromDeath(const RecoveryPlaces& places, const RecoveryParts& parts,
                                const Logger& log) {
  return Recovery(places, parts, log).Run();
}

}  // namespace hearth::agent
