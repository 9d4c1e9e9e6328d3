#include "cli/commands.h"

namespace lakestream::cli {
namespace {

constexpr Command kCommands[] = {
    {"server", "run a server", declare_server},
    {"database", "create, list, describe, alter and drop databases", declare_database},
    {"table", "create, list, describe, alter and drop tables", declare_table},
    {"put", "write or delete rows from CSV, NDJSON or Arrow", declare_put},
    {"lookup", "find rows of a primary-key table by key", declare_lookup},
    {"scan", "read the present rows of a primary-key table", declare_scan},
    {"tail", "read the rows or changes of a table as they arrive", declare_tail},
    {"sql", "query tables, write and define them with SQL", declare_sql},
    {"offsets", "show how far the log of a table reaches", declare_offsets},
    {"tiering", "see how tables are copied to the lake", declare_tiering},
    {"bench", "measure writes and reads against a server", declare_bench},
    {"config", "explain options, or show those of a running server", declare_config},
    {"failpoints", "list where a test can end a server or make it fail", declare_failpoints},
    {"completion", "print a script that completes commands in a shell", declare_completion},
    {"version", "print the version", declare_version},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace lakestream::cli
