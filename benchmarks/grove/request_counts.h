#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace hearth::bench {

// What an API server's audit log says of requests: how many of what kind, and when. Watches do not
// count: they end when they like.
class RequestCounts {
 public:
  // One line of the log. kInvalid: it is not an event of a request that has ended.
  Status Add(std::string_view line);

  size_t requests() const { return requests_; }  // events included
  // Creations, changes and deletions of objects that are no events, without those of statuses.
  size_t writes() const { return writes_; }
  size_t writes_to(const std::string& resource) const;  // "podcliquesets"; of those
  size_t created() const { return created_; }           // objects that are there since; no events
  size_t status_writes(const std::string& resource) const;  // "podcliquesets"
  size_t events() const { return events_; }
  size_t conflicts() const { return conflicts_; }
  // When the last of them was answered; the epoch without any.
  WallTime last() const { return last_; }
  WallTime last_write() const { return last_write_; }  // statuses and events not counted
  WallTime last_created() const { return last_created_; }

  // "12 create pods, 3 patch podcliques/status"; for people.
  std::string ToString() const;

 private:
  size_t requests_ = 0;
  size_t writes_ = 0;
  size_t created_ = 0;
  size_t events_ = 0;
  size_t conflicts_ = 0;
  WallTime last_;
  WallTime last_write_;
  WallTime last_created_;
  std::map<std::string, size_t> status_;
  std::map<std::string, size_t> written_;
  std::map<std::string, size_t> kinds_;  // by verb and resource
};

}  // namespace hearth::bench
