// The `tessera-neural` program.
// SPDX-License-Identifier: MIT
#include <csignal>

#include "apps/neural/command_table.h"

int main(int count, char** arguments) {
  // A file that outgrows the system's limit is answered with a sentence, not a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  return tessera::apps::run_program(tessera::apps::kTesseraNeural,
                                    {arguments + 1, arguments + count});
}
