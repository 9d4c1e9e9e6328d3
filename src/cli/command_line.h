#pragma once

// The command line as a whole: reads it, runs the subcommand that it names, and says on stderr what
// was not understood and what could have been meant.
//
// Thread rule: the main thread.
//
//   int main(int argc, char** argv) { return run_command_line(argc, argv); }
namespace lakestream::cli {

// The exit code of the process.
int run_command_line(int argc, const char* const* argv);

}  // namespace lakestream::cli
