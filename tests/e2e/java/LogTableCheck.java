import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.admin.OffsetSpec;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.batch.BatchScanner;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.writer.AppendWriter;
import org.apache.fluss.cluster.ServerNode;
import org.apache.fluss.cluster.ServerType;
import org.apache.fluss.config.cluster.ConfigEntry;
import org.apache.fluss.exception.DatabaseAlreadyExistException;
import org.apache.fluss.exception.DatabaseNotEmptyException;
import org.apache.fluss.exception.DatabaseNotExistException;
import org.apache.fluss.exception.FetchException;
import org.apache.fluss.exception.FlussRuntimeException;
import org.apache.fluss.exception.InvalidConfigException;
import org.apache.fluss.exception.InvalidDatabaseException;
import org.apache.fluss.exception.InvalidReplicationFactorException;
import org.apache.fluss.exception.InvalidTableException;
import org.apache.fluss.exception.InvalidTimestampException;
import org.apache.fluss.exception.SchemaNotExistException;
import org.apache.fluss.exception.TableAlreadyExistException;
import org.apache.fluss.exception.TableNotExistException;
import org.apache.fluss.exception.TooManyBucketsException;
import org.apache.fluss.metadata.DatabaseDescriptor;
import org.apache.fluss.metadata.DatabaseInfo;
import org.apache.fluss.metadata.DatabaseSummary;
import org.apache.fluss.metadata.LogFormat;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TableInfo;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.record.ChangeType;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.GenericArray;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.InternalRow;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;
import org.apache.fluss.utils.CloseableIterator;

/**
 * What the official Java client does with databases and log tables; for client 0.9.1 and 1.0.0.
 *
 * <p>Arguments: bootstrap server, an empty database for the tables. Runs also what SinceOneCheck holds when that class
 * is there.
 */
