#pragma once

#include "figures.h"
#include "plan.h"

namespace hearth::bench {

// One subject, captured and restored by us and by bare CRIU in turn, in each round; fio beside it
// when `with_disk`. The memory of what comes back is compared in the first round, outside the time.
Status MeasureSubject(const Plan& plan, Stage& stage, const std::string& name,
                      const SubjectMemory& memory, bool with_disk, Figures& figures);

// Captures of a subject with zero pages beside those of one without.
Status MeasureZeros(const Plan& plan, Stage& stage, Figures& figures);

// Restores at once beside one restore of as many bytes.
Status MeasureAtOnce(const Plan& plan, Stage& stage, Figures& figures);

// Changed files of a container beside tar and fio.
Status MeasureFiles(const Plan& plan, Figures& figures);

}  // namespace hearth::bench
