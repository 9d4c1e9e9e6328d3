#include "support/support.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/admin.h"
#include "format/arrow_schema.h"
#include "format/batch_builder.h"

namespace lakestream::bench {
namespace {

constexpr size_t kNumberBytes = 8;
constexpr size_t kCpuFieldsSkipped = 11;  // of /proc/PID/stat, between the name and utime

std::filesystem::path program_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// The child: never comes back.
[[noreturn]] void exec_server(int output, const std::vector<std::string>& words) {
  dup2(output, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

std::string read_line(int file) {
  std::string line;
  char c = 0;
  while (read(file, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

}  // namespace

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double cpu_seconds_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name may hold anything; what follows its bracket is fields.
  size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  const char* at = text.c_str() + name_end + 3;
  for (size_t i = 0; i < kCpuFieldsSkipped; ++i) {
    while (*at != ' ' && *at != '\0') ++at;
    if (*at == ' ') ++at;
  }
  unsigned long long user = 0;
  unsigned long long system = 0;
  if (std::sscanf(at, "%llu %llu", &user, &system) != 2) return 0;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool pin_to_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(core), &cores);
  return sched_setaffinity(0, sizeof cores, &cores) == 0;
}

ScratchDirectory::ScratchDirectory() {
  path_ = (program_directory() / "scratch-XXXXXX").string();
  CHECK(mkdtemp(path_.data()) != nullptr, "a directory beside the program");
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<std::unique_ptr<ServerProcess>> ServerProcess::start(
    const std::string& data_directory, const std::vector<std::string>& settings) {
  std::string program = (program_directory().parent_path() / "lakestream").string();
  std::vector<std::string> words{
      program, "server", "--data", data_directory, "--bind", "127.0.0.1:0"};
  words.insert(words.end(), {"-o", "lakestream.log-level=error"});
  for (const std::string& setting : settings) words.insert(words.end(), {"-o", setting});

  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
  double begin = seconds_now();
  pid_t process = fork();
  CHECK(process >= 0, "a child process");
  if (process == 0) exec_server(ends[1], words);
  close(ends[1]);
  std::string line = read_line(ends[0]);
  double seconds = seconds_now() - begin;
  close(ends[0]);
  constexpr std::string_view kReady = "ready ";
  if (!line.starts_with(kReady)) {
    waitpid(process, nullptr, 0);
    return make_error(ErrorCode::kUnknownServerError, "{} did not become ready", program);
  }
  return std::make_unique<ServerProcess>(process, line.substr(kReady.size()), seconds);
}

void ServerProcess::kill_now() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

ServerProcess::~ServerProcess() {
  if (process_ == 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

Result<double> ServerProcess::cpu_seconds_when_idle() const {
  constexpr timespec kPause{0, 100'000'000};
  constexpr int kAttempts = 600;
  double last = cpu_seconds();
  for (int attempt = 0, quiet = 0; attempt < kAttempts; ++attempt) {
    nanosleep(&kPause, nullptr);
    double now = cpu_seconds();
    quiet = now - last < 0.015 ? quiet + 1 : 0;
    if (quiet == 3) return now;
    last = now;
  }
  return make_error(ErrorCode::kUnknownServerError, "the server does not come to rest");
}

double ServerProcess::resident_mib() const {
  std::ifstream file(fmt::format("/proc/{}/statm", process_));
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double ServerProcess::bytes_read() const {
  std::ifstream file(fmt::format("/proc/{}/io", process_));
  std::string name;  // "rchar:" is the first line
  double bytes = 0;
  file >> name >> bytes;
  return bytes;
}

Task<Status> create_table(std::shared_ptr<client::Connection> connection,
                          TablePath path,
                          Schema schema,
                          int32_t buckets,
                          Properties properties) {
  TableDescriptor descriptor;
  descriptor.distribution = Distribution{buckets, schema.primary_key()};
  descriptor.schema = std::move(schema);
  descriptor.properties = std::move(properties);
  descriptor.properties["table.log.arrow.compression.type"] = "NONE";
  client::Admin admin(connection);
  CO_RETURN_IF_ERROR(
      co_await admin.create_table(path, std::move(descriptor), client::IfExists::kFail));
  std::vector<BucketId> all;
  auto latest = co_await admin.list_offsets(path, client::OffsetSpec::latest(), all);
  if (!latest) co_return fail(std::move(latest).error());
  co_return ok();
}

Result<Schema> text_schema() {
  return SchemaBuilder()
      .column("id", DataType::bigint().not_null())
      .column("payload", DataType::string().not_null())
      .build();
}

Result<Bytes> text_batch(size_t row_bytes, size_t rows) {
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  BatchBuilder builder(schema,
                       {.format = LogFormat::kArrow,
                        .schema_id = SchemaId(1),
                        .append_only = true,
                        .compression = ArrowCompression::kNone});
  std::string text(row_bytes - kNumberBytes, 'x');
  for (size_t i = 0; i < rows; ++i) {
    Value row[] = {Value::integer(static_cast<int64_t>(i)), Value::bytes(text)};
    RETURN_IF_ERROR(builder.append(ChangeType::kAppend, row));
  }
  return builder.finish({});
}

Task<Result<double>> append_encoded(std::shared_ptr<client::Connection> connection,
                                    EncodedLoad load) {
  client::AppenderOptions options;
  options.batch_timeout = Duration(0);
  options.in_flight_max = load.in_flight;
  // The batches carry no writer, so that the same one can be sent again.
  options.idempotence = false;
  CO_ASSIGN_OR_RETURN(auto appender,
                      co_await client::Appender::open(connection, load.table, options));
  double begin = seconds_now();
  for (size_t i = 0; i < load.batches; ++i) {
    BucketId bucket(static_cast<int32_t>(i % static_cast<size_t>(load.buckets)));
    Bytes batch = load.batch;
    auto delivery = co_await appender->append_encoded(bucket, std::move(batch));
    if (!delivery) co_return fail(std::move(delivery).error());
  }
  CO_RETURN_IF_ERROR(co_await appender->flush());
  double seconds = seconds_now() - begin;
  CO_RETURN_IF_ERROR(co_await appender->close());
  co_return seconds;
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

std::string at_least(double value, double target) {
  return fmt::format(" ({} the target of {:.2f})", value >= target ? "meets" : "below", target);
}

std::string at_most(double value, double target, const char* unit) {
  return fmt::format(
      " ({} the target of {:g}{})", value <= target ? "meets" : "above", target, unit);
}

int finish(const char* program, const Status& status) {
  if (status) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s: %s\n", program, status.error().message().c_str());
  return EXIT_FAILURE;
}

}  // namespace lakestream::bench
