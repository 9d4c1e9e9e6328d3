#include "cli/command_line.h"

// Read by jemalloc. Without the first every allocation of 8 MiB and more goes back to the system
// when it is freed, and the next large request or answer pays for its page faults anew. Without the
// second, freed neighbours that grew together to 64 times a buffer of a projected batch are not cut
// again, and each answer of that size takes new memory.
extern "C" {
const char* malloc_conf = "oversize_threshold:0,lg_extent_max_active_fit:8";
}

int main(int argc, char** argv) { return lakestream::cli::run_command_line(argc, argv); }
