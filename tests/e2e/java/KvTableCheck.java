import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.admin.KvSnapshotLease;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.metadata.KvSnapshotMetadata;
import org.apache.fluss.client.metadata.KvSnapshots;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.writer.DeleteResult;
import org.apache.fluss.client.table.writer.UpsertResult;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.exception.DeletionDisabledException;
import org.apache.fluss.exception.InvalidTableException;
import org.apache.fluss.exception.KvSnapshotNotExistException;
import org.apache.fluss.exception.NonPrimaryKeyTableException;
import org.apache.fluss.metadata.AggFunctions;
import org.apache.fluss.metadata.KvFormat;
import org.apache.fluss.metadata.LogFormat;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableChange;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.InternalRow;
import org.apache.fluss.rpc.protocol.MergeMode;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;
import org.apache.fluss.types.RowType;

/**
 * What the official Java client does with primary-key tables; for client 0.9.1 and 1.0.0. The server takes snapshots
 * every few hundred milliseconds.
 *
 * <p>Arguments: bootstrap server, an empty database for the tables. Runs also what KvSinceOneCheck holds when that
 * class is there.
 */
public final class KvTableCheck extends KvChecks {
    KvTableCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new KvTableCheck(arguments[0], arguments[1]).runAll();
        try {
            Class<?> newer = Class.forName("KvSinceOneCheck");
            Object checks = newer.getConstructor(String.class, String.class).newInstance((Object[]) arguments);
            ((Checks) checks).runAll();
        } catch (ClassNotFoundException e) {
            // compiled against a client before 1.0
        }
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("upsert and delete", this::upsertAndDelete);
        check("absent key", this::absentKey);
        check("many writers", this::manyWriters);
        for (String formats :
                new String[] {"ARROW COMPACTED", "COMPACTED COMPACTED", "ARROW INDEXED", "INDEXED INDEXED"}) {
            check("types " + formats, () -> types(formats));
        }
        check("key types", this::keyTypes);
        check("composite key", this::compositeKey);
        check("lookup batches", this::lookupBatches);
        check("prefix lookup", this::prefixLookup);
        check("partial update", this::partialUpdate);
        check("partial delete", this::partialDelete);
        check("target columns", this::targetColumns);
        check("first row", this::firstRow);
        check("versioned", this::versioned);
        check("sums", this::sums);
        check("texts", this::texts);
        check("first and last", this::firstAndLast);
        check("bitmaps", this::bitmaps);
        check("partial aggregation", this::partialAggregation);
        check("overwrite", this::overwrite);
        check("delete behaviors", this::deleteBehaviors);
        check("new images", this::newImages);
        check("auto increment", this::autoIncrement);
        check("insert if not exists", this::insertIfNotExists);
        check("changelog projection", this::changelogProjection);
        check("changelog offsets", this::changelogOffsets);
        check("array changelog", this::arrayChangelog);
        check("limit scan", this::limitScan);
        check("table stats", this::tableStats);
        check("added column", this::addedColumn);
        check("wrong kind of table", this::wrongKindOfTable);
        check("snapshot scan", this::snapshotScan);
        check("snapshot of many files", this::snapshotOfManyFiles);
        check("snapshots and leases", this::snapshotsAndLeases);
    }

    // --- writing ----------------------------------------------------------------------------------

    private void upsertAndDelete() throws Exception {
        Table table = createKeyed("plain");
        UpsertWriter writer = table.newUpsert().createWriter();
        Future<UpsertResult> first = writer.upsert(of(1, "a"));
        writer.flush();
        equal(bucket(table, 0), get(first).getBucket());
        equal(1L, get(first).getLogEndOffset());
        upsert(writer, of(1, "b"), of(2, null));
        Future<DeleteResult> gone = writer.delete(of(1, null));
        writer.flush();
        equal(5L, get(gone).getLogEndOffset());
        List<ScanRecord> records = read(table, 5);
        List<String> expected = list("+I [1, a]", "-U [1, a]", "+U [1, b]", "+I [2, null]", "-D [1, b]");
        equal(expected, changes(records, typeOf(table)));
        equal(Arrays.asList(0L, 1L, 2L, 3L, 4L), offsets(records));
        equal("none", lookup(table, 1));
        equal("[2, null]", lookup(table, 2));
    }

    /** Its delete takes an offset without a record, and the writer goes on. */
    private void absentKey() throws Exception {
        Table table = createKeyed("absent");
        delete(table, of(1, null));
        upsert(table, of(1, "2"));
        List<ScanRecord> records = read(table, 1);
        equal(list("+I [1, 2]"), changes(records, typeOf(table)));
        equal(Arrays.asList(1L), offsets(records));
    }

    /** Eight connections, keys of their own over three buckets, every value but the last replaced. */
    private void manyWriters() throws Exception {
        Table table = createKeyed("writers", KEYED, 3);
        List<Thread> threads = new ArrayList<>();
        List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
        for (int w = 0; w < 8; w++) {
            int number = w;
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    Connection own = connect("client.writer.batch-timeout", "1 ms");
                                    UpsertWriter writer = own.getTable(path("writers")).newUpsert().createWriter();
                                    for (int i = 0; i < 25; i++) {
                                        upsert(writer, of(number * 5 + i % 5, "version " + i));
                                    }
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
        for (int key = 0; key < 40; key++) {
            equal("[" + key + ", version " + (20 + key % 5) + "]", lookup(table, key));
        }
        equal(40L, get(admin.getTableStats(path("writers"))).getRowCount());
        equal(40 + 20 * 8 * 2, read(table, 40 + 20 * 8 * 2).size());
    }

    // --- formats, types and keys ------------------------------------------------------------------

    /** Extremes and nulls of every type from a lookup, the changelog and a limit scan. */
    private void types(String formats) throws Exception {
        String[] words = formats.split(" ");
        List<List<Object>> columns = typesAndValues();
        Schema.Builder builder = Schema.newBuilder().column("key", DataTypes.INT());
        int depth = 0;
        for (int c = 0; c < columns.size(); c++) {
            builder.column("c" + c, (DataType) columns.get(c).get(0));
            depth = Math.max(depth, columns.get(c).size() - 1);
        }
        Schema schema = builder.primaryKey("key").build();
        TableDescriptor.Builder descriptor = describe(schema, 1);
        descriptor.logFormat(LogFormat.fromString(words[0])).kvFormat(KvFormat.fromString(words[1]));
        Table table = create("types_" + formats.replace(' ', '_').toLowerCase(), descriptor.build());
        RowType type = typeOf(table);
        List<GenericRow> rows = new ArrayList<>();
        for (int r = 0; r <= depth; r++) {
            GenericRow row = new GenericRow(columns.size() + 1);
            row.setField(0, r);
            for (int c = 0; c < columns.size(); c++) {
                row.setField(c + 1, r + 1 < columns.get(c).size() ? columns.get(c).get(r + 1) : null);
            }
            rows.add(row);
        }
        upsert(table, rows.toArray(new GenericRow[0]));
        // Before the next answer comes: the rows of records lie in the memory of the one that brought them.
        List<ScanRecord> records = read(table, rows.size());
        for (int r = 0; r < rows.size(); r++) {
            sameValues("change " + r, type, Values.ofRow(rows.get(r), type), records.get(r).getRow());
        }
        Lookuper lookuper = table.newLookup().createLookuper();
        for (int r = 0; r < rows.size(); r++) {
            InternalRow found = get(lookuper.lookup(of(r))).getSingletonRow();
            sameValues("lookup of row " + r, type, Values.ofRow(rows.get(r), type), found);
        }
        equal(rows.size(), limited(table, 1000).size());
    }

    private static void sameValues(String what, RowType type, List<Object> expected, InternalRow row) {
        that(row != null, what + ": not found");
        List<Object> actual = Values.ofRow(row, type);
        for (int c = 0; c < expected.size(); c++) {
            boolean same = java.util.Objects.equals(expected.get(c), actual.get(c));
            String values = brief(actual.get(c)) + ", not " + brief(expected.get(c));
            that(same, what + ", " + type.getTypeAt(c) + ": " + values);
        }
    }

    private static String brief(Object value) {
        String text = String.valueOf(value);
        return text.length() < 100 ? text : "..." + text.substring(text.length() - 50) + " of " + text.length();
    }

    /** Every type that a key may have, all its values, found again under both formats. */
    private void keyTypes() throws Exception {
        int number = 0;
        for (List<Object> column : typesAndValues()) {
            DataType type = (DataType) column.get(0);
            switch (type.getTypeRoot()) {
                case ARRAY:
                case MAP:
                case ROW:
                    continue;
                default:
            }
            TableDescriptor.Builder descriptor = describe(schema(key("k"), "v", DataTypes.INT(), "k", type), 3);
            descriptor.kvFormat(number % 2 == 0 ? KvFormat.COMPACTED : KvFormat.INDEXED);
            Table table = create("key_" + number++, descriptor.build());
            List<GenericRow> rows = new ArrayList<>();
            for (int i = 1; i < column.size(); i++) {
                rows.add(of(i, column.get(i)));
            }
            upsert(table, rows.toArray(new GenericRow[0]));
            for (GenericRow row : rows) {
                Lookuper lookuper = table.newLookup().createLookuper();
                InternalRow found = get(lookuper.lookup(of(row.getField(1)))).getSingletonRow();
                sameValues("key", typeOf(table), Values.ofRow(row, typeOf(table)), found);
            }
            delete(table, rows.get(0));
            equal("none", lookup(table, rows.get(0).getField(1)));
        }
    }

    /** Key columns between others, in another order than in the row. */
    private void compositeKey() throws Exception {
        Schema schema =
                schema(
                        key("c", "a"),
                        "a", DataTypes.INT(),
                        "b", DataTypes.STRING(),
                        "c", DataTypes.STRING(),
                        "d", DataTypes.BIGINT());
        Table table = createKeyed("composite", schema, 2);
        upsert(table, of(1, "one", "x", 3L), of(1, null, "y", 4L), of(1, "two", "x", null));
        equal("[1, two, x, null]", lookup(table, "x", 1));
        equal("[1, null, y, 4]", lookup(table, "y", 1));
        equal("none", lookup(table, "z", 1));
        delete(table, of(1, null, "x", null));
        equal("none", lookup(table, "x", 1));
    }

    private void lookupBatches() throws Exception {
        Table table = createKeyed("lookups", KEYED, 3);
        List<GenericRow> rows = new ArrayList<>();
        for (int id = 0; id < 2000; id += 2) {
            rows.add(row(id));
        }
        upsert(table, rows.toArray(new GenericRow[0]));
        Lookuper lookuper = table.newLookup().createLookuper();
        List<Future<org.apache.fluss.client.lookup.LookupResult>> found = new ArrayList<>();
        for (int id = 0; id < 2000; id++) {
            found.add(lookuper.lookup(of(id)));
        }
        for (int id = 0; id < 2000; id++) {
            String expected = id % 2 == 0 ? "[" + id + ", row " + id + "]" : "none";
            equal(expected, text(get(found.get(id)).getSingletonRow(), typeOf(table)));
        }
    }

    /** A prefix is made of whole values: 'ab' does not find 'abc'. */
    private void prefixLookup() throws Exception {
        Schema schema =
                schema(
                        key("a", "b", "c"),
                        "a", DataTypes.STRING(),
                        "v", DataTypes.INT(),
                        "b", DataTypes.INT(),
                        "c", DataTypes.STRING());
        Table table = create("prefix", describe(schema, 3, "a", "b").build());
        String tall = "longer than seven";
        upsert(
                table, of("ab", 1, 1, "x"), of("ab", 2, 1, "a much longer text"), of("ab", 3, 300, "x"),
                of("abc", 4, 1, "x"), of(tall, 5, 1, "y"), of("", 6, 1, ""));
        List<String> columns = Arrays.asList("a", "b");
        equal(list("[ab, 1, 1, x]", "[ab, 2, 1, a much longer text]"), sorted(prefixLookup(table, columns, "ab", 1)));
        equal(list("[ab, 3, 300, x]"), prefixLookup(table, columns, "ab", 300));
        equal(list("[longer than seven, 5, 1, y]"), prefixLookup(table, columns, tall, 1));
        equal(list("[, 6, 1, ]"), prefixLookup(table, columns, "", 1));
        equal(list(), prefixLookup(table, columns, "a", 1));
        equal("[abc, 4, 1, x]", lookup(table, "abc", 1, "x"));
    }

    // --- partial writes ---------------------------------------------------------------------------

    private static final Schema WIDE =
            schema(key("k"), "k", DataTypes.INT(), "a", DataTypes.STRING(), "b", DataTypes.STRING());

    /** What a new row gets beside the targets is null, whatever the writer holds there. */
    private void partialUpdate() throws Exception {
        Table table = createKeyed("partial", WIDE, 1);
        upsert(table.newUpsert().partialUpdate("k", "a").createWriter(), of(1, "x", "y"));
        equal("[1, x, null]", lookup(table, 1));
        upsert(table.newUpsert().partialUpdate(new int[] {0, 2}).createWriter(), of(1, null, "z"));
        upsert(table.newUpsert().partialUpdate("k").createWriter(), of(1, null, null));
        equal("[1, x, z]", lookup(table, 1));
        equal(list("+I [1, x, null]", "-U [1, x, null]", "+U [1, x, z]"), changelog(table, 3));
    }

    private void partialDelete() throws Exception {
        Table table = createKeyed("partial_delete", WIDE, 1);
        upsert(table, of(1, "x", "y"));
        for (String column : new String[] {"a", "b"}) {
            UpsertWriter writer = table.newUpsert().partialUpdate("k", column).createWriter();
            Future<?> result = writer.delete(of(1, null, null));
            writer.flush();
            get(result);
        }
        equal("none", lookup(table, 1));
        equal(list("+I [1, x, y]", "-U [1, x, y]", "+U [1, null, y]", "-D [1, null, y]"), changelog(table, 4));
    }

    private void targetColumns() throws Exception {
        Schema strict =
                schema(key("k"), "k", DataTypes.INT(), "a", DataTypes.STRING(), "b", DataTypes.INT().copy(false));
        Table table = createKeyed("strict", strict, 1);
        upsert(table, of(1, "x", 5));
        fails(
                Exception.class,
                () -> upsert(table.newUpsert().partialUpdate("k", "a").createWriter(), of(1, "x", null)));
        Table wide = createKeyed("wide", WIDE, 1);
        fails(
                Exception.class,
                () -> upsert(wide.newUpsert().partialUpdate("a").createWriter(), of(1, "x", null)));
        equal("[1, x, 5]", lookup(table, 1));
    }

    // --- merge engines ----------------------------------------------------------------------------

    private void firstRow() throws Exception {
        Table table = createKeyed("first_row", KEYED, 1, "table.merge-engine", "first_row");
        upsert(table, of(1, "a"));
        upsert(table, of(1, "b"), of(1, "c"));
        delete(table, of(1, null));
        upsert(table, of(2, "d"), of(1, "e"));
        List<ScanRecord> records = read(table, 2);
        equal(list("+I [1, a]", "+I [2, d]"), changes(records, typeOf(table)));
        // Each batch without a change takes an offset; the client makes one or two of two rows.
        List<Long> offsets = offsets(records);
        equal(0L, offsets.get(0));
        equal(true, offsets.get(1) == 3 || offsets.get(1) == 4);
        equal("[1, a]", lookup(table, 1));
    }

    private void versioned() throws Exception {
        Schema schema =
                schema(key("k"), "k", DataTypes.INT(), "a", DataTypes.STRING(), "v", DataTypes.TIMESTAMP_LTZ(3));
        Table table =
                createKeyed(
                        "versioned", schema, 1,
                        "table.merge-engine", "versioned",
                        "table.merge-engine.versioned.ver-column", "v");
        upsert(table, of(1, "new", instant(2000)));
        upsert(table, of(1, "old", instant(1000)), of(1, "null", null));
        upsert(table, of(1, "same", instant(2000)), of(2, "null", null), of(2, "any", instant(-5)));
        Lookuper lookuper = table.newLookup().createLookuper();
        equal("same", get(lookuper.lookup(of(1))).getSingletonRow().getString(1).toString());
        equal("any", get(lookuper.lookup(of(2))).getSingletonRow().getString(1).toString());
        List<String> kinds = new ArrayList<>();
        for (ScanRecord record : read(table, 6)) {
            kinds.add(record.getChangeType().shortString() + " " + record.getRow().getString(1));
        }
        equal(list("+I new", "-U new", "+U same", "+I null", "-U null", "+U any"), kinds);
    }

    private static Object instant(long millis) {
        return org.apache.fluss.row.TimestampLtz.fromEpochMillis(millis);
    }

    private Table createAggregation(String name, Object... columns) throws Exception {
        List<Object> all = new ArrayList<>(Arrays.asList("k", DataTypes.INT()));
        all.addAll(Arrays.asList(columns));
        return createKeyed(name, schema(key("k"), all.toArray()), 1, "table.merge-engine", "aggregation");
    }

    private void sums() throws Exception {
        Table table =
                createAggregation(
                        "sums",
                        "sum", DataTypes.BIGINT(), AggFunctions.SUM(),
                        "small", DataTypes.TINYINT(), AggFunctions.SUM(),
                        "product", DataTypes.DOUBLE(), AggFunctions.PRODUCT(),
                        "money", DataTypes.DECIMAL(5, 2), AggFunctions.SUM(),
                        "max", DataTypes.STRING(), AggFunctions.MAX(),
                        "min", DataTypes.DATE(), AggFunctions.MIN(),
                        "all", DataTypes.BOOLEAN(), AggFunctions.BOOL_AND(),
                        "any", DataTypes.BOOLEAN(), AggFunctions.BOOL_OR());
        upsert(table, of(1, 1L, (byte) 100, 2.0, decimal("999.50", 5, 2), "b", 10, true, false));
        upsert(table, of(1, 2L, (byte) 100, -1.5, decimal("0.49", 5, 2), "ä", 20, null, true));
        equal("[1, 3, -56, -3.0, 999.99, ä, 10, true, true]", lookup(table, 1));
        upsert(table, of(1, null, null, null, decimal("0.01", 5, 2), "a", -5, false, null));
        equal("[1, 3, -56, -3.0, null, ä, -5, false, true]", lookup(table, 1));
    }

    private void texts() throws Exception {
        Table table =
                createAggregation(
                        "texts",
                        "plain", DataTypes.STRING(), AggFunctions.LISTAGG(),
                        "bars", DataTypes.STRING(), AggFunctions.LISTAGG("|"),
                        "words", DataTypes.STRING(), AggFunctions.STRING_AGG(" and "));
        upsert(table, of(1, "a", null, ""), of(1, "b", "x", "you"), of(1, null, "y", "me"));
        equal("[1, a,b, x|y,  and you and me]", lookup(table, 1));
    }

    private void firstAndLast() throws Exception {
        Table table =
                createAggregation(
                        "first_and_last",
                        "first", DataTypes.STRING(), AggFunctions.FIRST_VALUE(),
                        "first_set", DataTypes.STRING(), AggFunctions.FIRST_VALUE_IGNORE_NULLS(),
                        "last", DataTypes.STRING(), AggFunctions.LAST_VALUE(),
                        "last_set", DataTypes.STRING(), AggFunctions.LAST_VALUE_IGNORE_NULLS(),
                        "plain", DataTypes.STRING());
        upsert(table, of(1, "a", null, "a", "a", "a"));
        upsert(table, of(1, "b", "b", "b", "b", "b"));
        upsert(table, of(1, null, null, null, null, null));
        equal("[1, a, b, null, b, b]", lookup(table, 1));
        delete(table, of(1, null, null, null, null, null));
        equal("[1, a, b, null, b, b]", lookup(table, 1));
    }

    /** Written by RoaringBitmap 1.3.0, whose 64-bit format is its own. */
    private void bitmaps() throws Exception {
        String small = "3a300000020000000000010001000000180000001c000000010005007011";
        String other = "3a3000000200000000000200ffff0000180000001e000000050006000700ffff";
        String both = "3a300000030000000000030001000000ffff000020000000280000002a00000001000500060007007011ffff";
        String large =
                "010200000000000000000200050000000000000001000400000000000000000000000000000000000400000000000000"
                        + "0001010000000000000001000000fe0200000001020200000001000500010201000000701102000000000000"
                        + "000000000001000000";
        Table table =
                createAggregation(
                        "bitmaps",
                        "small", DataTypes.BYTES(), AggFunctions.RBM32(),
                        "large", DataTypes.BYTES(), AggFunctions.RBM64());
        upsert(table, of(1, bytes(small), bytes(large)));
        upsert(table, of(1, bytes(other), bytes(large)));
        InternalRow row = get(table.newLookup().createLookuper().lookup(of(1))).getSingletonRow();
        equal(both, hex(row.getBytes(1)));
        equal(large, hex(row.getBytes(2)));
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(String.format("%02x", each));
        }
        return text.toString();
    }

    private void partialAggregation() throws Exception {
        Table table =
                createAggregation(
                        "partial_aggregation",
                        "sum", DataTypes.INT(), AggFunctions.SUM(),
                        "max", DataTypes.INT(), AggFunctions.MAX());
        UpsertWriter sums = table.newUpsert().partialUpdate("k", "sum").createWriter();
        UpsertWriter maxima = table.newUpsert().partialUpdate("k", "max").createWriter();
        for (int i = 0; i < 4; i++) {
            upsert(sums, of(1, 10 + i, null));
            upsert(maxima, of(1, null, 5 - i));
        }
        equal("[1, 46, 5]", lookup(table, 1));
    }

    /** Replaces past the merge engine, and deletes where the engine ignores deletes. */
    private void overwrite() throws Exception {
        Table table = createAggregation("overwrite", "sum", DataTypes.INT(), AggFunctions.SUM());
        upsert(table, of(1, 5), of(2, 5));
        UpsertWriter undo = table.newUpsert().mergeMode(MergeMode.OVERWRITE).createWriter();
        upsert(undo, of(1, 2));
        Future<?> result = undo.delete(of(2, null));
        undo.flush();
        get(result);
        upsert(table, of(1, 1));
        equal("[1, 3]", lookup(table, 1));
        equal("none", lookup(table, 2));
    }

    private void deleteBehaviors() throws Exception {
        Table ignoring = createKeyed("ignoring", KEYED, 1, "table.delete.behavior", "ignore");
        upsert(ignoring, of(1, "a"));
        delete(ignoring, of(1, null));
        equal("[1, a]", lookup(ignoring, 1));
        Table refusing = createKeyed("refusing", KEYED, 1, "table.delete.behavior", "disable");
        upsert(refusing, of(1, "a"));
        fails(DeletionDisabledException.class, () -> delete(refusing, of(1, null)));
        equal("[1, a]", lookup(refusing, 1));
    }

    private void newImages() throws Exception {
        Table table = createKeyed("new_images", KEYED, 1, "table.changelog.image", "WAL");
        upsert(table, of(1, "a"), of(1, "b"));
        delete(table, of(1, null), of(1, null));
        equal(list("+U [1, a]", "+U [1, b]", "-D [1, b]"), changelog(table, 3));
        fails(InvalidTableException.class, () -> get(admin.getTableStats(path("new_images"))));
    }

    // --- keys that the server completes -----------------------------------------------------------

    private static final Schema NUMBERED =
            Schema.newBuilder()
                    .column("name", DataTypes.STRING())
                    .column("number", DataTypes.INT())
                    .column("note", DataTypes.STRING())
                    .primaryKey("name")
                    .enableAutoIncrement("number")
                    .build();

    private void autoIncrement() throws Exception {
        Table table = createKeyed("numbered", NUMBERED, 1);
        UpsertWriter writer = table.newUpsert().partialUpdate("name", "note").createWriter();
        upsert(writer, of("a", null, "first"), of("b", null, null), of("a", null, "second"));
        equal("[a, 1, second]", lookup(table, "a"));
        equal("[b, 2, null]", lookup(table, "b"));
        fails(Exception.class, () -> upsert(table, of("c", 7, "set")));
        equal("none", lookup(table, "c"));
    }

    private void insertIfNotExists() throws Exception {
        Table table = createKeyed("dictionary", NUMBERED, 2);
        Lookuper lookuper = table.newLookup().enableInsertIfNotExists().createLookuper();
        Set<Integer> numbers = new TreeSet<>();
        for (String name : new String[] {"a", "b", "c", "a", "b"}) {
            InternalRow row = get(lookuper.lookup(of(name))).getSingletonRow();
            equal(name, row.getString(0).toString());
            that(row.isNullAt(2), "a note");
            numbers.add(row.getInt(1));
        }
        equal(3, numbers.size());
        Table plain = createKeyed("inserted");
        upsert(plain, of(1, "a"));
        Lookuper inserting = plain.newLookup().enableInsertIfNotExists().createLookuper();
        equal("[1, a]", lookup(plain, inserting, 1));
        equal("[2, null]", lookup(plain, inserting, 2));
        equal(list("+I [1, a]", "+I [2, null]"), changelog(plain, 2));
    }

    // --- reading ----------------------------------------------------------------------------------

    /** Columns in any order, with change types kept, past batches without records. */
    private void changelogProjection() throws Exception {
        Schema schema =
                schema(
                        key("c"),
                        "a", DataTypes.INT(),
                        "b", DataTypes.STRING(),
                        "c", DataTypes.INT(),
                        "d", DataTypes.ARRAY(DataTypes.INT()),
                        "e", DataTypes.BIGINT());
        Table table = createKeyed("projected", schema, 1);
        upsert(table, of(1, "x", 2, null, 5L));
        delete(table, of(null, null, 9, null, null));
        upsert(table, of(3, "y", 2, org.apache.fluss.row.GenericArray.of(1, 2), 6L));
        delete(table, of(null, null, 2, null, null));
        for (int[] columns : new int[][] {{4, 0}, {1}, {3, 1}, {0, 1, 2, 3, 4}}) {
            RowType type = typeOf(table).project(columns);
            List<ScanRecord> records = read(fromBeginning(table.newScan().project(columns), 1), 4);
            List<String> expected = new ArrayList<>();
            String[][] rows = {{"1", "x", "2", "null", "5"}, {"3", "y", "2", "[1, 2]", "6"}};
            int[] order = {0, 0, 1, 1};
            String[] kinds = {"+I", "-U", "+U", "-D"};
            for (int i = 0; i < 4; i++) {
                List<String> values = new ArrayList<>();
                for (int column : columns) {
                    values.add(rows[order[i]][column]);
                }
                expected.add(kinds[i] + " " + values);
            }
            equal(expected, changes(records, type));
            equal(Arrays.asList(0L, 2L, 3L, 4L), offsets(records));
        }
    }

    private void changelogOffsets() throws Exception {
        Table table = createKeyed("offsets");
        upsert(table, of(1, "a"), of(1, "b"), of(2, "c"));
        delete(table, of(1, null));
        List<String> all = list("+I [1, a]", "-U [1, a]", "+U [1, b]", "+I [2, c]", "-D [1, b]");
        for (int start = 0; start < 5; start++) {
            LogScanner scanner = table.newScan().createLogScanner();
            scanner.subscribe(0, start);
            equal(all.subList(start, 5), changes(read(scanner, 5 - start), typeOf(table)));
        }
    }

    /** More elements of arrays in one batch than rows. */
    private void arrayChangelog() throws Exception {
        Schema schema = schema(key("k"), "k", DataTypes.INT(), "a", DataTypes.ARRAY(DataTypes.INT()));
        Table table = createKeyed("arrays", schema, 1);
        List<GenericRow> rows = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Object[] elements = new Object[10];
            for (int n = 0; n < 10; n++) {
                elements[n] = i + n;
            }
            rows.add(of(i, org.apache.fluss.row.GenericArray.of(elements)));
            expected.add("+I [" + i + ", " + Arrays.toString(elements) + "]");
        }
        upsert(table, rows.toArray(new GenericRow[0]));
        equal(expected, changelog(table, 200));
    }

    private void limitScan() throws Exception {
        Table table = createKeyed("limited");
        equal(list(), limited(table, 5));
        upsert(table, row(3), row(1), row(300), row(2));
        upsert(table, of(2, "new"));
        delete(table, row(1));
        equal(list("[2, new]", "[3, row 3]"), sorted(limited(table, 2)));
        equal(list("[2, new]", "[3, row 3]", "[300, row 300]"), sorted(limited(table, 100)));
        RowType name = typeOf(table).project(new int[] {1});
        equal(list("[new]"), limited(table.newScan().project(new int[] {1}), table, 1, name));
    }

    private void tableStats() throws Exception {
        Table table = createKeyed("stats", KEYED, 3);
        for (int id = 0; id < 50; id++) {
            upsert(table, row(id % 20));
        }
        delete(table, row(3), row(4), row(99));
        equal(18L, get(admin.getTableStats(path("stats"))).getRowCount());
    }

    /** Rows of before and after are read with the new width. */
    private void addedColumn() throws Exception {
        Table table = createKeyed("added");
        for (int id = 0; id < 10; id++) {
            upsert(table, row(id));
        }
        TableChange column =
                TableChange.addColumn("more", DataTypes.INT(), null, TableChange.ColumnPosition.last());
        get(admin.alterTable(path("added"), Collections.singletonList(column), false));
        Table wider = connect().getTable(path("added"));
        equal(3, typeOf(wider).getFieldCount());
        for (int id = 10; id < 20; id++) {
            upsert(wider, of(id, "row " + id, id));
        }
        upsert(wider, of(9, "row 9", 9));
        delete(wider, of(1, null, null), of(2, null, null), of(15, null, null));
        equal(5, limited(wider, 5).size());
        List<String> rows = limited(wider, 100);
        equal(17, rows.size());
        that(rows.contains("[5, row 5, null]"), "an old row: " + rows);
        that(rows.contains("[12, row 12, 12]"), "a new row: " + rows);
        equal("[3, row 3, null]", lookup(wider, 3));
        equal("[9, row 9, 9]", lookup(wider, 9));
        List<String> changes = changelog(wider, 25);
        equal("-U [9, row 9, null]", changes.get(20));
        equal("-D [1, row 1, null]", changes.get(22));
    }

    private void wrongKindOfTable() throws Exception {
        create("log");
        fails(NonPrimaryKeyTableException.class, () -> get(admin.getLatestKvSnapshots(path("log"))));
    }

    // --- snapshots --------------------------------------------------------------------------------

    /** The client downloads the files of a snapshot and reads them with its own RocksDB. */
    private void snapshotScan() throws Exception {
        Table table = createKeyed("snapshot");
        equal(false, get(admin.getLatestKvSnapshots(path("snapshot"))).getSnapshotId(0).isPresent());
        upsert(table, row(3), row(1), row(300), row(-2));
        upsert(table, of(1, "new"));
        delete(table, row(3));
        long id = waitForSnapshot(table, 7);
        upsert(table, of(1, "later"), row(77));
        List<String> rows = readAll(table.newScan().createBatchScanner(bucket(table, 0), id), typeOf(table));
        equal(list("[-2, row -2]", "[1, new]", "[300, row 300]"), sorted(rows));
        int[] columns = {1};
        RowType name = typeOf(table).project(columns);
        List<String> names = readAll(table.newScan().project(columns).createBatchScanner(bucket(table, 0), id), name);
        equal(list("[new]", "[row -2]", "[row 300]"), sorted(names));
    }

    /** Rows over several flushes and snapshots, in both formats. */
    private void snapshotOfManyFiles() throws Exception {
        for (KvFormat format : KvFormat.values()) {
            String name = "files_" + format.toString().toLowerCase();
            Table table = create(name, describe(KEYED, 1).kvFormat(format).build());
            UpsertWriter writer = table.newUpsert().createWriter();
            long end = 0;
            for (int round = 0; round < 2; round++) {
                GenericRow[] rows = new GenericRow[2000];
                for (int i = 0; i < rows.length; i++) {
                    rows[i] = row(round * 1500 + i);
                }
                upsert(writer, rows);
                end += round == 0 ? 2000 : 1500 + 2 * 500;
                waitForSnapshot(table, end);
            }
            long id = waitForSnapshot(table, end);
            List<String> found = readAll(table.newScan().createBatchScanner(bucket(table, 0), id), typeOf(table));
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 3500; i++) {
                expected.add("[" + i + ", row " + i + "]");
            }
            equal(sorted(expected), sorted(found));
        }
    }

    private void snapshotsAndLeases() throws Exception {
        Table table = createKeyed("leased");
        upsert(table, row(1));
        long first = waitForSnapshot(table, 1);
        KvSnapshots latest = get(admin.getLatestKvSnapshots(path("leased")));
        equal(Collections.singleton(0), latest.getBucketIds());
        equal(table.getTableInfo().getTableId(), latest.getTableId());
        KvSnapshotMetadata metadata = get(admin.getKvSnapshotMetadata(bucket(table, 0), first));
        equal(1L, metadata.getLogOffset());
        that(metadata.getSnapshotFiles().size() >= 3, "files: " + metadata.getSnapshotFiles());
        KvSnapshotLease lease = admin.createKvSnapshotLease("java-" + System.nanoTime(), 60_000);
        equal(
                Collections.emptyMap(),
                get(lease.acquireSnapshots(Collections.singletonMap(bucket(table, 0), first)))
                        .getUnavailableSnapshots());
        for (int i = 2; i < 5; i++) {
            upsert(table, row(i));
            waitForSnapshot(table, i);
        }
        get(lease.renew());
        List<String> rows = readAll(table.newScan().createBatchScanner(bucket(table, 0), first), typeOf(table));
        equal(list("[1, row 1]"), rows);
        get(lease.releaseSnapshots(Collections.singleton(bucket(table, 0))));
        get(lease.dropLease());
        upsert(table, row(6));
        waitForSnapshot(table, 5);
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (true) {
            try {
                get(admin.getKvSnapshotMetadata(bucket(table, 0), first));
            } catch (java.util.concurrent.ExecutionException e) {
                that(e.getCause() instanceof KvSnapshotNotExistException, String.valueOf(e.getCause()));
                return;
            }
            that(System.currentTimeMillis() < deadline, "the released snapshot stays");
            Thread.sleep(20);
        }
    }
}
