import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/** Checks that speak SQL to a Flink in this process, whose catalog `fluss` is the server. */
abstract class FlinkChecks extends Checks {
    private static final int SLOTS = 40;
    private static final int CHECKS_AT_ONCE = 5;

    private final MiniCluster cluster;
    private final ExecutorService executor = Executors.newFixedThreadPool(CHECKS_AT_ONCE);
    // Of each check its own: an environment is bound to the thread that made it.
    private final ThreadLocal<TableEnvironment> batch =
            ThreadLocal.withInitial(() -> environment(EnvironmentSettings.inBatchMode()));
    private final ThreadLocal<TableEnvironment> streaming =
            ThreadLocal.withInitial(() -> environment(EnvironmentSettings.inStreamingMode()));

    FlinkChecks(String bootstrap, String database) throws Exception {
        super(bootstrap, database);
        cluster = startCluster();
    }

    /** Some checks run beside each other: a job waits most of its time, for connections to close. */
    void checkSoon(String name, Body body) {
        if (!name.contains(System.getProperty("check.only", ""))) {
            return;
        }
        executor.submit(
                () -> {
                    check(name, body);
                    return null;
                });
    }

    void waitForChecks() throws InterruptedException {
        executor.shutdown();
        that(executor.awaitTermination(1, TimeUnit.HOURS), "the checks end");
    }

    TableEnvironment batch() {
        return batch.get();
    }

    TableEnvironment streaming() {
        return streaming.get();
    }

    private static MiniCluster startCluster() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(RestOptions.PORT, 0);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("64m"));
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        cluster.start();
        return cluster;
    }

    private TableEnvironment environment(EnvironmentSettings settings) {
        URI rest = cluster.getRestAddress().join();
        TableEnvironment made = TableEnvironment.create(settings);
        made.getConfig().set("execution.target", "remote");
        made.getConfig().set("rest.address", rest.getHost());
        made.getConfig().set("rest.port", String.valueOf(rest.getPort()));
        made.getConfig().set("parallelism.default", "2");
        made.getConfig().set("table.local-time-zone", "UTC");
        made.executeSql(
                "CREATE CATALOG fluss WITH ('type' = 'fluss', 'bootstrap.servers' = '" + bootstrap + "')");
        made.executeSql("USE CATALOG fluss");
        made.executeSql("USE `" + database + "`");
        return made;
    }

    /** Runs a statement in batch mode to its end. */
    void sql(String statement) throws Exception {
        batch().executeSql(statement).await();
    }

    void sqlStreaming(String statement) throws Exception {
        streaming().executeSql(statement).await();
    }

    void createKeyed(String name, String options) throws Exception {
        sql("CREATE TABLE " + name + " (id INT NOT NULL, name STRING, PRIMARY KEY (id) NOT ENFORCED)"
                + " WITH ('bucket.num' = '2'" + options + ")");
    }

    /** All rows of a batch query, or of a statement such as SHOW TABLES, sorted as texts; each as if inserted. */
    List<String> all(String query) throws Exception {
        return drain(batch().executeSql(query));
    }

    static List<String> drain(TableResult result) throws Exception {
        List<String> rows = new ArrayList<>();
        try (CloseableIterator<Row> iterator = result.collect()) {
            while (iterator.hasNext()) {
                Row row = iterator.next();
                row.setKind(RowKind.INSERT);
                rows.add(row.toString());
            }
        }
        Collections.sort(rows);
        return rows;
    }

    /** The first rows of a streaming query, sorted as texts; the query is then cancelled. */
    List<String> take(String query, int count) throws Exception {
        try (Stream stream = stream(query)) {
            return stream.take(count);
        }
    }

    Stream stream(String query) {
        return new Stream(streaming().executeSql(query));
    }

    /** A streaming query that runs until it is closed. */
    static final class Stream implements AutoCloseable {
        private final CloseableIterator<Row> iterator;
        private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
        private volatile String failure;

        Stream(TableResult result) {
            iterator = result.collect();
            Thread reader = new Thread(this::read);
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try {
                iterator.forEachRemaining(row -> arrived.add(row.toString()));
            } catch (RuntimeException e) {
                failure = describe(e);
            }
        }

        /** The next rows, sorted as texts. */
        List<String> take(int count) throws Exception {
            List<String> rows = new ArrayList<>();
            long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
            while (rows.size() < count) {
                String row = arrived.poll(100, TimeUnit.MILLISECONDS);
                if (row != null) {
                    rows.add(row);
                } else {
                    that(failure == null, failure);
                    that(System.currentTimeMillis() < deadline, "only " + rows.size() + " of " + count + ": " + rows);
                }
            }
            Collections.sort(rows);
            return rows;
        }

        @Override
        public void close() throws Exception {
            iterator.close();
        }
    }

    static List<String> rows(String... texts) {
        List<String> rows = new ArrayList<>(List.of(texts));
        Collections.sort(rows);
        return rows;
    }

    /** The rows "+I[0, row 0]" and so on, sorted. */
    static List<String> numbered(int begin, int end) {
        List<String> rows = new ArrayList<>();
        for (int id = begin; id < end; id++) {
            rows.add("+I[" + id + ", row " + id + "]");
        }
        Collections.sort(rows);
        return rows;
    }

    /** "(0, 'row 0'), (1, 'row 1')" for VALUES. */
    static String values(int begin, int end) {
        List<String> values = new ArrayList<>();
        for (int id = begin; id < end; id++) {
            values.add("(" + id + ", 'row " + id + "')");
        }
        return String.join(", ", values);
    }
}
