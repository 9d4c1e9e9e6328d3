import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.batch.BatchScanner;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.types.DataTypes;
import org.apache.fluss.types.RowType;

/** What only the Java client 1.0.0 does with primary-key tables: reading whole buckets. */
public final class KvSinceOneCheck extends KvChecks {
    public KvSinceOneCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    @Override
    void runAll() throws Exception {
        for (String strategy : new String[] {"snapshot-merge", "server-scan"}) {
            check("keys behind the snapshot, " + strategy, () -> keysBehindTheSnapshot(strategy));
            check("whole bucket, " + strategy, () -> wholeBucket(strategy));
            check("without a snapshot, " + strategy, () -> withoutSnapshot(strategy));
            check("whole table, " + strategy, () -> wholeTable(strategy));
        }
        check("small batches of a server scan", this::smallBatches);
        check("list of snapshots", this::listOfSnapshots);
    }

    /** The table through a connection that reads whole buckets in this way. */
    private Table by(String strategy, String name, String... settings) {
        List<String> all = new ArrayList<>();
        all.add("client.scanner.kv.batch-strategy");
        all.add(strategy);
        for (String setting : settings) {
            all.add(setting);
        }
        return connect(all.toArray(new String[0])).getTable(path(name));
    }

    /** The other strategy reads no snapshots. */
    private void snapshotFor(String strategy, Table table, long logOffset) throws Exception {
        if (strategy.equals("snapshot-merge")) {
            waitForSnapshot(table, logOffset);
        }
    }

    private static String suffix(String strategy) {
        return "_" + strategy.replace('-', '_');
    }

    private void keysBehindTheSnapshot(String strategy) throws Exception {
        Schema schema = schema(key("k"), "k", DataTypes.BIGINT(), "v", DataTypes.STRING());
        String name = "behind" + suffix(strategy);
        Table table = createKeyed(name, schema, 1);
        upsert(table, of(0L, "a"), of(1L, "b"), of(2L, "c"));
        snapshotFor(strategy, table, 3);
        upsert(table, of(3L, "d"), of(4L, "e"), of(5L, "f"));
        List<String> rows = readAll(by(strategy, name).newScan().createBatchScanner(bucket(table, 0)), typeOf(table));
        equal(list("[0, a]", "[1, b]", "[2, c]", "[3, d]", "[4, e]", "[5, f]"), sorted(rows));
    }

    /** Snapshot and log: changed, deleted and added after the snapshot, and only some columns. */
    private void wholeBucket(String strategy) throws Exception {
        String name = "whole" + suffix(strategy);
        Table table = createKeyed(name);
        GenericRow[] first = new GenericRow[200];
        for (int i = 0; i < first.length; i++) {
            first[i] = row(i);
        }
        upsert(table, first);
        snapshotFor(strategy, table, 200);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 240; i++) {
            if (i % 10 == 0) {
                delete(table, row(i));
            } else if (i % 3 == 0 || i >= 200) {
                upsert(table, of(i, "new"));
                expected.add("[" + i + ", new]");
            } else {
                expected.add("[" + i + ", row " + i + "]");
            }
        }
        Table reader = by(strategy, name);
        equal(sorted(expected), sorted(readAll(reader.newScan().createBatchScanner(bucket(table, 0)), typeOf(table))));
        int[] columns = {1};
        RowType type = typeOf(table).project(columns);
        BatchScanner names = reader.newScan().project(columns).createBatchScanner(bucket(table, 0));
        equal(expected.size(), readAll(names, type).size());
    }

    /** A new bucket, and one without a row. */
    private void withoutSnapshot(String strategy) throws Exception {
        String name = "fresh" + suffix(strategy);
        Table table = createKeyed(name);
        Table reader = by(strategy, name);
        equal(list(), readAll(reader.newScan().createBatchScanner(bucket(table, 0)), typeOf(table)));
        upsert(table, row(1), row(2), of(1, "new"));
        delete(table, row(2), row(3));
        equal(list("[1, new]"), readAll(reader.newScan().createBatchScanner(bucket(table, 0)), typeOf(table)));
    }

    private void wholeTable(String strategy) throws Exception {
        String name = "table" + suffix(strategy);
        Table table = createKeyed(name, KEYED, 4);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            expected.add("[" + i + ", row " + i + "]");
        }
        GenericRow[] rows = new GenericRow[100];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = row(i);
        }
        upsert(table, rows);
        equal(sorted(expected), sorted(readAll(by(strategy, name).newScan().createBatchScanner(), typeOf(table))));
    }

    private void smallBatches() throws Exception {
        Table table = createKeyed("small_batches");
        GenericRow[] rows = new GenericRow[300];
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < rows.length; i++) {
            rows[i] = row(i);
            expected.add("[" + i + ", row " + i + "]");
        }
        upsert(table, rows);
        Table reader = by("server-scan", "small_batches", "client.scanner.kv.fetch.max-bytes", "100b");
        equal(sorted(expected), sorted(readAll(reader.newScan().createBatchScanner(bucket(table, 0)), typeOf(table))));
    }

    private void listOfSnapshots() throws Exception {
        Table table = createKeyed("listed");
        upsert(table, row(1));
        long id = waitForSnapshot(table, 1);
        Set<Long> ids =
                get(admin.listKvSnapshots(table.getTableInfo().getTableId(), null)).getSnapshotIdsByBucket().get(0);
        that(ids.contains(id), "no " + id + " in " + ids);
    }
}
