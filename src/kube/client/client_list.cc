#include <utility>

#include "base/seeded_hash.h"
#include "json/item_splitter.h"
#include "json/parse.h"
#include "kube/client/client.h"
#include "kube/client/internal/client_impl.h"
#include "kube/client/internal/list_tail.h"

namespace hearth::kube {
namespace {

constexpr int64_t kPageSize = 500;

// Some types that no store holds, metrics for one, have no uid.
std::string Identity(const Object& item) {
  std::string uid = item.meta().uid();
  return uid.empty() ? item.meta().key().ToString() : uid;
}

// What was handed on, so that a list that had to start over does not do so twice.
class SeenOnce {
 public:
  explicit SeenOnce(const std::function<Status(const Object&)>& on_item) : on_item_(on_item) {}

  Status Give(const std::vector<Object>& items) {
    for (const Object& item : items) {
      if (seen_.insert(Identity(item)).second) {
        RETURN_IF_ERROR(on_item_(item));
      }
    }
    return Status::Ok();
  }

 private:
  const std::function<Status(const Object&)>& on_item_;
  SeededSet<std::string> seen_;
};

// A token pins a version; the server refuses to be told one beside it.
ListOptions Following(ListOptions options, std::string continue_token) {
  options.continue_token = std::move(continue_token);
  options.resource_version.clear();
  options.resource_version_match.clear();
  return options;
}

ListOptions InOnePiece(ListOptions options) {
  options = Following(std::move(options), "");
  options.limit = 0;
  return options;
}

}  // namespace

Result<ListPage> Client::List(const ResourceType& type, std::string_view name_space,
                              const WaitLimit& limit, const ListOptions& options) {
  const std::string what = internal::DescribeMany("list", type, name_space);
  ASSIGN_OR_RETURN(const http::Response answer,
                   impl_->Call(ListRequest(type, name_space, options), limit, what));
  ListPage page;
  json::ItemSplitter splitter(
      [&](std::string_view item, size_t) -> Status {
        ASSIGN_OR_RETURN(Object object, impl_->ToObject(item, what));
        page.items.push_back(std::move(object));
        return Status::Ok();
      },
      internal::SplitLimits(impl_->options.max_object_bytes));
  RETURN_IF_ERROR(splitter.Feed(answer.body).WithContext(what));
  ASSIGN_OR_RETURN(internal::ListTail tail,
                   internal::ReadListTail(splitter.Finish()).WithContext(what));
  page.resource_version = std::move(tail.resource_version);
  page.continue_token = std::move(tail.continue_token);
  page.remaining = tail.remaining;
  return page;
}

Status Client::ListAll(const ResourceType& type, std::string_view name_space,
                       const WaitLimit& limit, const ListOptions& options,
                       const std::function<Status(const Object&)>& on_item) {
  SeenOnce receiver(on_item);
  ListOptions next = options;
  if (next.limit == 0) {
    next.limit = kPageSize;
  }
  while (true) {
    auto page = List(type, name_space, limit, next);
    if (page.status().Is(Code::kGone) && !next.continue_token.empty()) {
      next = InOnePiece(std::move(next));
      continue;
    }
    RETURN_IF_ERROR(page);
    RETURN_IF_ERROR(receiver.Give(page->items));
    if (page->continue_token.empty()) {
      return Status::Ok();
    }
    next = Following(std::move(next), std::move(page->continue_token));
  }
}

}  // namespace hearth::kube
