import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.admin.OffsetSpec;
import org.apache.fluss.client.admin.ProducerOffsetsResult;
import org.apache.fluss.client.admin.RegisterResult;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.exception.InvalidPartitionException;
import org.apache.fluss.exception.InvalidProducerIdException;
import org.apache.fluss.exception.PartitionAlreadyExistsException;
import org.apache.fluss.exception.PartitionNotExistException;
import org.apache.fluss.exception.TableNotPartitionedException;
import org.apache.fluss.metadata.PartitionInfo;
import org.apache.fluss.metadata.PartitionSpec;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.TimestampLtz;
import org.apache.fluss.row.TimestampNtz;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;

/**
 * What the official Java client does with partitioned tables; for client 0.9.1 and 1.0.0.
 *
 * <p>Arguments: bootstrap server, an empty database for the tables.
 */
public final class PartitionCheck extends KvChecks {
    static final Schema BY_REGION =
            Schema.newBuilder().column("id", DataTypes.INT()).column("region", DataTypes.STRING()).build();
    static final int WRITERS = 4;
    static final int ROWS_OF_WRITER = 60;
    static final int REGIONS = 6;

    PartitionCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new PartitionCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("create, list and drop", this::createListAndDrop);
        check("errors", this::errors);
        check("racing writers", this::racingWriters);
        check("keyed table", this::keyedTable);
        check("prefix lookup", this::prefixLookup);
        check("dropped and created again", this::droppedAndCreatedAgain);
        check("offsets of producers", this::offsetsOfProducers);
        for (List<Object> type : keyTypes()) {
            check("key type " + type.get(0), () -> keyType((DataType) type.get(0), type.get(1), (String) type.get(2)));
        }
    }

    Table createPartitioned(String name, Schema schema, int buckets, String... keys) throws Exception {
        TableDescriptor descriptor =
                TableDescriptor.builder().schema(schema).distributedBy(buckets).partitionedBy(keys).build();
        return create(name, descriptor);
    }

    static PartitionSpec spec(String... keysAndValues) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return new PartitionSpec(values);
    }

    /** Ids by name. */
    Map<String, Long> partitions(Table table) throws Exception {
        Map<String, Long> ids = new TreeMap<>();
        for (PartitionInfo info : get(admin.listPartitionInfos(table.getTableInfo().getTablePath()))) {
            ids.put(info.getPartitionName(), info.getPartitionId());
        }
        return ids;
    }

    static List<ScanRecord> read(Table table, long partition, int count) throws Exception {
        LogScanner scanner = table.newScan().createLogScanner();
        for (int bucket = 0; bucket < table.getTableInfo().getNumBuckets(); bucket++) {
            scanner.subscribeFromBeginning(partition, bucket);
        }
        return read(scanner, count);
    }

    // --- checks -----------------------------------------------------------------------------------

    private void createListAndDrop() throws Exception {
        Schema schema =
                Schema.newBuilder()
                        .column("id", DataTypes.INT())
                        .column("region", DataTypes.STRING())
                        .column("day", DataTypes.STRING())
                        .build();
        Table table = createPartitioned("life", schema, 3, "region", "day");
        for (String region : new String[] {"us", "eu"}) {
            for (String day : new String[] {"1", "2"}) {
                get(admin.createPartition(path("life"), spec("region", region, "day", day), false));
            }
        }
        get(admin.createPartition(path("life"), spec("day", "2", "region", "eu"), true));
        equal("[eu$1, eu$2, us$1, us$2]", partitions(table).keySet().toString());
        List<String> some = new ArrayList<>();
        for (PartitionInfo info : get(admin.listPartitionInfos(path("life"), spec("region", "eu")))) {
            some.add(info.getPartitionName());
        }
        equal(Arrays.asList("eu$1", "eu$2"), sorted(some));
        Map<Integer, Long> ends =
                get(admin.listOffsets(path("life"), "eu$1", Arrays.asList(0, 1, 2), new OffsetSpec.LatestSpec()).all());
        equal("{0=0, 1=0, 2=0}", new TreeMap<>(ends).toString());
        get(admin.dropPartition(path("life"), spec("region", "eu", "day", "1"), false));
        get(admin.dropPartition(path("life"), spec("region", "eu", "day", "1"), true));
        equal("[eu$2, us$1, us$2]", partitions(table).keySet().toString());
    }

    private void errors() throws Exception {
        createPartitioned("errors", BY_REGION, 1, "region");
        create("plain");
        get(admin.createPartition(path("errors"), spec("region", "eu"), false));
        fails(
                PartitionAlreadyExistsException.class,
                () -> get(admin.createPartition(path("errors"), spec("region", "eu"), false)),
                "eu");
        fails(
                PartitionNotExistException.class,
                () -> get(admin.dropPartition(path("errors"), spec("region", "us"), false)),
                "us");
        fails(
                InvalidPartitionException.class,
                () -> get(admin.createPartition(path("errors"), spec("region", "a.b"), false)),
                "a.b");
        fails(
                InvalidPartitionException.class,
                () -> get(admin.createPartition(path("errors"), spec("id", "1"), false)));
        fails(TableNotPartitionedException.class, () -> get(admin.listPartitionInfos(path("plain"))));
        fails(
                TableNotPartitionedException.class,
                () -> get(admin.createPartition(path("plain"), spec("name", "x"), false)));
    }

    /** Writers of several connections meet partitions that are not there. */
    private void racingWriters() throws Exception {
        Table table = createPartitioned("racing", BY_REGION, 2, "region");
        List<Thread> threads = new ArrayList<>();
        List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
        for (int writer = 0; writer < WRITERS; writer++) {
            int first = writer * ROWS_OF_WRITER;
            Connection own = connect();
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    List<GenericRow> rows = new ArrayList<>();
                                    for (int id = first; id < first + ROWS_OF_WRITER; id++) {
                                        rows.add(of(id, "r" + id % REGIONS));
                                    }
                                    append(own.getTable(path("racing")), rows);
                                } catch (Throwable e) {
                                    errors.add(e);
                                }
                            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        equal(Collections.emptyList(), errors);
        Map<String, Long> partitions = partitions(table);
        equal(REGIONS, partitions.size());
        List<Integer> ids = new ArrayList<>();
        for (Map.Entry<String, Long> partition : partitions.entrySet()) {
            for (ScanRecord record : read(table, partition.getValue(), WRITERS * ROWS_OF_WRITER / REGIONS)) {
                equal(partition.getKey(), record.getRow().getString(1).toString());
                ids.add(record.getRow().getInt(0));
            }
        }
        Collections.sort(ids);
        equal(range(0, WRITERS * ROWS_OF_WRITER), ids);
    }

    private void keyedTable() throws Exception {
        Schema schema =
                schema(
                        key("region", "id"),
                        "region", DataTypes.STRING(), "id", DataTypes.INT(), "v", DataTypes.BIGINT());
        Table table = createPartitioned("keyed", schema, 2, "region");
        UpsertWriter writer = table.newUpsert().createWriter();
        List<Future<?>> results = new ArrayList<>();
        for (String region : new String[] {"eu", "us"}) {
            for (int id = 0; id < 30; id++) {
                results.add(writer.upsert(of(region, id, id * 10L)));
            }
        }
        writer.flush();
        results.add(writer.upsert(of("eu", 3, 33L)));
        results.add(writer.delete(of("us", 4, null)));
        writer.flush();
        for (Future<?> result : results) {
            get(result);
        }
        Lookuper lookuper = table.newLookup().createLookuper();
        equal("[eu, 3, 33]", lookup(table, lookuper, "eu", 3));
        equal("[us, 3, 30]", lookup(table, lookuper, "us", 3));
        equal("none", lookup(table, lookuper, "us", 4));
        equal("none", lookup(table, lookuper, "nowhere", 4));
        long tableId = table.getTableInfo().getTableId();
        List<String> rows = new ArrayList<>();
        for (int bucket = 0; bucket < 2; bucket++) {
            TableBucket place = new TableBucket(tableId, partitions(table).get("us"), bucket);
            rows.addAll(readAll(table.newScan().limit(100).createBatchScanner(place), typeOf(table)));
        }
        equal(29, rows.size());
        for (String row : rows) {
            that(row.startsWith("[us, "), "a row of another partition: " + row);
        }
    }

    private void prefixLookup() throws Exception {
        Schema schema =
                schema(
                        key("region", "a", "b"),
                        "region", DataTypes.STRING(), "a", DataTypes.INT(), "b", DataTypes.INT());
        TableDescriptor descriptor =
                TableDescriptor.builder().schema(schema).distributedBy(3, "a").partitionedBy("region").build();
        Table table = create("prefix", descriptor);
        upsert(table, of("eu", 1, 1), of("eu", 1, 2), of("eu", 2, 1), of("us", 1, 7));
        List<String> columns = list("region", "a");
        equal(list("[eu, 1, 1]", "[eu, 1, 2]"), sorted(prefixLookup(table, columns, "eu", 1)));
        equal(list("[us, 1, 7]"), prefixLookup(table, columns, "us", 1));
        equal(list(), prefixLookup(table, columns, "us", 2));
    }

    /** The first ones stay until they are deleted. */
    private void offsetsOfProducers() throws Exception {
        Table plain = create("ends");
        Table partitioned = createPartitioned("ends_by_region", BY_REGION, 2, "region");
        get(admin.createPartition(path("ends_by_region"), spec("region", "eu"), false));
        long table = plain.getTableInfo().getTableId();
        long byRegion = partitioned.getTableInfo().getTableId();
        long eu = partitions(partitioned).get("eu");
        Map<TableBucket, Long> ends =
                Map.of(new TableBucket(table, 0), 5L, new TableBucket(byRegion, eu, 1), 1L << 40);
        String producer = database + "-job";
        equal(RegisterResult.CREATED, get(admin.registerProducerOffsets(producer, ends)));
        Map<TableBucket, Long> others = Map.of(new TableBucket(table, 0), 9L);
        equal(RegisterResult.ALREADY_EXISTS, get(admin.registerProducerOffsets(producer, others)));
        ProducerOffsetsResult known = get(admin.getProducerOffsets(producer));
        equal(producer, known.getProducerId());
        Map<TableBucket, Long> all = new HashMap<>();
        known.getTableOffsets().values().forEach(all::putAll);
        equal(ends, all);
        get(admin.deleteProducerOffsets(producer));
        equal(null, get(admin.getProducerOffsets(producer)));
        fails(InvalidProducerIdException.class, () -> get(admin.registerProducerOffsets("a/b", ends)), "a/b");
    }

    private void droppedAndCreatedAgain() throws Exception {
        Table table = createPartitioned("again", BY_REGION, 1, "region");
        append(table, Arrays.asList(of(1, "x"), of(2, "x")));
        long first = partitions(table).get("x");
        get(admin.dropPartition(path("again"), spec("region", "x"), false));
        get(admin.createPartition(path("again"), spec("region", "x"), false));
        long second = partitions(table).get("x");
        that(second > first, "the new partition has a new id");
        Table fresh = connect().getTable(path("again"));
        append(fresh, Arrays.asList(of(3, "x")));
        equal(Arrays.asList(3), ids(read(fresh, second, 1)));
    }

    /** A type, a value, and the name of the partition that the value makes. */
    static List<List<Object>> keyTypes() {
        long instant = 1700000000123L;
        return Arrays.asList(
                column(DataTypes.BOOLEAN(), true, "true"),
                column(DataTypes.TINYINT(), (byte) -5, "-5"),
                column(DataTypes.SMALLINT(), (short) 300, "300"),
                column(DataTypes.INT(), -70000, "-70000"),
                column(DataTypes.BIGINT(), 1L << 40, "1099511627776"),
                column(DataTypes.CHAR(3), string("abc"), "abc"),
                column(DataTypes.STRING(), string("a-b_c"), "a-b_c"),
                column(DataTypes.BINARY(2), new byte[] {0, -1}, "00ff"),
                column(DataTypes.BYTES(), new byte[] {1, 2, -1}, "0102ff"),
                column(DataTypes.DATE(), 20787, "2026-11-30"),
                column(DataTypes.TIME(3), 3723004, "01-02-03_004"),
                column(DataTypes.FLOAT(), 1.5f, "1_5"),
                column(DataTypes.DOUBLE(), -1.0e10, "-1_0E10"),
                column(DataTypes.TIMESTAMP(3), TimestampNtz.fromMillis(instant), "2023-11-14-22-13-20_123"),
                column(
                        DataTypes.TIMESTAMP(9),
                        TimestampNtz.fromMillis(instant, 456789),
                        "2023-11-14-22-13-20_123456789"),
                column(
                        DataTypes.TIMESTAMP_LTZ(3),
                        TimestampLtz.fromEpochMillis(1700000000000L),
                        "2023-11-14-22-13-20_"));
    }

    private void keyType(DataType type, Object value, String name) throws Exception {
        String table = "type_" + type.getTypeRoot().name().toLowerCase() + "_" + name.length();
        Schema log = Schema.newBuilder().column("id", DataTypes.INT()).column("p", type).build();
        Table logTable = createPartitioned(table, log, 1, "p");
        append(logTable, Arrays.asList(of(1, value), of(2, value)));
        equal(Collections.singleton(name), partitions(logTable).keySet());
        equal(Arrays.asList(1, 2), ids(read(logTable, partitions(logTable).get(name), 2)));

        Schema keyed = schema(key("id", "p"), "id", DataTypes.INT(), "p", type, "v", DataTypes.INT());
        Table keyTable = createPartitioned(table + "_keyed", keyed, 1, "p");
        upsert(keyTable, of(1, value, 10), of(1, value, 11));
        equal(Collections.singleton(name), partitions(keyTable).keySet());
        that(lookup(keyTable, 1, value).endsWith(", 11]"), lookup(keyTable, 1, value));
    }
}