public final class LogTableCheck extends Checks {
    LogTableCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new LogTableCheck(arguments[0], arguments[1]).runAll();
        Class<?> newer = null;
        try {
            newer = Class.forName("SinceOneCheck");
        } catch (ClassNotFoundException e) {
            // compiled against a client before 1.0
        }
        if (newer != null) {
            Object checks = newer.getConstructor(String.class, String.class).newInstance((Object[]) arguments);
            ((Checks) checks).runAll();
        }
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("server nodes", this::serverNodes);
        check("cluster configs", this::clusterConfigs);
        check("database life", this::databaseLife);
        check("database errors", this::databaseErrors);
        check("database cascade", this::databaseCascade);
        check("database summaries", this::databaseSummaries);
        check("default database", this::defaultDatabase);
        check("table life", this::tableLife);
        check("table errors", this::tableErrors);
        check("table rules", this::tableRules);
        check("recreated table", this::recreatedTable);
        for (String[] mode : new String[][] {{"all", "true"}, {"all", "false"}, {"1", "false"}, {"0", "false"}}) {
            check("append acks " + mode[0] + " idempotent " + mode[1], () -> appendWith(mode[0], mode[1]));
        }
        check("offsets and times", this::offsetsAndTimes);
        check("list offsets", this::listOffsets);
        check("start in the middle", this::startInTheMiddle);
        check("offset out of range", this::offsetOutOfRange);
        check("poll in pieces", this::pollInPieces);
        check("bucket key", this::bucketKey);
        check("round robin", this::roundRobin);
        check("long poll", this::longPoll);
        check("many writers", this::manyWriters);
        check("limit scan", this::limitScan);
        check("table stats", this::tableStats);
        check("array longer than the batch", this::arrayLongerThanTheBatch);
        for (String storage : STORAGES) {
            check("types " + storage, () -> types(storage));
            check("large value " + storage, () -> largeValue(storage));
            check("many batches " + storage, () -> manyBatches(storage));
        }
        for (String storage : STORAGES) {
            if (storage.startsWith("ARROW")) {
                check("projection " + storage, () -> projection(storage));
            }
        }
    }

    // --- administration ---------------------------------------------------------------------------

    private void serverNodes() throws Exception {
        Map<ServerType, Integer> count = new HashMap<>();
        for (ServerNode node : get(admin.getServerNodes())) {
            count.merge(node.serverType(), 1, Integer::sum);
            equal(bootstrap, node.host() + ":" + node.port());
        }
        equal(1, count.get(ServerType.COORDINATOR));
        equal(1, count.get(ServerType.TABLET_SERVER));
    }

    private void clusterConfigs() throws Exception {
        String expected = System.getProperty("expected.config", "");
        boolean found = expected.isEmpty();
        for (ConfigEntry entry : get(admin.describeClusterConfigs())) {
            found |= expected.equals(entry.key() + "=" + entry.value());
        }
        that(found, "no " + expected);
    }

    private void databaseLife() throws Exception {
        String name = database + "_life";
        DatabaseDescriptor descriptor =
                DatabaseDescriptor.builder().comment("for tests").customProperty("owner", "me").build();
        equal(false, get(admin.databaseExists(name)));
        long before = System.currentTimeMillis();
        get(admin.createDatabase(name, descriptor, false));
        equal(true, get(admin.databaseExists(name)));
        DatabaseInfo info = get(admin.getDatabaseInfo(name));
        equal(name, info.getDatabaseName());
        equal(descriptor.getComment(), info.getDatabaseDescriptor().getComment());
        equal(descriptor.getCustomProperties(), info.getDatabaseDescriptor().getCustomProperties());
        that(Math.abs(info.getCreatedTime() - before) < 5000, "created at " + info.getCreatedTime());
        equal(info.getCreatedTime(), info.getModifiedTime());
        get(admin.createDatabase(name, DatabaseDescriptor.EMPTY, true));
        equal(descriptor.getComment(), get(admin.getDatabaseInfo(name)).getDatabaseDescriptor().getComment());
        that(get(admin.listDatabases()).contains(name), "not listed");
        equal(Collections.emptyList(), get(admin.listTables(name)));
        get(admin.dropDatabase(name, false, false));
        equal(false, get(admin.databaseExists(name)));
        that(!get(admin.listDatabases()).contains(name), "still listed");
        get(admin.dropDatabase(name, true, false));
    }

    private void databaseErrors() throws Exception {
        fails(
                DatabaseAlreadyExistException.class,
                () -> get(admin.createDatabase(database, DatabaseDescriptor.EMPTY, false)),
                database);
        fails(DatabaseNotExistException.class, () -> get(admin.dropDatabase("missing", false, true)), "missing");
        fails(DatabaseNotExistException.class, () -> get(admin.getDatabaseInfo("missing")), "missing");
        fails(DatabaseNotExistException.class, () -> get(admin.listTables("missing")), "missing");
        fails(
                InvalidDatabaseException.class,
                () -> get(admin.createDatabase("a b", DatabaseDescriptor.EMPTY, false)),
                "a b");
        fails(
                InvalidDatabaseException.class,
                () -> get(admin.createDatabase("__internal", DatabaseDescriptor.EMPTY, false)),
                "__internal");
    }

    private void databaseCascade() throws Exception {
        String name = database + "_cascade";
        get(admin.createDatabase(name, DatabaseDescriptor.EMPTY, false));
        TablePath path = TablePath.of(name, "t");
        get(admin.createTable(path, describe(ID_AND_NAME, 2).build(), false));
        fails(DatabaseNotEmptyException.class, () -> get(admin.dropDatabase(name, false, false)), name);
        equal(true, get(admin.tableExists(path)));
        get(admin.dropDatabase(name, false, true));
        equal(false, get(admin.databaseExists(name)));
        equal(false, get(admin.tableExists(path)));
        // The name is free at once, and empty.
        get(admin.createDatabase(name, DatabaseDescriptor.EMPTY, false));
        equal(Collections.emptyList(), get(admin.listTables(name)));
        get(admin.dropDatabase(name, false, false));
    }

    private void databaseSummaries() throws Exception {
        String name = database + "_summary";
        get(admin.createDatabase(name, DatabaseDescriptor.EMPTY, false));
        for (int i = 0; i < 3; i++) {
            get(admin.createTable(TablePath.of(name, "t" + i), describe(ID_AND_NAME, 1).build(), false));
        }
        DatabaseSummary found = null;
        for (DatabaseSummary summary : get(admin.listDatabaseSummaries())) {
            found = summary.getDatabaseName().equals(name) ? summary : found;
        }
        that(found != null, "no summary of " + name);
        equal(3, found.getTableCount());
        long created = get(admin.getDatabaseInfo(name)).getCreatedTime();
        that(Math.abs(created - found.getCreatedTime()) < 1000, "created at " + created + " and " + found);
        get(admin.dropDatabase(name, false, true));
    }

    private void defaultDatabase() throws Exception {
        equal(true, get(admin.databaseExists("fluss")));
        fails(Throwable.class, () -> get(admin.dropDatabase("fluss", false, true)), "fluss");
        equal(true, get(admin.databaseExists("fluss")));
    }

    private void tableLife() throws Exception {
        Schema schema =
                Schema.newBuilder()
                        .column("id", DataTypes.INT().copy(false))
                        .withComment("the key")
                        .column("name", DataTypes.STRING())
                        .column("tags", DataTypes.ARRAY(DataTypes.STRING()))
                        .column(
                                "place",
                                DataTypes.ROW(
                                        DataTypes.FIELD("x", DataTypes.DOUBLE()),
                                        DataTypes.FIELD("y", DataTypes.DOUBLE(), "north")))
                        .build();
        TableDescriptor descriptor =
                describe(schema, 3, "id")
                        .comment("all of it")
                        .property("table.log.ttl", "1 d")
                        .customProperty("owner", "me")
                        .build();
        TablePath path = path("life");
        equal(false, get(admin.tableExists(path)));
        get(admin.createTable(path, descriptor, false));
        get(admin.createTable(path, descriptor, true));
        equal(true, get(admin.tableExists(path)));
        that(get(admin.listTables(database)).contains("life"), "not listed");
        TableInfo info = get(admin.getTableInfo(path));
        equal(1, info.getSchemaId());
        equal(3, info.getNumBuckets());
        equal(Collections.singletonList("id"), info.getBucketKeys());
        equal("all of it", info.getComment().get());
        equal("1 d", info.getProperties().toMap().get("table.log.ttl"));
        equal("1", info.getProperties().toMap().get("table.replication.factor"));
        equal(Collections.singletonMap("owner", "me"), info.getCustomProperties().toMap());
        equal(schema.getRowType().getFieldNames(), info.getRowType().getFieldNames());
        equal("the key", info.getSchema().getColumns().get(0).getComment().get());
        equal(false, info.getRowType().getTypeAt(0).isNullable());
        equal(info.getSchema(), get(admin.getTableSchema(path)).getSchema());
        equal(1, get(admin.getTableSchema(path)).getSchemaId());
        equal(info.getSchema(), get(admin.getTableSchema(path, 1)).getSchema());
        fails(SchemaNotExistException.class, () -> get(admin.getTableSchema(path, 2)), "2");
        get(admin.dropTable(path, false));
        equal(false, get(admin.tableExists(path)));
        get(admin.dropTable(path, true));
    }

    private void tableErrors() throws Exception {
        TableDescriptor plain = describe(ID_AND_NAME, 1).build();
        get(admin.createTable(path("errors"), plain, false));
        fails(
                TableAlreadyExistException.class,
                () -> get(admin.createTable(path("errors"), plain, false)),
                database,
                "errors");
        fails(TableNotExistException.class, () -> get(admin.getTableInfo(path("missing"))), "missing");
        fails(TableNotExistException.class, () -> get(admin.getTableSchema(path("missing"))), "missing");
        fails(TableNotExistException.class, () -> get(admin.dropTable(path("missing"), false)), "missing");
        // The client wraps this one.
        fails(FlussRuntimeException.class, () -> connection.getTable(path("missing")));
        fails(
                DatabaseNotExistException.class,
                () -> get(admin.createTable(TablePath.of("missing", "t"), plain, false)),
                "missing");
        equal(false, get(admin.tableExists(TablePath.of("missing", "t"))));
    }

    private void refused(Class<? extends Throwable> error, TableDescriptor descriptor, String word) throws Exception {
        fails(error, () -> get(admin.createTable(path("refused"), descriptor, false)), word);
        equal(false, get(admin.tableExists(path("refused"))));
    }

    private void tableRules() throws Exception {
        TableDescriptor plain = describe(ID_AND_NAME, 1).build();
        fails(InvalidTableException.class, () -> get(admin.createTable(path("a.b"), plain, false)), "a.b");
        fails(InvalidTableException.class, () -> get(admin.createTable(path("__t"), plain, false)), "__");
        Schema reserved = Schema.newBuilder().column("__timestamp", DataTypes.INT()).build();
        refused(InvalidTableException.class, describe(reserved, 1).build(), "__timestamp");
        refused(TooManyBucketsException.class, describe(ID_AND_NAME, 4097).build(), "4097");
        refused(
                InvalidConfigException.class,
                describe(ID_AND_NAME, 1).property("table.foo", "1").build(),
                "table.foo");
        refused(
                InvalidConfigException.class,
                describe(ID_AND_NAME, 1).property("table.log.ttl", "soon").build(),
                "table.log.ttl");
        refused(
                InvalidConfigException.class,
                describe(ID_AND_NAME, 1).property("table.log.arrow.compression.zstd.level", "23").build(),
                "23");
        refused(
                InvalidReplicationFactorException.class,
                describe(ID_AND_NAME, 1).property("table.replication.factor", "3").build(),
                "3");
        Schema list = Schema.newBuilder().column("a", DataTypes.ARRAY(DataTypes.INT())).build();
        refused(InvalidTableException.class, describe(list, 2, "a").build(), "a");
    }

    private void recreatedTable() throws Exception {
        Table table = create("again");
        long id = table.getTableInfo().getTableId();
        append(table, 0, 5);
        get(admin.dropTable(path("again"), false));
        Connection other = connect();
        get(other.getAdmin().createTable(path("again"), describe(ID_AND_NAME, 1).build(), false));
        Table again = other.getTable(path("again"));
        that(again.getTableInfo().getTableId() > id, "the id of the dropped table is used again");
        append(again, 7, 9);
        equal(range(7, 9), ids(read(again, 2)));
    }

    // --- append and read --------------------------------------------------------------------------

    private void appendWith(String acks, String idempotent) throws Exception {
        String name = "acks_" + acks + "_" + idempotent;
        get(admin.createTable(path(name), describe(ID_AND_NAME, 1).build(), false));
        Connection other = connect("client.writer.acks", acks, "client.writer.enable-idempotence", idempotent);
        Table table = other.getTable(path(name));
        append(table, 0, 1000);
        append(table, 1000, 1200);
        List<ScanRecord> records = read(table, 1200);
        equal(range(0, 1200), ids(records));
        for (ScanRecord record : records) {
            equal(ChangeType.APPEND_ONLY, record.getChangeType());
            equal("row " + record.logOffset(), record.getRow().getString(1).toString());
        }
    }

    private void offsetsAndTimes() throws Exception {
        Table table = create("times");
        long begin = System.currentTimeMillis();
        for (int i = 0; i < 50; i += 10) {
            append(table, i, i + 10);
        }
        long end = System.currentTimeMillis();
        long offset = 0;
        long time = begin;
        for (ScanRecord record : read(table, 50)) {
            equal(offset++, record.logOffset());
            that(time <= record.timestamp() && record.timestamp() <= end, "time " + record.timestamp());
            time = record.timestamp();
        }
    }

    private long offset(String table, OffsetSpec spec) throws Exception {
        return get(admin.listOffsets(path(table), Collections.singletonList(0), spec).all()).get(0);
    }

    private void listOffsets() throws Exception {
        Table table = create("offsets");
        equal(0L, offset("offsets", new OffsetSpec.EarliestSpec()));
        equal(0L, offset("offsets", new OffsetSpec.LatestSpec()));
        append(table, 0, 10);
        Thread.sleep(30);
        long middle = System.currentTimeMillis();
        Thread.sleep(30);
        append(table, 10, 15);
        equal(0L, offset("offsets", new OffsetSpec.EarliestSpec()));
        equal(15L, offset("offsets", new OffsetSpec.LatestSpec()));
        equal(0L, offset("offsets", new OffsetSpec.TimestampSpec(0)));
        equal(10L, offset("offsets", new OffsetSpec.TimestampSpec(middle)));
        Thread.sleep(30);
        equal(15L, offset("offsets", new OffsetSpec.TimestampSpec(System.currentTimeMillis() - 1)));
        long future = System.currentTimeMillis() + 3_600_000;
        fails(
                InvalidTimestampException.class,
                () -> offset("offsets", new OffsetSpec.TimestampSpec(future)),
                String.valueOf(future));
    }

    private void startInTheMiddle() throws Exception {
        Table table = create("middle");
        append(table, 0, 100);
        for (int start : new int[] {1, 50, 99}) {
            LogScanner scanner = table.newScan().createLogScanner();
            scanner.subscribe(0, start);
            equal(range(start, 100), ids(read(scanner, 100 - start)));
        }
        LogScanner scanner = table.newScan().createLogScanner();
        scanner.subscribe(0, 100);
        append(table, 100, 103);
        equal(range(100, 103), ids(read(scanner, 3)));
    }

    private void offsetOutOfRange() throws Exception {
        Table table = create("range");
        append(table, 0, 10);
        for (long start : new long[] {11, 1_000_000, -1}) {
            LogScanner scanner = table.newScan().createLogScanner();
            scanner.subscribe(0, start);
            fails(
                    FetchException.class,
                    () -> {
                        for (int i = 0; i < 50; i++) {
                            scanner.poll(POLL);
                        }
                    },
                    String.valueOf(start));
            scanner.close();
        }
    }

    private void pollInPieces() throws Exception {
        get(admin.createTable(path("pieces"), describe(ID_AND_NAME, 1).build(), false));
        Connection other = connect("client.scanner.log.max-poll-records", "100");
        Table table = other.getTable(path("pieces"));
        append(table, 0, 10_000);
        LogScanner scanner = fromBeginning(table.newScan(), 1);
        List<ScanRecord> records = new ArrayList<>();
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (records.size() < 10_000) {
            that(System.currentTimeMillis() < deadline, "only " + records.size() + " records came");
            List<ScanRecord> piece = poll(scanner, POLL);
            that(piece.size() <= 100, piece.size() + " records in one poll");
            records.addAll(piece);
        }
        equal(range(0, 10_000), ids(records));
    }

    private void bucketKey() throws Exception {
        Table table = create("keyed", describe(ID_AND_NAME, 4, "id").build());
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            rows.add(GenericRow.of(i % 40, BinaryString.fromString("n" + i)));
        }
        append(table, rows);
        Map<Integer, Integer> bucketOf = new HashMap<>();
        Set<String> names = new HashSet<>();
        Set<Integer> used = new HashSet<>();
        LogScanner scanner = fromBeginning(table.newScan(), 4);
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (names.size() < 800) {
            that(System.currentTimeMillis() < deadline, "only " + names.size() + " rows came");
            org.apache.fluss.client.table.scanner.log.ScanRecords polled = scanner.poll(POLL);
            for (TableBucket bucket : polled.buckets()) {
                for (ScanRecord record : polled.records(bucket)) {
                    Integer earlier = bucketOf.putIfAbsent(record.getRow().getInt(0), bucket.getBucket());
                    that(earlier == null || earlier == bucket.getBucket(), "a key in two buckets");
                    that(names.add(record.getRow().getString(1).toString()), "a row twice");
                    used.add(bucket.getBucket());
                }
            }
        }
        scanner.close();
        equal(4, used.size());
    }

    private void roundRobin() throws Exception {
        get(admin.createTable(path("robin"), describe(ID_AND_NAME, 4).build(), false));
        Connection other = connect("client.writer.bucket.no-key-assigner", "ROUND_ROBIN");
        Table table = other.getTable(path("robin"));
        append(table, 0, 100);
        for (int bucket = 0; bucket < 4; bucket++) {
            LogScanner scanner = table.newScan().createLogScanner();
            scanner.subscribeFromBeginning(bucket);
            read(scanner, 25);
        }
    }

    /** A row that a waiting reader gets must not wait for the end of its long poll. */
    private void longPoll() throws Exception {
        get(admin.createTable(path("long_poll"), describe(ID_AND_NAME, 1).build(), false));
        String[] settings = {"client.writer.batch-timeout", "0ms", "client.scanner.log.fetch.wait-max-time", "5s"};
        Connection other = connect(settings);
        Table table = other.getTable(path("long_poll"));
        AppendWriter writer = table.newAppend().createWriter();
        LogScanner scanner = fromBeginning(table.newScan(), 1);
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Thread.sleep(50);
            poll(scanner, Duration.ofMillis(1));
            Thread.sleep(50);
            long begin = System.nanoTime();
            Future<?> appended = writer.append(row(i));
            writer.flush();
            get(appended);
            List<ScanRecord> records = new ArrayList<>();
            while (records.isEmpty()) {
                that(System.nanoTime() - begin < 10_000_000_000L, "no record within 10 s");
                records = poll(scanner, Duration.ofSeconds(1));
            }
            delays.add((System.nanoTime() - begin) / 1_000_000);
            equal(range(i, i + 1), ids(records));
        }
        Collections.sort(delays);
        that(delays.get(5) < 100, "milliseconds from append to arrival: " + delays);
        scanner.close();
    }

    private void manyWriters() throws Exception {
        int writers = 8;
        int rows = 200;
        get(admin.createTable(path("writers"), describe(ID_AND_NAME, 1).build(), false));
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        for (int w = 0; w < writers; w++) {
            int number = w;
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    Connection other = connect("client.writer.batch-timeout", "0ms");
                                    Table table = other.getTable(path("writers"));
                                    for (int i = 0; i < rows; i += 10) {
                                        append(table, number * rows + i, number * rows + i + 10);
                                    }
                                } catch (Throwable e) {
                                    failures.add(e);
                                }
                            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        equal(Collections.emptyList(), failures);
        List<Integer> ids = ids(read(connection.getTable(path("writers")), writers * rows));
        for (int w = 0; w < writers; w++) {
            int number = w;
            List<Integer> own = new ArrayList<>(ids);
            own.removeIf(id -> id / rows != number);
            equal(range(w * rows, (w + 1) * rows), own);
        }
    }

    private static List<Integer> limited(Table table, int limit) throws Exception {
        List<Integer> ids = new ArrayList<>();
        TableBucket bucket = new TableBucket(table.getTableInfo().getTableId(), 0);
        try (BatchScanner scanner = table.newScan().limit(limit).createBatchScanner(bucket)) {
            CloseableIterator<InternalRow> rows = scanner.pollBatch(Duration.ofSeconds(10));
            while (rows != null) {
                while (rows.hasNext()) {
                    ids.add(rows.next().getInt(0));
                }
                rows.close();
                rows = scanner.pollBatch(Duration.ofSeconds(10));
            }
        }
        return ids;
    }

    private void limitScan() throws Exception {
        Table table = create("limited");
        equal(Collections.emptyList(), limited(table, 10));
        append(table, 0, 10);
        append(table, 10, 20);
        equal(range(17, 20), limited(table, 3));
        equal(range(5, 20), limited(table, 15));
        equal(range(0, 20), limited(table, 100));
    }

    private void tableStats() throws Exception {
        Table table = create("stats", describe(ID_AND_NAME, 3, "id").build());
        equal(0L, get(admin.getTableStats(path("stats"))).getRowCount());
        append(table, 0, 123);
        equal(123L, get(admin.getTableStats(path("stats"))).getRowCount());
    }

    // --- formats ----------------------------------------------------------------------------------

    /** Log format, and for ARROW the compression and its level. */
    private static final List<String> STORAGES =
            Arrays.asList("ARROW NONE", "ARROW LZ4_FRAME", "ARROW ZSTD", "ARROW ZSTD 22", "INDEXED", "COMPACTED");

    private Table create(String name, String storage, Schema schema) throws Exception {
        String[] words = storage.split(" ");
        TableDescriptor.Builder descriptor = describe(schema, 1).logFormat(LogFormat.fromString(words[0]));
        if (words.length > 1) {
            descriptor.property("table.log.arrow.compression.type", words[1]);
        }
        if (words.length > 2) {
            descriptor.property("table.log.arrow.compression.zstd.level", words[2]);
        }
        return create(name + "_" + storage.replace(' ', '_').toLowerCase(), descriptor.build());
    }

    /** Extremes and nulls of every type, and a row of nulls alone. */
    private void types(String storage) throws Exception {
        List<List<Object>> columns = typesAndValues();
        Schema.Builder builder = Schema.newBuilder();
        int depth = 0;
        for (int c = 0; c < columns.size(); c++) {
            builder.column("c" + c, (DataType) columns.get(c).get(0));
            depth = Math.max(depth, columns.get(c).size() - 1);
        }
        Table table = create("types", storage, builder.build());
        List<GenericRow> rows = new ArrayList<>();
        for (int r = 0; r <= depth; r++) {
            GenericRow row = new GenericRow(columns.size());
            for (int c = 0; c < columns.size(); c++) {
                row.setField(c, r + 1 < columns.get(c).size() ? columns.get(c).get(r + 1) : null);
            }
            rows.add(row);
        }
        append(table, rows);
        List<ScanRecord> records = read(table, rows.size());
        for (int r = 0; r < rows.size(); r++) {
            List<Object> expected = Values.ofRow(rows.get(r), table.getTableInfo().getRowType());
            List<Object> actual = Values.ofRow(records.get(r).getRow(), table.getTableInfo().getRowType());
            for (int c = 0; c < columns.size(); c++) {
                that(
                        java.util.Objects.equals(expected.get(c), actual.get(c)),
                        "row " + r + ", " + columns.get(c).get(0) + ": " + actual.get(c) + ", not " + expected.get(c));
            }
        }
    }

    /** 4 MiB that do not compress: more than a fetch asks of a bucket. */
    private void largeValue(String storage) throws Exception {
        Schema schema = Schema.newBuilder().column("id", DataTypes.INT()).column("data", DataTypes.BYTES()).build();
        Table table = create("large", storage, schema);
        byte[] data = new byte[4 << 20];
        new Random(7).nextBytes(data);
        append(table, Arrays.asList(GenericRow.of(1, data), GenericRow.of(2, new byte[] {5})));
        List<ScanRecord> records = read(table, 2);
        equal(range(1, 3), ids(records));
        that(Arrays.equals(data, records.get(0).getRow().getBytes(1)), "the bytes differ");
    }

    private void manyBatches(String storage) throws Exception {
        Table table = create("batches", storage, ID_AND_NAME);
        for (int i = 0; i < 100; i += 4) {
            append(table, i, i + 4);
        }
        List<ScanRecord> records = read(table, 100);
        equal(range(0, 100), ids(records));
        for (ScanRecord record : records) {
            equal("row " + record.logOffset(), record.getRow().getString(1).toString());
        }
    }

    private void arrayLongerThanTheBatch() throws Exception {
        Schema schema = Schema.newBuilder().column("a", DataTypes.ARRAY(DataTypes.INT())).build();
        Table table = create("long_arrays", describe(schema, 1).build());
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            rows.add(GenericRow.of(GenericArray.of(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9)));
        }
        append(table, rows);
        List<ScanRecord> records = read(table, 200);
        for (int i = 0; i < 200; i++) {
            List<Object> expected = Values.ofRow(rows.get(i), schema.getRowType());
            equal(expected, Values.ofRow(records.get(i).getRow(), schema.getRowType()));
        }
    }

    private void projection(String storage) throws Exception {
        Schema schema =
                Schema.newBuilder()
                        .column("id", DataTypes.INT())
                        .column("name", DataTypes.STRING())
                        .column("place", POINT)
                        .column("tags", DataTypes.ARRAY(DataTypes.STRING()))
                        .column("last", DataTypes.BIGINT())
                        .build();
        Table table = create("projection", storage, schema);
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Object tags = i % 3 == 0 ? null : GenericArray.of(string("t" + i), null);
            rows.add(GenericRow.of(i, string("n" + i), GenericRow.of(-i, string("p" + i)), tags, (long) i << 33));
        }
        for (int i = 0; i < 60; i += 20) {
            append(table, rows.subList(i, i + 20));
        }
        for (int[] columns : new int[][] {{0}, {4}, {1, 3}, {4, 0}, {2, 1}, {0, 1, 2, 3, 4}}) {
            List<ScanRecord> records = read(fromBeginning(table.newScan().project(columns), 1), 60);
            for (int i = 0; i < 60; i++) {
                List<Object> whole = Values.ofRow(rows.get(i), schema.getRowType());
                List<Object> expected = new ArrayList<>();
                for (int column : columns) {
                    expected.add(whole.get(column));
                }
                equal(expected, Values.ofRow(records.get(i).getRow(), schema.getRowType().project(columns)));
            }
        }
        List<ScanRecord> byName = read(fromBeginning(table.newScan().project(Arrays.asList("last", "id")), 1), 60);
        equal(59L << 33, byName.get(59).getRow().getLong(0));
        equal(59, byName.get(59).getRow().getInt(1));
    }
}
