import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Future;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.writer.AppendWriter;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.exception.InvalidConfigException;
import org.apache.fluss.exception.InvalidPartitionException;
import org.apache.fluss.exception.InvalidTableException;
import org.apache.fluss.exception.PartitionNotExistException;
import org.apache.fluss.exception.TooManyBucketsException;
import org.apache.fluss.exception.TooManyPartitionsException;
import org.apache.fluss.metadata.PartitionInfo;
import org.apache.fluss.metadata.PartitionSpec;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TableInfo;
import org.apache.fluss.record.ChangeType;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.types.DataTypes;

/**
 * Behaviours that the official project checks with its own client, and that no other program here has; for client 0.9.1
 * and 1.0.0.
 *
 * <p>Arguments: bootstrap server with max.partition.num 10 and max.bucket.num 30, an empty database for the tables.
 */
public final class BehaviourCheck extends Checks {
    static final Schema BY_DAY =
            Schema.newBuilder().column("id", DataTypes.INT()).column("day", DataTypes.STRING()).build();
    // Too little for what the checks write: writers wait for room.
    static final String[] SMALL = {
        "client.writer.buffer.memory-size", "64kb",
        "client.writer.batch-size", "2kb",
        "client.writer.buffer.page-size", "1kb"
    };

    BehaviourCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new BehaviourCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("append with a small buffer", this::appendWithASmallBuffer);
        check("upsert with a small buffer", this::upsertWithASmallBuffer);
        check("a new table at once", this::aNewTableAtOnce);
        check("a new keyed table at once", this::aNewKeyedTableAtOnce);
        check("changes in a compacted log", this::changesInACompactedLog);
        check("from the end of a compacted log", this::fromTheEndOfACompactedLog);
        check("partition unsubscribed", this::partitionUnsubscribed);
        check("partition that is not there", this::partitionThatIsNotThere);
        check("days with dashes", this::daysWithDashes);
        check("value that is no day", this::valueThatIsNoDay);
        check("too many partitions", this::tooManyPartitions);
        check("too many buckets", this::tooManyBuckets);
        check("local ttl", this::localTtl);
        check("many connections", this::manyConnections);
    }

    private void appendWithASmallBuffer() throws Exception {
        create("small_log");
        append(connect(SMALL).getTable(path("small_log")), 0, 5000);
        equal(range(0, 5000), ids(read(connection.getTable(path("small_log")), 5000)));
    }

    private void upsertWithASmallBuffer() throws Exception {
        create("small_keyed", describe(KEYED, 1).build());
        UpsertWriter writer = connect(SMALL).getTable(path("small_keyed")).newUpsert().createWriter();
        for (int id = 0; id < 3000; id++) {
            writer.upsert(row(id % 1000));
        }
        writer.flush();
        Lookuper lookuper = connection.getTable(path("small_keyed")).newLookup().createLookuper();
        for (int id = 0; id < 1000; id += 37) {
            equal("row " + id, get(lookuper.lookup(GenericRow.of(id))).getSingletonRow().getString(1).toString());
        }
    }

    /** Nobody waits between the creation and the first row. */
    private void aNewTableAtOnce() throws Exception {
        for (int i = 0; i < 5; i++) {
            Table table = create("at_once_" + i, describe(ID_AND_NAME, 3).build());
            append(table, 0, 10);
            equal(10, read(table, 10).size());
        }
    }

    private void aNewKeyedTableAtOnce() throws Exception {
        Table table = create("keyed_at_once", describe(KEYED, 3).build());
        Lookuper lookuper = table.newLookup().createLookuper();
        equal(null, get(lookuper.lookup(GenericRow.of(1))).getSingletonRow());
        UpsertWriter writer = table.newUpsert().createWriter();
        writer.upsert(row(1));
        writer.flush();
        equal("row 1", get(lookuper.lookup(GenericRow.of(1))).getSingletonRow().getString(1).toString());
    }

    private TableDescriptor compactedLog() {
        return describe(KEYED, 1).property("table.log.format", "COMPACTED").build();
    }

    private void changesInACompactedLog() throws Exception {
        Table table = create("compacted", compactedLog());
        UpsertWriter writer = table.newUpsert().createWriter();
        for (String name : Arrays.asList("a", "b")) {
            writer.upsert(GenericRow.of(1, string(name)));
            writer.flush();
        }
        writer.delete(GenericRow.of(1, null));
        writer.flush();
        List<String> changes = new ArrayList<>();
        for (ScanRecord record : read(table, 4)) {
            changes.add(record.getChangeType().shortString() + record.getRow().getString(1));
        }
        equal(Arrays.asList("+Ia", "-Ua", "+Ub", "-Db"), changes);
    }

    private void fromTheEndOfACompactedLog() throws Exception {
        Table table = create("compacted_end", compactedLog());
        UpsertWriter writer = table.newUpsert().createWriter();
        writer.upsert(row(1));
        writer.flush();
        LogScanner scanner = table.newScan().createLogScanner();
        scanner.subscribe(0, 1);
        equal(Collections.emptyList(), poll(scanner, POLL));
        writer.upsert(row(2));
        writer.flush();
        List<ScanRecord> records = read(scanner, 1);
        equal(ChangeType.INSERT, records.get(0).getChangeType());
        equal(1L, records.get(0).logOffset());
    }

    private Table byDay(String name, String... properties) throws Exception {
        TableDescriptor.Builder descriptor = describe(BY_DAY, 1).partitionedBy("day");
        for (int i = 0; i < properties.length; i += 2) {
            descriptor.property(properties[i], properties[i + 1]);
        }
        return create(name, descriptor.build());
    }

    private static GenericRow dayRow(int id, String day) {
        return GenericRow.of(id, string(day));
    }

    private static PartitionSpec day(String value) {
        return new PartitionSpec(Collections.singletonMap("day", value));
    }

    private void partitionUnsubscribed() throws Exception {
        Table table = byDay("unsubscribed");
        append(table, Arrays.asList(dayRow(1, "a"), dayRow(2, "b")));
        LogScanner scanner = table.newScan().createLogScanner();
        List<PartitionInfo> partitions = get(admin.listPartitionInfos(path("unsubscribed")));
        for (PartitionInfo partition : partitions) {
            scanner.subscribeFromBeginning(partition.getPartitionId(), 0);
        }
        List<ScanRecord> records = new ArrayList<>();
        waitUntil("both rows", () -> records.addAll(poll(scanner, POLL)) && records.size() == 2);
        long quiet = partitions.get(0).getPartitionName().equals("a")
                ? partitions.get(0).getPartitionId()
                : partitions.get(1).getPartitionId();
        scanner.unsubscribe(quiet, 0);
        append(table, Arrays.asList(dayRow(3, "a"), dayRow(4, "b")));
        equal(Collections.singletonList(4), ids(read(scanner, 1)));
    }

    private void partitionThatIsNotThere() throws Exception {
        Table table = byDay("not_there");
        fails(
                PartitionNotExistException.class,
                () -> table.newScan().createLogScanner().subscribe(123456789L, 0, 0));
        Connection careful = connect("client.writer.dynamic-create-partition.enabled", "false");
        AppendWriter writer = careful.getTable(path("not_there")).newAppend().createWriter();
        fails(PartitionNotExistException.class, () -> rootCause(() -> get(writer.append(dayRow(1, "x")))), "x");
        equal(Collections.emptyList(), get(admin.listPartitionInfos(path("not_there"))));
    }

    /** A writer creates partitions of the table's own pattern. */
    private void daysWithDashes() throws Exception {
        java.time.LocalDate today = java.time.LocalDate.now(java.time.ZoneOffset.UTC);
        Table table =
                byDay(
                        "dashes",
                        "table.auto-partition.enabled", "true",
                        "table.auto-partition.time-unit", "DAY",
                        "table.auto-partition.time-format", "yyyy-MM-dd",
                        "table.auto-partition.num-precreate", "1");
        List<GenericRow> rows = new ArrayList<>();
        TreeSet<String> expected = new TreeSet<>();
        for (int i = 0; i < 4; i++) {
            String text = today.plusDays(i - 1).toString();
            expected.add(text);
            rows.add(dayRow(i, text));
        }
        append(table, rows);
        TreeSet<String> names = new TreeSet<>();
        for (PartitionInfo partition : get(admin.listPartitionInfos(path("dashes")))) {
            names.add(partition.getPartitionName());
        }
        equal(expected, names);
        equal(1, get(admin.listPartitionInfos(path("dashes"), day(today.toString()))).size());
    }

    private void valueThatIsNoDay() throws Exception {
        Table table = byDay("no_day", "table.auto-partition.enabled", "true", "table.auto-partition.time-unit", "DAY");
        fails(
                InvalidPartitionException.class,
                () -> get(admin.createPartition(path("no_day"), day("hi"), false)),
                "hi");
        AppendWriter writer = table.newAppend().createWriter();
        fails(Exception.class, () -> get(writer.append(dayRow(1, "hi"))));
        equal(2, get(admin.listPartitionInfos(path("no_day"))).size());
    }

    private void tooManyPartitions() throws Exception {
        Table table = byDay("many");
        for (int i = 0; i < 10; i++) {
            get(admin.createPartition(path("many"), day("p" + i), false));
        }
        fails(
                TooManyPartitionsException.class,
                () -> get(admin.createPartition(path("many"), day("p10"), false)),
                "10");
        fails(TooManyPartitionsException.class, () -> rootCause(() -> appendUntilRefused(table)));
        append(connect().getTable(path("many")), Collections.singletonList(dayRow(1, "p9")));
    }

    /** The client creates the partition aside; its failure ends the rows that wait at that moment. */
    private static void appendUntilRefused(Table table) throws Exception {
        AppendWriter writer = table.newAppend().createWriter();
        List<Future<?>> waiting = new ArrayList<>();
        waitUntil(
                "a refusal",
                () -> {
                    waiting.add(writer.append(dayRow(1, "p11")));
                    for (Future<?> row : waiting) {
                        if (row.isDone()) {
                            get(row);
                        }
                    }
                    return false;
                });
    }

    private void tooManyBuckets() throws Exception {
        fails(TooManyBucketsException.class, () -> create("buckets", describe(ID_AND_NAME, 31).build()), "30");
        create("buckets", describe(ID_AND_NAME, 30).build());
        TableDescriptor descriptor = describe(BY_DAY, 30).partitionedBy("day").build();
        create("buckets_of_partitions", descriptor);
        for (int i = 0; i < 3; i++) {
            get(admin.createPartition(path("buckets_of_partitions"), day("p" + i), false));
        }
        TableDescriptor wide = describe(BY_DAY, 31).partitionedBy("day").build();
        fails(TooManyBucketsException.class, () -> create("wide", wide), "30");
    }

    private void localTtl() throws Exception {
        TableDescriptor.Builder longer = describe(ID_AND_NAME, 1);
        longer.property("table.log.local-ttl", "2 d").property("table.log.ttl", "1 d");
        fails(InvalidConfigException.class, () -> create("ttl", longer.build()), "table.log.local-ttl");
        TableDescriptor.Builder endless = describe(ID_AND_NAME, 1);
        create("ttl", endless.property("table.log.local-ttl", "1 d").property("table.log.ttl", "0 s").build());
        fails(
                InvalidTableException.class,
                () -> create("named", describe(
                        Schema.newBuilder().column("__offset", DataTypes.INT()).build(), 1).build()),
                "__offset");
        TableInfo info = get(admin.getTableInfo(path("ttl")));
        equal("1 d", info.getProperties().toMap().get("table.log.local-ttl"));
    }

    private void manyConnections() throws Exception {
        create("shared");
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            connections.add(connect());
        }
        for (int i = 0; i < 5; i++) {
            append(connections.get(i).getTable(path("shared")), i * 10, i * 10 + 10);
        }
        connections.get(0).close();
        equal(range(0, 50), ids(read(connections.get(1).getTable(path("shared")), 50)));
    }
}
