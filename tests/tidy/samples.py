"""For each rule trees that break it and trees that keep it, as texts by path."""

LAYERS = """\
base   :
io     : base
meta   : base io
wire   : base
rpc    : base io wire
store  : base
tablet : base store
tablet/api + rpc
"""
PUBLIC = """\
base   : result.h
io     : task.h
store  : store.h
tablet : tablet.h
"""
TABLES = {"src/layers.txt": LAYERS, "tests/tidy/public_headers.txt": PUBLIC}
PRAGMA = "#pragma once\n"
OPTION = "// one.option\ninline constexpr Option<bool> kOne{0};\n"


def function_of(lines, head="int f()"):
    return head + " {\n" + "  g();\n" * (lines - 2) + "}\n"


# rule: [trees that must give a finding]
BAD = {
    "layers": [
        {"src/store/a.cc": '#include "io/task.h"\n', "src/io/task.h": PRAGMA},
        {"src/store/a.cc": '#include "a.h"\n', "src/store/a.h": PRAGMA},
        {"src/unlisted/a.cc": ""},
        {"src/tablet/a.cc": '#include "tablet/api/b.h"\n', "src/tablet/api/b.h": PRAGMA},
        {"src/tablet/a.cc": '#include "rpc/server.h"\n', "src/rpc/server.h": PRAGMA},
    ],
    "transitive-layers": [
        {
            "src/tablet/a.cc": '#include "store/store.h"\n',
            "src/store/store.h": '#include "io/task.h"\n',
            "src/io/task.h": PRAGMA,
        }
    ],
    "public-headers": [
        {"src/tablet/a.cc": '#include "store/private.h"\n', "src/store/private.h": PRAGMA},
        {"tests/sim/a.cc": '#include "store/private.h"\n', "src/store/private.h": PRAGMA},
        {"src/store/other.h": PRAGMA},  # store.h is listed and not there
    ],
    "wire-messages": [{"src/tablet/a.cc": '#include "wire/messages.h"\n'}],
    "heavy-headers": [
        {"src/store/a.cc": "#include <boost/asio/awaitable.hpp>\n"},
        {"src/tablet/a.h": "#include <nlohmann/json.hpp>\n"},
        {"src/io/task.h": "#include <boost/asio/awaitable.hpp>\n"},
        {"src/store/a.cc": "#include <sqlite3.h>\n"},
        {"src/store/a.cc": "#include <arrow/buffer.h>\n"},
    ],
    "banned-headers": [{"src/base/a.cc": "#include <iostream>\n"}, {"src/base/a.h": "#include <regex>\n"}],
    "own-header-first": [
        {"src/base/a.cc": '#include <vector>\n#include "base/a.h"\n', "src/base/a.h": PRAGMA},
        {"src/base/a_test.cc": '#include <vector>\n#include "base/a.h"\n', "src/base/a.h": PRAGMA},
    ],
    "pragma-once": [
        {"src/base/a.h": "int f();\n"},
        {"src/base/a.h": "#include <vector>\n#pragma once\n"},
        {"src/base/a.h": "// #pragma once\n"},
    ],
    "function-length": [
        {"src/base/a.cc": function_of(71)},
        {"src/base/a.cc": "namespace n {\nclass A {\n public:\n" + function_of(71, "  int f() const") + "};\n}\n"},
        {"src/base/a.cc": function_of(71, "A::A(int a)\n    : a_(a), b_{a}, c_(g([] { return 1; }))")},
        {"src/base/a_test.cc": function_of(71, "TEST(A, B)")},
    ],
    "banned-names": [
        {"src/base/a.cc": text + "\n"}
        for text in [
            "std::mutex m;", "std::condition_variable c;", "std::thread t;", "std::async(f);",
            "auto t = std::chrono::system_clock::now();", "auto t = std::chrono::steady_clock::now();",
            "auto t = time(nullptr);", "std::this_thread::sleep_for(d);", "::usleep(1);", "std::random_device d;",
            "std::mt19937 g;", "int r = rand();", "int f = ::open(p, 0);", "std::ifstream f(p);",
            "FILE* f = std::fopen(p, q);", "int s = ::socket(a, b, c);", "auto* p = new A;", "auto* p = new (q) A();",
            "delete p;", "delete[] p;", "throw Error();", "assert(x);", "std::cout << 1;", "int i = std::stoi(s);",
            "long i = strtol(s, e, 10);", "auto f = std::bind(g, 1);",
        ]
    ],
    "using-namespace": [{"src/base/a.h": "using namespace std;\n"}],
    "task-parameters": [
        {"src/base/a.h": "Task<void> f(std::string_view text);\n"},
        {"src/base/a.h": "Task<Status> f(int a, std::span<const uint8_t> bytes);\n"},
        {"src/base/a.h": "Task<Result<std::vector<int>>> f(const std::string& text);\n"},
        {"src/base/a.cc": "Task<void> A::f(Table& table) {\n}\n"},
        {"src/base/a.h": "static Task<void> f(Table&& table);\n"},
    ],
    "braces-in-await": [
        {"src/base/a.cc": "co_await run_on_pool(pool, shard, [a] { return a; });\n"},
        {"src/base/a.cc": "auto x = co_await io::call_on(a, b, [&]() -> int { return 1; });\n"},
        {"src/base/a.cc": "co_await run(self, [self = self.get()] {\n  return 1;\n});\n"},
        {"src/base/a.cc": "co_await open(path, Options{});\n"},
        {"src/base/a.cc": "auto x = co_await log->read({.from = a, .limit = b});\n"},
        {"src/base/a.cc": "if (co_await f(g(std::vector<int>{1})) == 2) {\n}\n"},
        {"src/base/a.cc": "CO_ASSIGN_OR_RETURN(auto a, co_await open(n::Options{.a = 1}));\n"},
    ],
    "capturing-coroutines": [
        {"src/base/a.cc": "auto f = [a]() -> Task<void> { co_await g(a); };\n"},
        {"src/base/a.cc": "spawn([&] () -> Task<int> { co_return 1; }());\n"},
    ],
    "statement-expressions": [{"src/base/a.cc": "auto x = ({ auto y = co_await f(); y; });\n"}],
    "error-texts": [
        {"src/base/a.cc": 'return make_error(ErrorCode::kX, "the file is gone.");\n'},
        {"src/base/a.cc": 'return make_error(ErrorCode::kX,\n    "Opening the "\n    "file");\n'},
        {"src/base/a.cc": 'return make_error(ErrorCode::kX, "failed to open {}", path);\n'},
    ],
    "test-comments": [{"src/base/a_test.cc": "TEST(A, B) {\n  f();\n}\n"}],
    "columns": [{"src/base/a.cc": "// " + "x" * 98 + "\n"}, {"tools/a.py": "# " + "x" * 119 + "\n"}],
    "file-length": [{"src/base/a.cc": "\n" * 801}, {"tests/e2e/a.py": "\n" * 801}],
    "white-space": [{"src/base/a.cc": "int a; \n"}, {"src/base/a.cc": "\tint a;\n"}, {"src/base/a.cc": "int a;"}],
    "foreign-words": [
        {"src/base/a.cc": "// " + text + "\n"}
        for text in [
            "see #123", "fixes issue 7", "asked for in the last session", "another agent does it",
            "the helper who wrote this", "in /work/main", "under /home/me/src", "from pypi.org", "see crates.io",
        ]
    ],
    "todos": [
        {"src/base/a.cc": "// TODO: faster\n"}, {"tools/a.py": "# FIXME\n"},
        {"src/base/a.cc": "// TODO(me): write it; without\n// the reader\n"},
    ],
    "commented-code": [{"src/base/a.cc": "//  return x;\n".replace("  ", " ")}, {"src/base/a.cc": "// if (a) {\n"}],
    "header-comments": [{"src/base/a.h": PRAGMA + "// What it is.\n"}],
    "links": [
        {"docs/a.md": "[b](b.md)\n"}, {"README.md": "see `src/base/gone.h`\n"}, {"docs/a.md": "`src/nothing/`\n"},
    ],
    "dead-headers": [{"src/base/a.h": PRAGMA, "src/base/a.cc": '#include "base/a.h"\n'}],
    "dead-tools": [{"tools/forgotten.sh": "", "Makefile": "all:\n"}],
    "idle-options": [{"src/base/server_options.h": OPTION, "src/base/config.cc": "get(kOne);\n"}],
    "forgotten-sources": [
        {"src/base/a.cc": "", "CMakeLists.txt": "lakestream_module(io)\n"},
        {"tests/sim/a_test.cc": "", "CMakeLists.txt": ""},
    ],
}

