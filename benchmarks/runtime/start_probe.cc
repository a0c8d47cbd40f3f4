#include "start_probe.h"

#include "first_request.h"

namespace hearth::bench {

Result<double> SecondsToFirstRequest(const Contestant& contestant, const std::string& directory) {
  ASSIGN_OR_RETURN(const FirstRequest request, FirstRequest::Listen(directory));
  ASSIGN_OR_RETURN(
      const auto running,
      RunningContestant::Start(contestant, {.kubeconfig = request.kubeconfig(),
                                            .name_space = "default",
                                            .log_path = directory + "/start-probe.log"}));
  RETURN_IF_ERROR(request.Await(contestant.name));
  return std::chrono::duration<double>(RealClock().Now() - running->started()).count();
}

}  // namespace hearth::bench
