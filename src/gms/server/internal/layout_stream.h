#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gms/server/internal/session.h"

namespace hearth::gms::server {

// Answers open_layout_request: as many responses as it takes, each made when the one before is
// with the kernel, so that a layout of any size takes little memory and a slow client holds up
// nobody.
class LayoutStream : public std::enable_shared_from_this<LayoutStream> {
 public:
  // kStaleLayout when the layout is not the one that the client expects.
  static Status Start(Session& session, const OpenLayoutRequest& request);
  LayoutStream(Session& session, const OpenLayoutRequest& request, const Layout& layout,
               OpenLayoutResponse first);

 private:
  void SendNext();
  void Export(const std::vector<const Allocation*>& part);
  void Send(OpenLayoutResponse response, std::vector<LentFd> fds);
  void AddMetadata(OpenLayoutResponse& response);
  bool AtEnd() const;

  std::weak_ptr<Session> session_;
  bool with_fds_;
  Access access_;
  OpenLayoutResponse head_;  // what each response repeats
  // Nothing changes while we send: readers see a finished generation, a writer waits for us.
  std::vector<const Allocation*> allocations_;
  size_t next_ = 0;
  std::map<std::string, Metadata, std::less<>>::const_iterator metadata_, metadata_end_;
};

}  // namespace hearth::gms::server
