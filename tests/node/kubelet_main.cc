// The main function of tests that have a node of their own.
#include <gtest/gtest.h>

#include "private_machine.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return hearth::node::InPrivateMachine([] { return RUN_ALL_TESTS(); });
}
