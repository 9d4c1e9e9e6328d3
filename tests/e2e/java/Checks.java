import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.ConnectionFactory;
import org.apache.fluss.client.admin.Admin;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.Scan;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.scanner.log.ScanRecords;
import org.apache.fluss.client.table.writer.AppendWriter;
import org.apache.fluss.config.Configuration;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.Decimal;
import org.apache.fluss.row.GenericArray;
import org.apache.fluss.row.GenericMap;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.TimestampLtz;
import org.apache.fluss.row.TimestampNtz;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;

/**
 * Runs named checks against a server and prints one line for each: "ok NAME (N ms)" or "FAIL NAME (N ms): why".
 * A check that does not end counts as failed, and the next one is begun.
 */
abstract class Checks {
    interface Body {
        void run() throws Exception;
    }

    private static final long CHECK_TIMEOUT_S = Long.getLong("check.timeout.s", 60);
    static final Duration POLL = Duration.ofMillis(200);
    static final long READ_TIMEOUT_MS = Long.getLong("check.read.timeout.ms", 20_000);

    static final Schema ID_AND_NAME =
            Schema.newBuilder().column("id", DataTypes.INT()).column("name", DataTypes.STRING()).build();
    static final Schema KEYED =
            Schema.newBuilder()
                    .column("id", DataTypes.INT())
                    .column("name", DataTypes.STRING())
                    .primaryKey("id")
                    .build();

    final String bootstrap;
    final String database;
    final Connection connection;
    final Admin admin;
    private final List<Connection> ownConnections = Collections.synchronizedList(new ArrayList<>());

    /** The settings are those of the connection that the checks share. */
    Checks(String bootstrap, String database, String... settings) {
        this.bootstrap = bootstrap;
        this.database = database;
        this.connection = connect(settings);
        this.admin = connection.getAdmin();
        ownConnections.clear();
    }

    abstract void runAll() throws Exception;