# rule: [trees that must not give a finding]
GOOD = {
    "layers": [
        {"src/io/a.cc": '#include "base/result.h"\n', "src/base/result.h": PRAGMA},
        {"src/tablet/api/a.cc": '#include "rpc/server.h"\n', "src/rpc/server.h": PRAGMA},
        {"src/tablet/api/a.cc": '#include "tablet/tablet.h"\n', "src/tablet/tablet.h": PRAGMA},
    ],
    "transitive-layers": [
        {
            "src/io/a.cc": '#include "io/task.h"\n',
            "src/io/task.h": '#include "base/result.h"\n',
            "src/base/result.h": PRAGMA,
        }
    ],
    "public-headers": [
        {
            "src/io/task.h": PRAGMA, "src/store/store.h": PRAGMA, "src/tablet/tablet.h": PRAGMA,
            "src/base/result.h": PRAGMA, "src/store/private.h": PRAGMA,
            "src/tablet/a.cc": '#include "store/store.h"\n', "src/store/a.cc": '#include "store/private.h"\n',
        }
    ],
    "wire-messages": [{"src/tablet/api/a.cc": '#include "wire/messages.h"\n'}],
    "heavy-headers": [
        {"src/io/a.cc": "#include <boost/asio/awaitable.hpp>\n"},
        {"src/meta/private.h": "#include <sqlite3.h>\n"},
    ],
    "banned-headers": [{"src/base/a.cc": "#include <vector>\n// #include <regex>\n"}],
    "own-header-first": [{"src/base/a.cc": '#include "base/a.h"\n#include <vector>\n', "src/base/a.h": PRAGMA}],
    "pragma-once": [{"src/base/a.h": "// What.\n" + PRAGMA}],
    "function-length": [
        {"src/base/a.cc": function_of(70)},
        {"src/base/a.cc": "constexpr int kTable[] = {\n" + "  1,\n" * 80 + "};\n"},
        {"src/base/a.cc": "class A {\n" + "  int a;\n" * 80 + "};\n"},
        {"src/base/a.cc": "// Made by tools/gen_x.py\n" + function_of(90)},
    ],
    "banned-names": [
        {"src/base/a.cc": text + "\n"}
        for text in [
            "// std::mutex", 'f("new file");', "A(const A&) = delete;", "int new_count = delete_old(renew);",
            "std::thread::hardware_concurrency();", "clock.now();", "co_await sleep(1);", "static_assert(true);",
            "connect(a);", "int x = 1'000'000; f(0x1'0000);",
        ]
    ]
    + [{"src/io/a.cc": "std::mutex m;\n"}, {"src/base/a_test.cc": "std::ifstream f(p);\n"}],
    "using-namespace": [{"src/base/a.cc": "using namespace std;\n"}],
    "task-parameters": [
        {"src/base/a.h": "Task<void> f(std::string text, Shard& shard, const Catalog& catalog, int* out);\n"},
        {"src/base/a.h": "Status f(const std::string& text);\nusing T = Task<void>(std::string_view);\n"},
        {"src/base/a.h": "void spawn(Task<void> task, std::string_view name);\n"},
        {"src/base/a.h": "Task<void> f(std::function<void(const A&)> g);\n"},
    ],
    "braces-in-await": [
        {"src/base/a.cc": "auto job = [a] { return a; };\nco_await run_on_pool(pool, shard, std::move(job));\n"},
        {"src/base/a.cc": "co_await f(a[1], b[i]);\n"},
        {"src/base/a.cc": "Options options{.a = 1};\nif (co_await open(options)) {\n  return A{1};\n}\n"},
        {"src/base/a.cc": "for (int i : co_await f()) {\n}\nA{1};\n"},
    ],
    "capturing-coroutines": [
        {"src/base/a.cc": "auto f = [](int a) -> Task<void> { co_await g(a); };\n"},
        {"src/base/a.cc": "auto f = [a] { return g(a); };\nco_await f();\n"},
        {"src/base/a.cc": "auto f = [a] { h([]() -> Task<void> { co_return; }); };\n"},
    ],
    "statement-expressions": [{"src/base/a.cc": "f({1, 2});\nco_await g();\n"}],
    "error-texts": [
        {"src/base/a.cc": 'return make_error(ErrorCode::kX, "CREATE TABLE {}: no columns", path);\n'},
        {"src/base/a_test.cc": 'return make_error(ErrorCode::kX, "Gone.");\n'},
    ],
    "test-comments": [
        {"src/base/a_test.cc": "TEST(A, B) {\n  // It holds.\n  f();\n}\n// Proves it.\nTEST(A, C) {\n  f();\n}\n"},
    ],
    "columns": [{"src/base/a.cc": "// " + "é" * 97 + "\n"}, {"docs/a.md": "x" * 300 + "\n"}],
    "file-length": [{"src/base/a.cc": "\n" * 800}],
    "white-space": [{"src/base/a.cc": "int a;\n\nint b;\n"}],
    "foreign-words": [
        {"src/base/a.cc": text + "\n"}
        for text in [
            "// a session of the query engine", "// helper functions", "#include <vector>", "// 0x123, &#39;",
            "// /metadata/databases", "// the user agent string", "// C# and F#",
        ]
    ],
    "todos": [{"src/base/a.cc": "// TODO: read ahead; without it a cold scan\n// waits for each segment\n"}],
    "commented-code": [{"src/base/a.h": "//   return x;\n// if it is (a) done\n"}],
    "header-comments": [{"src/base/a.h": PRAGMA + "// What it is.\n//\n// Thread rule: any thread.\n"}],
    "links": [{"docs/a.md": "[b](b.md#top) [c](https://c.org/) `src/base/`\n", "docs/b.md": "", "src/base/a.h": ""}],
    "dead-headers": [{"src/base/a.h": PRAGMA, "src/base/b.cc": '#include "base/a.h"\n'}],
    "dead-tools": [{"tools/used.sh": "", "Makefile": "used:\n\ttools/used.sh\n"}],
    "idle-options": [{"src/base/server_options.h": OPTION, "src/store/a.cc": "get(kOne);\n"}],
    "forgotten-sources": [{"src/base/a.cc": "", "CMakeLists.txt": "lakestream_module(base)\n"}],
}
