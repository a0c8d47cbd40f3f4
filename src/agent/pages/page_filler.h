#pragma once

#include <memory>
#include <string>

#include "agent/pages/page_plan.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "snapshot/artifact/artifact.h"

namespace hearth::agent {

// Fills the memory of what CRIU restores, in its place and faster: each chunk of the page files is
// read once, verified and put where it belongs, by several threads at once. CRIU must be asked for
// lazy pages and work in `work_directory`. Chunks that nobody but CRIU needs are verified, too.
class PageFiller {
 public:
  // `artifact` must outlive it. Begins to read at once.
  static Result<std::unique_ptr<PageFiller>> Begin(const snapshot::Artifact& artifact,
                                                   PagePlan plan, const std::string& work_directory,
                                                   const WaitLimit& limit);
  // Before Finish: whoever is being restored sees zeros where pages are missing, so must not run.
  // Keep it until CRIU has answered.
  ~PageFiller();
  PageFiller(const PageFiller&) = delete;
  PageFiller& operator=(const PageFiller&) = delete;

  // When all memory is made and nothing has run: returns when every page is in its place and every
  // chunk was verified. `first_process` as seen from here. kDataLoss names file and chunk; on any
  // error nothing of it may run.
  Status Finish(int first_process);

 private:
  class Work;
  explicit PageFiller(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace hearth::agent