    void check(String name, Body body) throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        long begin = System.nanoTime();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                body.run();
                            } catch (Throwable e) {
                                failure[0] = e;
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        thread.join(CHECK_TIMEOUT_S * 1000);
        if (thread.isAlive()) {
            StackTraceElement[] stack = thread.getStackTrace();
            report(
                    name,
                    begin,
                    "did not end within " + CHECK_TIMEOUT_S + " s" + place(stack) + ", in " + Arrays.toString(stack));
        } else {
            report(name, begin, failure[0] == null ? null : describe(failure[0]));
        }
        closeOwnConnections();
    }

    /** In the background: closing one takes the client two seconds. */
    private void closeOwnConnections() {
        List<Connection> connections = new ArrayList<>(ownConnections);
        ownConnections.clear();
        Thread thread =
                new Thread(
                        () -> {
                            for (Connection each : connections) {
                                try {
                                    each.close();
                                } catch (Exception e) {
                                    System.err.println("closing a connection: " + e);
                                }
                            }
                        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void report(String name, long begin, String why) {
        String took = " (" + (System.nanoTime() - begin) / 1_000_000 + " ms)";
        System.out.println(why == null ? "ok " + name + took : "FAIL " + name + took + ": " + why.replace("\n", " | "));
        System.out.flush();
    }

    /** The message with the place in these checks where it happened. */
    static String describe(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            text.append(" <- ").append(cause);
        }
        return text + place(e.getStackTrace());
    }

    private static String place(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().endsWith("Check")) {
                return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
            }
        }
        return "";
    }

    // --- assertions ------------------------------------------------------------------------------

    static void equal(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError("expected " + shorten(expected) + " but got " + shorten(actual));
        }
    }

    private static String shorten(Object value) {
        String text = String.valueOf(value);
        return text.length() <= 2000 ? text : text.substring(0, 2000) + "… (" + text.length() + ")";
    }

    static void that(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError(rule);
        }
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    static void waitUntil(String what, Condition condition) throws Exception {
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (!condition.holds()) {
            that(System.currentTimeMillis() < deadline, "there is never: " + what);
            Thread.sleep(50);
        }
    }

    static <T> T get(Future<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    /** The call fails with this class of exception, and its message names each of the words. */
    static void fails(Class<? extends Throwable> expected, Body body, String... words) {
        Throwable error = null;
        try {
            body.run();
        } catch (Throwable e) {
            error = e;
            while ((error instanceof ExecutionException || error instanceof CompletionException)
                    && error.getCause() != null) {
                error = error.getCause();
            }
        }
        that(error != null, "no error, where " + expected.getSimpleName() + " was due");
        that(expected.isInstance(error), "not a " + expected.getSimpleName() + ": " + error);
        for (String word : words) {
            that(String.valueOf(error.getMessage()).contains(word), "no '" + word + "' in: " + error.getMessage());
        }
    }

    /** Throws what the client wrapped: what the server said. */
    static void rootCause(Body body) throws Exception {
        try {
            body.run();
        } catch (Exception e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw cause instanceof Exception ? (Exception) cause : e;
        }
    }

    // --- connections, tables, rows ----------------------------------------------------------------

    /** A connection of the check's own, which need not close it. */
    Connection connect(String... settings) {
        Configuration configuration = new Configuration();
        configuration.setString("bootstrap.servers", bootstrap);
        for (int i = 0; i < settings.length; i += 2) {
            configuration.setString(settings[i], settings[i + 1]);
        }
        Connection opened = ConnectionFactory.createConnection(configuration);
        ownConnections.add(opened);
        return opened;
    }

    TablePath path(String table) {
        return TablePath.of(database, table);
    }

    static TableDescriptor.Builder describe(Schema schema, int buckets, String... bucketKeys) {
        return TableDescriptor.builder().schema(schema).distributedBy(buckets, bucketKeys);
    }

    Table create(String name, TableDescriptor descriptor) throws Exception {
        get(admin.createTable(path(name), descriptor, false));
        return connection.getTable(path(name));
    }

    Table create(String name) throws Exception {
        return create(name, describe(ID_AND_NAME, 1).build());
    }

    static GenericRow row(int id) {
        return GenericRow.of(id, BinaryString.fromString("row " + id));
    }

    static void append(Table table, List<GenericRow> rows) throws Exception {
        AppendWriter writer = table.newAppend().createWriter();
        List<Future<?>> results = new ArrayList<>();
        for (GenericRow row : rows) {
            results.add(writer.append(row));
        }
        writer.flush();
        for (Future<?> result : results) {
            get(result);
        }
    }

    static void append(Table table, int begin, int end) throws Exception {
        List<GenericRow> rows = new ArrayList<>();
        for (int id = begin; id < end; id++) {
            rows.add(row(id));
        }
        append(table, rows);
    }

    static LogScanner fromBeginning(Scan scan, int buckets) {
        LogScanner scanner = scan.createLogScanner();
        for (int bucket = 0; bucket < buckets; bucket++) {
            scanner.subscribeFromBeginning(bucket);
        }
        return scanner;
    }

    /** Reads so many records, checks that no more come, and closes the scanner. */
    static List<ScanRecord> read(LogScanner scanner, int count) throws Exception {
        List<ScanRecord> records = new ArrayList<>();
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (records.size() < count) {
            that(System.currentTimeMillis() < deadline, "only " + records.size() + " of " + count + " records came");
            poll(scanner, POLL).forEach(records::add);
        }
        poll(scanner, Duration.ofMillis(20)).forEach(records::add);
        scanner.close();
        equal(count, records.size());
        return records;
    }

    static List<ScanRecord> poll(LogScanner scanner, Duration wait) {
        List<ScanRecord> records = new ArrayList<>();
        ScanRecords polled = scanner.poll(wait);
        for (TableBucket bucket : polled.buckets()) {
            records.addAll(polled.records(bucket));
        }
        return records;
    }

    static List<ScanRecord> read(Table table, int count) throws Exception {
        return read(fromBeginning(table.newScan(), table.getTableInfo().getNumBuckets()), count);
    }

    static List<Integer> ids(List<ScanRecord> records) {
        List<Integer> ids = new ArrayList<>();
        for (ScanRecord record : records) {
            ids.add(record.getRow().getInt(0));
        }
        return ids;
    }

    static List<Integer> range(int begin, int end) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = begin; i < end; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    // --- values -----------------------------------------------------------------------------------

    static Object string(String text) {
        return BinaryString.fromString(text);
    }

    static Object decimal(String text, int precision, int scale) {
        return Decimal.fromBigDecimal(new BigDecimal(text), precision, scale);
    }

    /** A type and values of it, each of which a table of every format gives back. */
    static List<Object> column(DataType type, Object... values) {
        List<Object> column = new ArrayList<>();
        column.add(type);
        column.addAll(Arrays.asList(values));
        return column;
    }

    static final DataType POINT =
            DataTypes.ROW(DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("name", DataTypes.STRING()));

    static List<List<Object>> typesAndValues() {
        long instant = 1709251198123L;
        long old = -2037657050001L;
        byte[] everyByte = new byte[256];
        for (int i = 0; i < 256; i++) {
            everyByte[i] = (byte) i;
        }
        return Arrays.asList(
                column(DataTypes.BOOLEAN(), true, false),
                column(DataTypes.TINYINT(), Byte.MIN_VALUE, (byte) 0, Byte.MAX_VALUE),
                column(DataTypes.SMALLINT(), Short.MIN_VALUE, (short) 0, Short.MAX_VALUE),
                column(DataTypes.INT(), Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE),
                column(DataTypes.BIGINT(), Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE),
                column(DataTypes.FLOAT(), Float.MIN_VALUE, Float.MAX_VALUE, Float.NEGATIVE_INFINITY, -0.0f, Float.NaN),
                column(DataTypes.DOUBLE(), Double.MIN_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN),
                column(DataTypes.CHAR(6), string("abcdef"), string("abc")),
                column(DataTypes.STRING(), string(""), string("a"), string("grüße 你好 🚀"), string("x".repeat(70_000))),
                column(DataTypes.BINARY(4), new byte[] {1, 2, 3, 4}, new byte[] {-1, -1, -1, -1}),
                column(DataTypes.BYTES(), new byte[0], new byte[] {0}, everyByte),
                column(DataTypes.DECIMAL(10, 2), decimal("-99999999.99", 10, 2), decimal("0", 10, 2)),
                column(DataTypes.DECIMAL(18, 6), decimal("999999999999.999999", 18, 6)),
                column(
                        DataTypes.DECIMAL(38, 18),
                        decimal("-12345678901234567890.123456789012345678", 38, 18),
                        decimal("0.000000000000000001", 38, 18)),
                column(DataTypes.DATE(), -719162, -1, 0, 2932896),
                column(DataTypes.TIME(0), 0, 86_399_000),
                column(DataTypes.TIME(3), 0, 86_399_999),
                column(DataTypes.TIME(6), 86_399_999),
                column(DataTypes.TIME(9), 86_399_999),
                column(DataTypes.TIMESTAMP(0), TimestampNtz.fromMillis(1709251198000L)),
                column(DataTypes.TIMESTAMP(3), TimestampNtz.fromMillis(instant), TimestampNtz.fromMillis(old)),
                column(DataTypes.TIMESTAMP(6), TimestampNtz.fromMillis(instant, 456000), TimestampNtz.fromMillis(0)),
                column(DataTypes.TIMESTAMP(9), TimestampNtz.fromMillis(instant, 456789)),
                column(DataTypes.TIMESTAMP_LTZ(0), TimestampLtz.fromEpochMillis(1709251198000L)),
                column(DataTypes.TIMESTAMP_LTZ(3), TimestampLtz.fromEpochMillis(instant)),
                column(DataTypes.TIMESTAMP_LTZ(6), TimestampLtz.fromEpochMillis(instant, 456000)),
                column(DataTypes.TIMESTAMP_LTZ(9), TimestampLtz.fromEpochMillis(instant, 456789)),
                column(DataTypes.ARRAY(DataTypes.INT()), GenericArray.of(), GenericArray.of(1, null, -3)),
                column(
                        DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.STRING())),
                        GenericArray.of(GenericArray.of(string("a"), null), GenericArray.of(), null)),
                column(
                        DataTypes.MAP(DataTypes.STRING(), DataTypes.BIGINT()),
                        GenericMap.of(),
                        GenericMap.of(string("a"), 1L, string("b"), null)),
                column(POINT, GenericRow.of(1, string("z")), GenericRow.of(null, null)),
                column(
                        DataTypes.ARRAY(POINT),
                        GenericArray.of(GenericRow.of(1, string("a much longer name")), GenericRow.of(2, null))),
                column(
                        DataTypes.MAP(DataTypes.INT(), DataTypes.ARRAY(DataTypes.DECIMAL(20, 2))),
                        GenericMap.of(7, GenericArray.of(decimal("1.25", 20, 2), null))));
    }
}
