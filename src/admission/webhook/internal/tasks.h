#pragma once

#include <string_view>

#include "admission/webhook/endpoints.h"
#include "admission/webhook/review.h"
#include "admission/webhook/routes.h"

// What is done at each kind of endpoint, after the review is read. Pure but for the seams in
// Services.
namespace hearth::admission::webhook::internal {

// An answer to a review: HTTP 200, whatever it says.
Answer Allow(const AdmissionRequest& request, AdmissionAnswer answer = {});
Answer Deny(const AdmissionRequest& request, const Status& status, AdmissionAnswer answer = {});

Answer Default(const Endpoint& endpoint, const AdmissionRequest& request, const Services& services);
Answer Validate(const Endpoint& endpoint, const AdmissionRequest& request,
                const Services& services);
Answer Protect(const AdmissionRequest& request, const Services& services);
Answer RestorePod(const AdmissionRequest& request, const Services& services);
Answer Convert(ConversionRequest request, const Services& services);

}  // namespace hearth::admission::webhook::internal
