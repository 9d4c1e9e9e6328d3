#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/bytes.h"
#include "base/result.h"
#include "client/appender.h"
#include "client/connection.h"
#include "table/table.h"

// What the programs of bench/ share: a server as a child process, so that its processor time can be
// told from the client's; tables and encoded batches of a wanted shape; lines of results, which say
// when a target is missed.
//
// Thread rule: the main thread, except for the tasks, which run on their connection's shard.
//
//   ScratchDirectory scratch;
//   ASSIGN_OR_RETURN(auto server, ServerProcess::start(scratch.path() + "/d", {"key=value"}));
//   ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
namespace lakestream::bench {

// Monotonic.
double seconds_now();

// User and system time of a process so far.
double cpu_seconds_of(pid_t process);
// From now on the calling thread, and what it starts, runs on this core alone; false when it can
// not.
bool pin_to_core(int core);

// A new directory beside the programs, on their disk; removed with all that is in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class ServerProcess {
 public:
  // Ends when the server says that it is ready. Errors: kUnknownServerError.
  static Result<std::unique_ptr<ServerProcess>> start(const std::string& data_directory,
                                                      const std::vector<std::string>& settings);
  ServerProcess(pid_t process, std::string address, double seconds_to_ready)
      : process_(process), address_(std::move(address)), seconds_to_ready_(seconds_to_ready) {}
  // Stops it in order and waits for its end.
  ~ServerProcess();
  // Ends it as a crash would.
  void kill_now();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& address() const { return address_; }
  double seconds_to_ready() const { return seconds_to_ready_; }
  // User and system time so far.
  double cpu_seconds() const { return cpu_seconds_of(process_); }
  // The same once its work in the background has ended. Errors: kUnknownServerError when it does
  // not come to rest.
  Result<double> cpu_seconds_when_idle() const;
  double resident_mib() const;
  // Of files, from the page cache or the disk, so far.
  double bytes_read() const;

 private:
  pid_t process_;
  std::string address_;
  double seconds_to_ready_;
};

// A table without compression, keyed by the schema's primary key if it has one; ends when its
// buckets have leaders.
Task<Status> create_table(std::shared_ptr<client::Connection> connection,
                          TablePath path,
                          Schema schema,
                          int32_t buckets,
                          Properties properties = {});

// Columns: a number and a text of the other bytes of the row.
Result<Schema> text_schema();
Result<Bytes> text_batch(size_t row_bytes, size_t rows);

struct EncodedLoad {
  TablePath table;
  Bytes batch;  // sent again and again
  size_t batches = 0;
  int32_t buckets = 1;   // in turn
  size_t in_flight = 5;  // of a bucket
};
// Seconds from the first append to the last acknowledgement.
Task<Result<double>> append_encoded(std::shared_ptr<client::Connection> connection,
                                    EncodedLoad load);

struct Spread {
  double min = 0;
  double median = 0;
  double max = 0;
};
Spread spread_of(std::vector<double> values);

// " (below the target of 0.70)", " (above the target of 2 ms)", or that it is met.
std::string at_least(double value, double target);
std::string at_most(double value, double target, const char* unit);

// Prints the error of a whole program; its exit code.
int finish(const char* program, const Status& status);

}  // namespace lakestream::bench
