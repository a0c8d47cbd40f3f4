#include "agent/restore/page_supply.h"

#include <fmt/format.h>

#include <future>
#include <utility>

#include "agent/pages/page_file_sizes.h"
#include "agent/pages/page_filler.h"
#include "agent/pages/userfault.h"
#include "agent/restore/expanded_pages.h"
#include "agent/restore/namespaces.h"
#include "agent/restore/private_root.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"
#include "snapshot/images/image_folder.h"

namespace hearth::agent {
namespace {

Status ShowAll(const std::vector<ExpandedFile>& expanded, const std::string& images,
               std::vector<ShownFile>& shown) {
  for (const ExpandedFile& file : expanded) {
    ASSIGN_OR_RETURN(ShownFile one, ShownFile::Show(file.tree, images + "/" + file.name));
    shown.push_back(std::move(one));
  }
  return Status::Ok();
}

// By us.
class FilledPages : public PageSupply {
 public:
  FilledPages(snapshot::Artifact artifact, std::vector<ShownFile> hidden)
      : artifact_(std::move(artifact)), hidden_(std::move(hidden)) {}

  Status Start(PagePlan plan, const std::string& work_directory, const WaitLimit& limit) {
    ASSIGN_OR_RETURN(filler_, PageFiller::Begin(artifact_, std::move(plan), work_directory, limit));
    return Status::Ok();
  }
  // From now on CRIU sees the former in the place of the latter.
  Status Show(const std::vector<ExpandedFile>& expanded, const std::string& images) {
    return ShowAll(expanded, images, hidden_);
  }
  Status Finish(int first_process) override { return filler_->Finish(first_process); }
  std::string left_to_criu() const override { return ""; }

 private:
  snapshot::Artifact artifact_;
  std::vector<ShownFile> hidden_;
  std::unique_ptr<PageFiller> filler_;
};

// By CRIU, which reads them while we verify them; what is compressed was verified when it was
// expanded.
class VerifiedPages : public PageSupply {
 public:
  VerifiedPages(snapshot::Artifact artifact, std::vector<ShownFile> expanded, std::string reason,
                SteadyTime deadline)
      : artifact_(std::move(artifact)),
        expanded_(std::move(expanded)),
        reason_(std::move(reason)),
        done_(std::async(std::launch::async, [this, deadline] { return Run(deadline); })) {}
  ~VerifiedPages() override { stop_.request_stop(); }

  Status Finish(int /*first_process*/) override { return done_.get(); }
  std::string left_to_criu() const override { return reason_; }

 private:
  Status Run(SteadyTime deadline) {
    if (!artifact_.sealed()) {
      return Status::Ok();
    }
    const auto left = [](const snapshot::StoredFile& file) {
      return snapshot::IsPageFile(file) && !file.packing;
    };
    ASSIGN_OR_RETURN(const snapshot::VerifyReport report,
                     snapshot::VerifyFiles(artifact_, {.only = left, .stop_at_first = true},
                                           {.deadline = deadline, .stop = stop_.get_token()}));
    return snapshot::Intact(report);
  }

  snapshot::Artifact artifact_;
  std::vector<ShownFile> expanded_;
  std::string reason_;
  std::stop_source stop_;
  std::future<Status> done_;
};

// CRIU would fill shared memory itself if it found what was in it.
Result<std::vector<ShownFile>> HideShared(const PagePlan& plan,
                                          const snapshot::images::ImageFolder& images,
                                          const std::string& directory) {
  std::vector<ShownFile> hidden;
  for (const SharedMemory& shared : plan.shared) {
    const std::string name = fmt::format("pagemap-shmem-{}.img", shared.id);
    ASSIGN_OR_RETURN(const std::string image, images.Read(name));
    ASSIGN_OR_RETURN(const std::string empty, snapshot::images::WithoutRuns(image));
    ASSIGN_OR_RETURN(const UniqueFd file, MakeUnlistedFile(empty, std::string(kScratchPlace)));
    ASSIGN_OR_RETURN(ShownFile shown, ShownFile::Show(file, directory + "/" + name));
    hidden.push_back(std::move(shown));
  }
  return hidden;
}

}  // namespace

Result<std::unique_ptr<PageSupply>> PageSupply::Begin(const std::string& images,
                                                      const std::string& work_directory,
                                                      criu::RestoreRequest& request,
                                                      const WaitLimit& limit) {
  ASSIGN_OR_RETURN(snapshot::Artifact artifact, snapshot::Artifact::Open(images));
  ASSIGN_OR_RETURN(const auto folder, snapshot::images::ImageFolder::Open(images));
  if (!artifact.sealed()) {
    RETURN_IF_ERROR(CheckPageFileSizes(folder, artifact.contents()));
  }
  ASSIGN_OR_RETURN(PagePlan plan, PlanPages(folder));
  if (const auto faults = userfault::Open(); !faults.ok()) {
    plan.left_to_criu = faults.status().message();
  }
  const bool left_to_criu = !plan.left_to_criu.empty();
  ASSIGN_OR_RETURN(
      const std::vector<ExpandedFile> expanded,
      ExpandForCriu(artifact, left_to_criu ? nullptr : &plan, std::string(kScratchPlace), limit));
  if (left_to_criu) {
    std::vector<ShownFile> shown;
    RETURN_IF_ERROR(ShowAll(expanded, images, shown));
    return std::unique_ptr<PageSupply>(std::make_unique<VerifiedPages>(
        std::move(artifact), std::move(shown), std::move(plan.left_to_criu), limit.deadline));
  }
  ASSIGN_OR_RETURN(std::vector<ShownFile> hidden, HideShared(plan, folder, images));
  auto filled = std::make_unique<FilledPages>(std::move(artifact), std::move(hidden));
  RETURN_IF_ERROR(filled->Start(std::move(plan), work_directory, limit));
  RETURN_IF_ERROR(filled->Show(expanded, images));
  request.lazy_pages = true;
  return std::unique_ptr<PageSupply>(std::move(filled));
}

}  // namespace hearth::agent
