// A view of a blob that is gone at the end of the line.
#include "json/blob.h"

hearth::json::Blob MakeBlob();

bool HasName() {
#ifdef CONTROL
  const hearth::json::Blob blob = MakeBlob();
  return blob.view()["name"].exists();
#else
  return MakeBlob().view()["name"].exists();
#endif
}
