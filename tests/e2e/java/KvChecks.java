import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.metadata.KvSnapshots;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.Scan;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.batch.BatchScanner;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.metadata.AggFunction;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.InternalRow;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.RowType;
import org.apache.fluss.utils.CloseableIterator;

/** What checks of primary-key tables share. Rows and changes are compared as text: "+I [1, a]". */
abstract class KvChecks extends Checks {
    static final Duration BATCH_WAIT = Duration.ofSeconds(10);

    KvChecks(String bootstrap, String database) {
        super(bootstrap, database, "client.lookup.batch-timeout", "1 ms", "client.writer.batch-timeout", "1 ms");
    }

    /** Columns are given as name, type, and perhaps an aggregate function. */
    static Schema schema(String[] key, Object... columns) {
        Schema.Builder builder = Schema.newBuilder();
        for (int i = 0; i < columns.length; ) {
            String name = (String) columns[i++];
            DataType type = (DataType) columns[i++];
            if (i < columns.length && columns[i] instanceof AggFunction) {
                builder.column(name, type, (AggFunction) columns[i++]);
            } else {
                builder.column(name, type);
            }
        }
        return builder.primaryKey(key).build();
    }

    static String[] key(String... names) {
        return names;
    }

    Table createKeyed(String name, Schema schema, int buckets, String... properties) throws Exception {
        TableDescriptor.Builder descriptor = describe(schema, buckets);
        for (int i = 0; i < properties.length; i += 2) {
            descriptor.property(properties[i], properties[i + 1]);
        }
        return create(name, descriptor.build());
    }

    Table createKeyed(String name) throws Exception {
        return createKeyed(name, KEYED, 1);
    }

    static GenericRow of(Object... values) {
        GenericRow row = new GenericRow(values.length);
        for (int i = 0; i < values.length; i++) {
            row.setField(i, values[i] instanceof String ? string((String) values[i]) : values[i]);
        }
        return row;
    }

    // --- writing ----------------------------------------------------------------------------------

    static void upsert(Table table, GenericRow... rows) throws Exception {
        upsert(table.newUpsert().createWriter(), rows);
    }

    static void upsert(UpsertWriter writer, GenericRow... rows) throws Exception {
        List<Future<?>> results = new ArrayList<>();
        for (GenericRow row : rows) {
            results.add(writer.upsert(row));
        }
        writer.flush();
        for (Future<?> result : results) {
            get(result);
        }
    }

    /** Deletes by rows of which only the key matters, each in a batch of its own. */
    static void delete(Table table, GenericRow... rows) throws Exception {
        UpsertWriter writer = table.newUpsert().createWriter();
        for (GenericRow row : rows) {
            Future<?> result = writer.delete(row);
            writer.flush();
            get(result);
        }
    }

    // --- reading ----------------------------------------------------------------------------------

    static RowType typeOf(Table table) {
        return table.getTableInfo().getRowType();
    }

    static String text(InternalRow row, RowType type) {
        return row == null ? "none" : Values.ofRow(row, type).toString();
    }

    static List<String> changes(List<ScanRecord> records, RowType type) {
        List<String> texts = new ArrayList<>();
        for (ScanRecord record : records) {
            texts.add(record.getChangeType().shortString() + " " + text(record.getRow(), type));
        }
        return texts;
    }

    /** The whole changelog, which must have so many records. */
    static List<String> changelog(Table table, int count) throws Exception {
        return changes(read(table, count), typeOf(table));
    }

    static List<Long> offsets(List<ScanRecord> records) {
        List<Long> offsets = new ArrayList<>();
        for (ScanRecord record : records) {
            offsets.add(record.logOffset());
        }
        return offsets;
    }

    static String lookup(Table table, Object... key) throws Exception {
        return lookup(table, table.newLookup().createLookuper(), key);
    }

    static String lookup(Table table, Lookuper lookuper, Object... key) throws Exception {
        return text(get(lookuper.lookup(of(key))).getSingletonRow(), typeOf(table));
    }

    static List<String> prefixLookup(Table table, List<String> columns, Object... prefix) throws Exception {
        Lookuper lookuper = table.newLookup().lookupBy(columns).createLookuper();
        List<String> rows = new ArrayList<>();
        for (InternalRow row : get(lookuper.lookup(of(prefix))).getRowList()) {
            rows.add(text(row, typeOf(table)));
        }
        return rows;
    }

    static TableBucket bucket(Table table, int number) {
        return new TableBucket(table.getTableInfo().getTableId(), number);
    }

    static List<String> readAll(BatchScanner scanner, RowType type) throws Exception {
        List<String> rows = new ArrayList<>();
        try (BatchScanner closed = scanner) {
            CloseableIterator<InternalRow> batch = closed.pollBatch(BATCH_WAIT);
            while (batch != null) {
                while (batch.hasNext()) {
                    rows.add(text(batch.next(), type));
                }
                batch.close();
                batch = closed.pollBatch(BATCH_WAIT);
            }
        }
        return rows;
    }

    static List<String> limited(Table table, int limit) throws Exception {
        return limited(table.newScan(), table, limit, typeOf(table));
    }

    static List<String> limited(Scan scan, Table table, int limit, RowType type) throws Exception {
        return readAll(scan.limit(limit).createBatchScanner(bucket(table, 0)), type);
    }

    static List<String> sorted(List<String> texts) {
        List<String> copy = new ArrayList<>(texts);
        copy.sort(null);
        return copy;
    }

    static List<String> list(String... texts) {
        return Arrays.asList(texts);
    }

    // --- snapshots --------------------------------------------------------------------------------

    /** The id of a snapshot of bucket 0 that has all changes below the offset. */
    long waitForSnapshot(Table table, long logOffset) throws Exception {
        long deadline = System.currentTimeMillis() + READ_TIMEOUT_MS;
        while (true) {
            KvSnapshots latest = get(admin.getLatestKvSnapshots(table.getTableInfo().getTablePath()));
            if (latest.getLogOffset(0).orElse(-1) >= logOffset) {
                return latest.getSnapshotId(0).getAsLong();
            }
            that(System.currentTimeMillis() < deadline, "no snapshot with offset " + logOffset + " came");
            Thread.sleep(20);
        }
    }
}
