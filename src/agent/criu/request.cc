#include "agent/criu/request.h"

#include <fmt/format.h>

#include "agent/criu/wire/rpc.pb.h"

namespace hearth::agent::criu {
namespace {

wire::CgroupMode ToWire(CgroupMode mode) {
  switch (mode) {
    case CgroupMode::kIgnore:
      return wire::CGROUP_IGNORE;
    case CgroupMode::kSoft:
      return wire::CGROUP_SOFT;
    case CgroupMode::kFull:
      return wire::CGROUP_FULL;
    case CgroupMode::kStrict:
      return wire::CGROUP_STRICT;
  }
  return wire::CGROUP_SOFT;
}

// What captures and restores have in common.
template <typename Request>
Status FillCommon(const Request& request, wire::Options& options) {
  const Settings& settings = request.settings;
  RETURN_IF_ERROR(CheckSettings(settings));
  ASSIGN_OR_RETURN(const CgroupMode mode, ParseCgroupMode(settings.manage_cgroups));
  options.set_images_dir_fd(request.images_fd);
  if (request.work_fd >= 0) {
    options.set_work_dir_fd(request.work_fd);
  }
  options.set_log_level(settings.log_level);
  options.set_log_file(request.log_file);
  options.set_root(request.root);
  options.set_notify_scripts(true);
  options.set_shell_job(settings.shell_job);
  options.set_file_locks(settings.file_locks);
  options.set_ext_unix_sk(settings.ext_unix_sockets);
  options.set_link_remap(settings.link_remap);
  options.set_tcp_established(settings.tcp_established);
  options.set_tcp_close(settings.tcp_close);
  options.set_tcp_skip_in_flight(settings.skip_in_flight);
  options.set_manage_cgroups_mode(ToWire(mode));
  for (const Mount& mount : request.external_mounts) {
    wire::ExternalMount& each = *options.add_ext_mnt();
    each.set_key(mount.key);
    each.set_val(mount.value);
  }
  for (const std::string& mount : request.skipped_mounts) {
    options.add_skip_mnt(mount);
  }
  if (!request.configuration_file.empty()) {
    options.set_config_file(request.configuration_file);
  }
  return Status::Ok();
}

Result<Answer> Typed(const wire::Answer& message) {
  Answer answer;
  answer.success = message.success();
  answer.error = message.cr_errno();
  answer.message = message.cr_errmsg();
  switch (message.type()) {
    case wire::DUMP:
      answer.kind = Answer::Kind::kDump;
      break;
    case wire::RESTORE:
      answer.kind = Answer::Kind::kRestore;
      answer.pid = message.restore().pid();
      break;
    case wire::NOTIFY:
      answer.kind = Answer::Kind::kNotice;
      answer.script = message.notify().script();
      answer.pid = message.notify().pid();
      break;
    case wire::VERSION:
      answer.kind = Answer::Kind::kVersion;
      answer.version = {message.version().major_number(), message.version().minor_number(),
                        message.version().sublevel(), message.version().name()};
      break;
    default:
      break;
  }
  return answer;
}

}  // namespace

Result<std::string> EncodeDump(const DumpRequest& request) {
  wire::Request message;
  message.set_type(wire::DUMP);
  wire::Options& options = *message.mutable_opts();
  RETURN_IF_ERROR(FillCommon(request, options));
  options.set_pid(request.pid);
  options.set_leave_running(request.settings.leave_running);
  options.set_orphan_pts_master(request.settings.orphan_pts_master);
  options.set_ext_masters(request.settings.ext_masters);
  options.set_ghost_limit(static_cast<uint32_t>(request.settings.ghost_limit));
  options.set_auto_dedup(request.settings.auto_dedup);
  options.set_lazy_pages(request.settings.lazy_pages);
  if (request.pages_fd >= 0) {
    options.mutable_page_server()->set_fd(request.pages_fd);
  }
  for (const std::string& resource : request.external) {
    options.add_external(resource);
  }
  if (!request.freeze_cgroup.empty()) {
    options.set_freeze_cgroup(request.freeze_cgroup);
  }
  return message.SerializeAsString();
}

Result<std::string> EncodeRestore(const RestoreRequest& request) {
  wire::Request message;
  message.set_type(wire::RESTORE);
  wire::Options& options = *message.mutable_opts();
  RETURN_IF_ERROR(FillCommon(request, options));
  options.set_rst_sibling(request.settings.rst_sibling);
  options.set_mntns_compat_mode(request.settings.mount_namespace_compat);
  options.set_evasive_devices(request.settings.evasive_devices);
  options.set_force_irmap(request.settings.force_irmap);
  options.set_lazy_pages(request.lazy_pages);
  // The network was not locked by us but belongs to the pod, and there is no iptables at hand.
  options.set_network_lock(wire::LOCK_SKIP);
  for (const auto& [key, fd] : request.inherited) {
    wire::InheritedFd& each = *options.add_inherit_fd();
    each.set_key(key);
    each.set_fd(fd);
  }
  if (!request.cgroup_root.empty()) {
    options.add_cg_root()->set_path(request.cgroup_root);
  }
  return message.SerializeAsString();
}

std::string EncodeVersionRequest() {
  wire::Request message;
  message.set_type(wire::VERSION);
  message.set_keep_open(true);
  return message.SerializeAsString();
}

std::string EncodeNoticeAnswer(bool go_on) {
  wire::Request message;
  message.set_type(wire::NOTIFY);
  message.set_notify_success(go_on);
  return message.SerializeAsString();
}

Result<Answer> DecodeAnswer(std::string_view bytes) {
  wire::Answer message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Status(Code::kDataLoss,
                  fmt::format("{} bytes from CRIU are not an answer", bytes.size()));
  }
  return Typed(message);
}

}  // namespace hearth::agent::criu
