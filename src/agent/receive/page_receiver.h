#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/receive/page_command.h"
#include "agent/receive/page_store.h"
#include "agent/receive/pagemap_image.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "snapshot/artifact/folder_digester.h"

namespace hearth::agent::receive {

// How much memory there is, as far as it is known: room is made for it in time. More or less is no
// harm.
struct ExpectedBytes {
  std::map<uint64_t, uint64_t> processes;  // by the pid that they have among themselves
  uint64_t shared = 0;
};

// What CRIU takes for its page server: memory comes to us while it is captured, and goes to the
// disk without a detour through the page cache and another process. The images are those that CRIU
// would have written. CRIU is told that all is received before it lets anything run again. Has
// threads of its own. Not thread-safe.
class PageReceiver {
 public:
  // Images are made in `directory`, of which it keeps a duplicate.
  static Result<std::unique_ptr<PageReceiver>> Begin(int directory,
                                                     std::unique_ptr<PageStore> store,
                                                     ExpectedBytes expected = {});
  ~PageReceiver();  // hangs up
  PageReceiver(const PageReceiver&) = delete;
  PageReceiver& operator=(const PageReceiver&) = delete;

  // CRIU's end of the connection, to be inherited by it.
  int criu_end() const { return criu_end_.get(); }
  // CRIU has it: from now on it is heard when CRIU hangs up.
  void HandedOver() { criu_end_.reset(); }

  // After a capture that failed: hangs up. What failed here; ok when it was CRIU that went.
  Status Cause();
  // After a capture: the images of pages, on the disk. Once.
  Result<std::vector<snapshot::DigestedFile>> Finish();

 private:
  struct Image {
    std::string name;  // of the pagemap
    PagemapImage pagemap;
    std::unique_ptr<PageSink> pages;
  };

  PageReceiver(UniqueFd directory, UniqueFd ours, UniqueFd criu_end,
               std::unique_ptr<PageStore> store, ExpectedBytes expected);
  uint64_t Expected(const Owner& owner) const;
  void Run();
  Status ReceiveAll();
  Status Do(const Command& command);
  Status Open(const Command& command);
  Status Add(const Command& command);
  Status EndImage();
  Status EndAll();
  Status CompleteAll();
  Status Receive(std::byte* to, size_t bytes);
  Status Answer(const void* bytes, size_t size);

  UniqueFd directory_;
  UniqueFd socket_;
  UniqueFd criu_end_;
  const uint64_t page_bytes_;
  const ExpectedBytes expected_;
  // The thread's until it has ended.
  std::optional<Owner> owner_;  // of the last image, while it is not ended
  std::vector<Image> images_;
  bool hung_up_ = false;
  Status outcome_;
  std::vector<snapshot::DigestedFile> stored_;
  std::unique_ptr<PageStore> store_;  // goes before its images
  std::jthread thread_;
};

}  // namespace hearth::agent::receive
