import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Columns of every type, c0 and so on: the SQL of a value and the text that Flink shows for it. */
final class FlinkTypes {
    private static final String[][] TYPES = {
        {"BOOLEAN", "TRUE", "true"},
        {"TINYINT", "CAST(-128 AS TINYINT)", "-128"},
        {"SMALLINT", "CAST(32767 AS SMALLINT)", "32767"},
        {"INT", "-5", "-5"},
        {"BIGINT", "9223372036854775807", "9223372036854775807"},
        {"FLOAT", "CAST(1.5 AS FLOAT)", "1.5"},
        {"DOUBLE", "CAST(-2.25 AS DOUBLE)", "-2.25"},
        {"CHAR(3)", "'abc'", "abc"},
        {"STRING", "'grüße'", "grüße"},
        {"BINARY(2)", "x'01ff'", "[1, -1]"},
        {"BYTES", "x''", "[]"},
        {"DECIMAL(10, 2)", "12345678.91", "12345678.91"},
        {
            "DECIMAL(38, 18)",
            "CAST('-12345678901234567890.123456789012345678' AS DECIMAL(38, 18))",
            "-12345678901234567890.123456789012345678"
        },
        {"DATE", "DATE '2024-02-29'", "2024-02-29"},
        {"TIME(0)", "TIME '12:34:56'", "12:34:56"},
        {"TIMESTAMP(3)", "TIMESTAMP '1905-02-28 12:34:56.789'", "1905-02-28T12:34:56.789"},
        {"TIMESTAMP(6)", "TIMESTAMP '2024-02-29 01:02:03.123456'", "2024-02-29T01:02:03.123456"},
        {"TIMESTAMP_LTZ(3)", "TO_TIMESTAMP_LTZ(1709251198123, 3)", "2024-02-29T23:59:58.123Z"},
        {"ARRAY<INT>", "ARRAY[1, -2]", "[1, -2]"},
        {"MAP<STRING, BIGINT>", "MAP['k', CAST(5 AS BIGINT)]", "{k=5}"},
        {"ROW<x INT, y STRING>", "ROW(1, 'z')", "+I[1, z]"},
    };
    // Limited scans of the connector 0.9.1 read an array after its memory is gone.
    private static final int FLAT = TYPES.length - 3;

    private FlinkTypes() {}

    static String columns() {
        return join(IntStream.range(0, TYPES.length).mapToObj(i -> "c" + i + " " + TYPES[i][0]));
    }

    static String values() {
        return join(Arrays.stream(TYPES).map(type -> type[1]));
    }

    static String nulls() {
        return join(Arrays.stream(TYPES).map(type -> "CAST(NULL AS " + type[0] + ")"));
    }

    static String texts() {
        return join(Arrays.stream(TYPES).map(type -> type[2]));
    }

    static String nullTexts() {
        return join(Arrays.stream(TYPES).map(type -> "null"));
    }

    static String names() {
        return names(TYPES.length);
    }

    static String flatNames() {
        return names(FLAT);
    }

    static String flatTexts() {
        return join(Arrays.stream(TYPES).limit(FLAT).map(type -> type[2]));
    }

    private static String names(int count) {
        return join(IntStream.range(0, count).mapToObj(i -> "c" + i));
    }

    private static String join(Stream<String> texts) {
        return texts.collect(Collectors.joining(", "));
    }
}
