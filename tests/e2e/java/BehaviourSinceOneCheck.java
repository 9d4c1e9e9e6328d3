import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.fluss.client.lookup.TypedLookuper;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.MultiTableRecord;
import org.apache.fluss.client.table.scanner.TypedScanRecord;
import org.apache.fluss.client.table.scanner.log.MultiTableLogScanner;
import org.apache.fluss.client.table.scanner.log.TypedLogScanner;
import org.apache.fluss.client.table.writer.MultiTableWriteRecord;
import org.apache.fluss.client.table.writer.MultiTableWriter;
import org.apache.fluss.client.table.writer.TypedAppendWriter;
import org.apache.fluss.client.table.writer.TypedUpsertWriter;
import org.apache.fluss.client.table.writer.UpsertResult;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.exception.TableNotExistException;
import org.apache.fluss.metadata.PartitionInfo;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TableChange;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.types.DataTypes;

/**
 * Behaviours of the Java client 1.0.0 that the official project checks, and that no other program here has.
 *
 * <p>Arguments: bootstrap server, an empty database for the tables.
 */
public final class BehaviourSinceOneCheck extends Checks {
    BehaviourSinceOneCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new BehaviourSinceOneCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("end offsets of upserts", this::endOffsetsOfUpserts);
        check("objects in a log", this::objectsInALog);
        check("objects by key", this::objectsByKey);
        check("several tables written", this::severalTablesWritten);
        check("several tables read", this::severalTablesRead);
        check("several tables, one of partitions", this::severalTablesOneOfPartitions);
        check("several tables, a new column", this::severalTablesANewColumn);
        check("dropped and created again under a scan", this::droppedAndCreatedAgain);
    }

    /** The end of the changelog behind the batch that the row was in, which grows. */
    private void endOffsetsOfUpserts() throws Exception {
        Table table = create("ends", describe(KEYED, 1).build());
        UpsertWriter writer = table.newUpsert().createWriter();
        TableBucket bucket = new TableBucket(table.getTableInfo().getTableId(), 0);
        List<Long> ends = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            UpsertResult result = flushed(writer, GenericRow.of(1, string("v" + i)));
            equal(bucket, result.getBucket());
            ends.add(result.getLogEndOffset());
        }
        equal(Arrays.asList(1L, 3L, 5L), ends);
        java.util.concurrent.Future<?> deleted = writer.delete(GenericRow.of(1, null));
        writer.flush();
        get(deleted);
        List<java.util.concurrent.CompletableFuture<UpsertResult>> together = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            together.add(writer.upsert(row(i + 10)));
        }
        writer.flush();
        long last = 0;
        for (java.util.concurrent.CompletableFuture<UpsertResult> each : together) {
            that(get(each).getLogEndOffset() >= last, "ends of a bucket do not go back");
            last = get(each).getLogEndOffset();
        }
        equal(16L, last);
    }

    private static UpsertResult flushed(UpsertWriter writer, GenericRow row) throws Exception {
        java.util.concurrent.CompletableFuture<UpsertResult> result = writer.upsert(row);
        writer.flush();
        return get(result);
    }

    /** A row as an object of a class. */
    public static final class Person {
        public Integer id;
        public String name;
        public LocalDate born;
        public List<Integer> marks;

        public Person() {}

        Person(Integer id, String name, LocalDate born, List<Integer> marks) {
            this.id = id;
            this.name = name;
            this.born = born;
            this.marks = marks;
        }

        @Override
        public boolean equals(Object other) {
            Person person = (Person) other;
            return Objects.equals(id, person.id)
                    && Objects.equals(name, person.name)
                    && Objects.equals(born, person.born)
                    && Objects.equals(marks, person.marks);
        }

        @Override
        public int hashCode() {
            return Objects.hash(id, name, born, marks);
        }

        @Override
        public String toString() {
            return id + " " + name + " " + born + " " + marks;
        }
    }

    private static final List<Person> PEOPLE =
            Arrays.asList(
                    new Person(1, "Ada", LocalDate.of(1815, 12, 10), Arrays.asList(1, 2)),
                    new Person(2, null, null, null),
                    new Person(3, "Grace", LocalDate.of(1906, 12, 9), Arrays.asList()));

    private static Schema.Builder people() {
        return Schema.newBuilder()
                .column("id", DataTypes.INT())
                .column("name", DataTypes.STRING())
                .column("born", DataTypes.DATE())
                .column("marks", DataTypes.ARRAY(DataTypes.INT()));
    }

    private void objectsInALog() throws Exception {
        Table table = create("people", describe(people().build(), 1).build());
        TypedAppendWriter<Person> writer = table.newAppend().createTypedWriter(Person.class);
        for (Person person : PEOPLE) {
            writer.append(person);
        }
        writer.flush();
        TypedLogScanner<Person> scanner = table.newScan().createTypedLogScanner(Person.class);
        scanner.subscribeFromBeginning(0);
        List<Person> found = new ArrayList<>();
        waitUntil(
                "all people",
                () -> {
                    for (TypedScanRecord<Person> record : scanner.poll(POLL)) {
                        found.add(record.getValue());
                    }
                    return found.size() >= PEOPLE.size();
                });
        equal(PEOPLE, found);
    }

    /** A key as an object. */
    public static final class Id {
        public Integer id;

        public Id() {}

        Id(int id) {
            this.id = id;
        }
    }

    private void objectsByKey() throws Exception {
        Table table = create("keyed_people", describe(people().primaryKey("id").build(), 2).build());
        TypedUpsertWriter<Person> writer = table.newUpsert().createTypedWriter(Person.class);
        for (Person person : PEOPLE) {
            writer.upsert(person);
        }
        writer.flush();
        writer.delete(PEOPLE.get(2));
        writer.flush();
        TypedLookuper<Id> lookuper = table.newLookup().createTypedLookuper(Id.class);
        equal("Ada", get(lookuper.lookup(new Id(1))).getSingletonRow().getString(1).toString());
        that(get(lookuper.lookup(new Id(2))).getSingletonRow().isNullAt(1), "a null stays null");
        equal(null, get(lookuper.lookup(new Id(3))).getSingletonRow());
    }

    private static final int FIRST_SCHEMA = 1;

    private void severalTablesWritten() throws Exception {
        Table log = create("multi_log");
        Table keyed = create("multi_keyed", describe(KEYED, 2).build());
        try (MultiTableWriter writer = connection.getMultiTable().newMultiTableWrite().createWriter()) {
            for (int id = 0; id < 20; id++) {
                writer.write(MultiTableWriteRecord.forAppend(path("multi_log"), row(id), FIRST_SCHEMA));
                writer.write(MultiTableWriteRecord.forUpsert(path("multi_keyed"), row(id), FIRST_SCHEMA));
            }
            writer.write(MultiTableWriteRecord.forDelete(path("multi_keyed"), row(7), FIRST_SCHEMA));
            writer.flush();
            fails(
                    TableNotExistException.class,
                    () -> rootCause(() -> get(writer.write(
                            MultiTableWriteRecord.forAppend(path("absent"), row(1), FIRST_SCHEMA)))),
                    "absent");
        }
        equal(range(0, 20), ids(read(log, 20)));
        equal(null, get(keyed.newLookup().createLookuper().lookup(GenericRow.of(7))).getSingletonRow());
        equal(21, read(keyed, 21).size());
    }

    private static Map<TablePath, List<Integer>> idsByTable(MultiTableLogScanner scanner, int count) throws Exception {
        Map<TablePath, List<Integer>> found = new HashMap<>();
        int[] seen = {0};
        waitUntil(
                count + " records",
                () -> {
                    for (MultiTableRecord record : scanner.poll(POLL)) {
                        found.computeIfAbsent(record.getTablePath(), path -> new ArrayList<>())
                                .add(record.getRow().getInt(0));
                        seen[0]++;
                    }
                    return seen[0] >= count;
                });
        equal(count, seen[0]);
        return found;
    }

    private void severalTablesRead() throws Exception {
        Map<TablePath, List<Integer>> expected = new HashMap<>();
        MultiTableLogScanner scanner = connection.getMultiTable().newMultiTableScan().createLogScanner();
        for (int i = 0; i < 3; i++) {
            append(create("read_" + i), i * 100, i * 100 + 10);
            expected.put(path("read_" + i), range(i * 100, i * 100 + 10));
            scanner.subscribeFromBeginning(path("read_" + i), 0);
        }
        equal(expected, idsByTable(scanner, 30));
        scanner.unsubscribe(path("read_0"), 0);
        append(connection.getTable(path("read_0")), 0, 5);
        append(connection.getTable(path("read_1")), 0, 5);
        Map<TablePath, List<Integer>> one = new HashMap<>();
        one.put(path("read_1"), range(0, 5));
        equal(one, idsByTable(scanner, 5));
        scanner.close();
    }

    private void severalTablesOneOfPartitions() throws Exception {
        Schema schema = Schema.newBuilder().column("id", DataTypes.INT()).column("p", DataTypes.STRING()).build();
        Table parts = create("multi_parts", describe(schema, 1).partitionedBy("p").build());
        append(create("multi_plain"), 0, 3);
        append(parts, Arrays.asList(GenericRow.of(10, string("a")), GenericRow.of(11, string("b"))));
        MultiTableLogScanner scanner = connection.getMultiTable().newMultiTableScan().createLogScanner();
        scanner.subscribeFromBeginning(path("multi_plain"), 0);
        for (PartitionInfo partition : get(admin.listPartitionInfos(path("multi_parts")))) {
            scanner.subscribeFromBeginning(path("multi_parts"), partition.getPartitionId(), 0);
        }
        Map<TablePath, List<Integer>> found = idsByTable(scanner, 5);
        equal(range(0, 3), found.get(path("multi_plain")));
        equal(2, found.get(path("multi_parts")).size());
        scanner.close();
    }

    /** Rows come with the schema that they were written with. */
    private void severalTablesANewColumn() throws Exception {
        append(create("multi_wide"), 0, 2);
        get(
                admin.alterTable(
                        path("multi_wide"),
                        java.util.Collections.singletonList(
                                TableChange.addColumn(
                                        "more", DataTypes.INT(), null, TableChange.ColumnPosition.last())),
                        false));
        waitUntil("the new schema", () -> get(admin.getTableSchema(path("multi_wide"))).getSchemaId() == 2);
        append(
                connect().getTable(path("multi_wide")),
                Arrays.asList(GenericRow.of(2, string("x"), 5), GenericRow.of(3, string("y"), 6)));
        MultiTableLogScanner scanner = connection.getMultiTable().newMultiTableScan().createLogScanner();
        scanner.subscribeFromBeginning(path("multi_wide"), 0);
        Map<Integer, Integer> widths = new TreeMap<>();
        waitUntil(
                "four rows",
                () -> {
                    for (MultiTableRecord record : scanner.poll(POLL)) {
                        widths.put(record.getRow().getInt(0), record.getSchema().getRowType().getFieldCount());
                    }
                    return widths.size() == 4;
                });
        Map<Integer, Integer> expected = new TreeMap<>();
        for (int id = 0; id < 4; id++) {
            expected.put(id, id < 2 ? 2 : 3);
        }
        equal(expected, widths);
        scanner.close();
    }

    /** A scan of the table that was dropped says so; a new one reads the new table. */
    private void droppedAndCreatedAgain() throws Exception {
        append(create("again"), 0, 3);
        MultiTableLogScanner scanner = connection.getMultiTable().newMultiTableScan().createLogScanner();
        scanner.subscribeFromBeginning(path("again"), 0);
        idsByTable(scanner, 3);
        get(admin.dropTable(path("again"), false));
        append(create("again"), 5, 7);
        MultiTableLogScanner next = connect().getMultiTable().newMultiTableScan().createLogScanner();
        next.subscribeFromBeginning(path("again"), 0);
        equal(range(5, 7), idsByTable(next, 2).get(path("again")));
        scanner.close();
        next.close();
    }
}
