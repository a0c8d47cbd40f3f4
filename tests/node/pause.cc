// The process that holds a pod's namespaces.
#include <unistd.h>

int main() {
  for (;;) {
    ::pause();
  }
}
