#include "gms/ctl/internal/status_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command_line/text_table.h"
#include "gms/ctl/internal/words.h"

namespace hearth::gms::ctl {
namespace {

using command_line::TextTable;
using json::Value;
constexpr auto kRight = TextTable::Align::kRight;

uint64_t Unsigned(int64_t bytes) { return static_cast<uint64_t>(std::max<int64_t>(bytes, 0)); }

size_t CountHolders(const DomainItem& pool, bool writers) {
  return static_cast<size_t>(
      std::count_if(pool.sessions.begin(), pool.sessions.end(), [&](const SessionItem& session) {
        return !session.grant.empty() && (session.grant != "ro") == writers;
      }));
}

size_t CountWaiting(const DomainItem& pool) {
  return static_cast<size_t>(
      std::count_if(pool.sessions.begin(), pool.sessions.end(),
                    [](const SessionItem& session) { return session.grant.empty(); }));
}

Value SessionJson(const SessionItem& session) {
  return Value::Object({{"session", session.session},
                        {"pid", session.pid},
                        {"uid", session.uid},
                        {"client", session.client},
                        {"request", session.request},
                        {"grant", session.grant},
                        {"generation", session.generation},
                        {"age_ms", session.age_ms},
                        {"waited_ms", session.waited_ms}});
}

Value PoolJson(const DomainItem& pool) {
  Value sessions = Value::Array();
  for (const SessionItem& session : pool.sessions) {
    sessions.Append(SessionJson(session));
  }
  return Value::Object({{"device", pool.device},
                        {"gpu_uuid", pool.gpu_uuid},
                        {"device_kind", pool.device_kind},
                        {"domain", pool.domain},
                        {"socket", pool.socket},
                        {"state", pool.state},
                        {"memory_layout_hash", pool.memory_layout_hash},
                        {"generation", pool.generation},
                        {"generations", pool.generations},
                        {"allocation_count", pool.allocation_count},
                        {"bytes", pool.bytes},
                        {"kept_bytes", pool.kept_bytes},
                        {"device_free_bytes", pool.device_free_bytes},
                        {"device_total_bytes", pool.device_total_bytes},
                        {"fence", pool.fence},
                        {"sessions", sessions}});
}

void AddSession(TextTable& table, const DomainItem& pool, const SessionItem& session) {
  const bool waits = session.grant.empty();
  table.Add({std::to_string(session.session), std::to_string(session.pid),
             std::to_string(session.uid), session.client, std::to_string(pool.device), pool.domain,
             waits ? "waits for " + session.request : session.grant,
             waits ? "" : std::to_string(session.generation), AgeText(session.age_ms),
             AgeText(session.waited_ms)});
}

}  // namespace

std::string ServerLine(const StatusResponse& status) {
  return fmt::format("gms-server {}, pid {}, up {}\n", status.version, status.pid,
                     AgeText(status.uptime_ms));
}

std::string DeviceTable(const StatusResponse& status) {
  TextTable table({{"DEVICE", kRight},
                   {"KIND"},
                   {"UUID"},
                   {"USED", kRight},
                   {"FREE", kRight},
                   {"TOTAL", kRight},
                   {"FENCE"}});
  std::set<int64_t> shown;
  for (const DomainItem& pool : status.domains) {
    if (shown.insert(pool.device).second) {
      table.Add({std::to_string(pool.device), pool.device_kind, pool.gpu_uuid,
                 SizeText(Unsigned(pool.device_total_bytes - pool.device_free_bytes)),
                 SizeText(Unsigned(pool.device_free_bytes)),
                 SizeText(Unsigned(pool.device_total_bytes)), pool.fence});
    }
  }
  return table.Text();
}

std::string PoolTable(const StatusResponse& status) {
  TextTable table({{"DEVICE", kRight},
                   {"DOMAIN"},
                   {"STATE"},
                   {"GENERATION", kRight},
                   {"ALLOCATIONS", kRight},
                   {"MEMORY", kRight},
                   {"OTHERS", kRight},
                   {"WRITERS", kRight},
                   {"READERS", kRight},
                   {"WAITING", kRight},
                   {"LAYOUT"}});
  for (const DomainItem& pool : status.domains) {
    table.Add({std::to_string(pool.device), pool.domain, pool.state,
               pool.generation == 0 ? "" : std::to_string(pool.generation),
               std::to_string(pool.allocation_count), SizeText(Unsigned(pool.bytes)),
               SizeText(Unsigned(pool.kept_bytes - pool.bytes)),
               std::to_string(CountHolders(pool, true)), std::to_string(CountHolders(pool, false)),
               std::to_string(CountWaiting(pool)), ShortHash(pool.memory_layout_hash)});
  }
  return table.Text();
}

std::string SessionTable(const StatusResponse& status) {
  TextTable table({{"SESSION", kRight},
                   {"PID", kRight},
                   {"UID", kRight},
                   {"CLIENT"},
                   {"DEVICE", kRight},
                   {"DOMAIN"},
                   {"HOLDS"},
                   {"GENERATION", kRight},
                   {"AGE", kRight},
                   {"WAITED", kRight}});
  for (const DomainItem& pool : status.domains) {
    for (const SessionItem& session : pool.sessions) {
      AddSession(table, pool, session);
    }
  }
  return table.empty() ? "Nobody holds or waits for anything.\n" : table.Text();
}

Value StatusJson(const StatusResponse& status) {
  Value pools = Value::Array();
  for (const DomainItem& pool : status.domains) {
    pools.Append(PoolJson(pool));
  }
  return Value::Object({{"version", status.version},
                        {"nonce", status.nonce},
                        {"pid", status.pid},
                        {"uptime_ms", status.uptime_ms},
                        {"domains", pools}});
}

Value SessionsJson(const StatusResponse& status) {
  Value all = Value::Array();
  for (const DomainItem& pool : status.domains) {
    for (const SessionItem& session : pool.sessions) {
      Value one = Value::Object({{"device", pool.device}, {"domain", pool.domain}});
      Value facts = SessionJson(session);
      for (auto& [name, value] : facts.members()) {
        one.Set(name, std::move(value));
      }
      all.Append(std::move(one));
    }
  }
  return all;
}

}  // namespace hearth::gms::ctl
