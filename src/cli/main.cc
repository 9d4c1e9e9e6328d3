#include "cli/command_line.h"

// Read by jemalloc. Without it every allocation of 8 MiB and more goes back to the system when it
// is freed, and the next large request or answer pays for its page faults anew.
extern "C" {
const char* malloc_conf = "oversize_threshold:0";
}

int main(int argc, char** argv) { return lakestream::cli::run_command_line(argc, argv); }
