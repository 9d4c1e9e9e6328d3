import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.fluss.client.metadata.LakeSnapshot;
import org.apache.fluss.exception.LakeTableSnapshotNotExistException;
import org.apache.fluss.metadata.TableBucket;

/**
 * What Flink reads of tables that have a Paimon lake: the lake, and what has come since.
 *
 * <p>Arguments: bootstrap server, an empty database for the tables.
 */
public final class FlinkLakeCheck extends FlinkChecks {
    static final String LAKE = "'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '300 ms'";

    FlinkLakeCheck(String bootstrap, String database) throws Exception {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new FlinkLakeCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        checkSoon("log table", this::logTable);
        checkSoon("log table with a bucket key", this::logTableWithKey);
        checkSoon("primary-key table", this::keyedTable);
        checkSoon("key of several columns", this::severalColumns);
        checkSoon("every type", this::everyType);
        checkSoon("partitioned log table", this::partitionedLogTable);
        checkSoon("partitioned primary-key table", this::partitionedKeyedTable);
        checkSoon("new column", this::newColumn);
        checkSoon("lake from now on", this::lakeFromNowOn);
        checkSoon("lookups", this::lookups);
        waitForChecks();
    }

    /** Waits until so many changes are in the lake, in all buckets together. */
    void tiered(String table, long changes) throws Exception {
        waitUntil(changes + " changes of " + table + " in the lake", () -> changesInLake(table) == changes);
    }

    long changesInLake(String table) throws Exception {
        long sum = 0;
        for (long end : lakeOffsets(table).values()) {
            sum += end;
        }
        return sum;
    }

    Map<TableBucket, Long> lakeOffsets(String table) throws Exception {
        try {
            LakeSnapshot snapshot = get(admin.getLatestLakeSnapshot(path(table)));
            return snapshot.getTableBucketsOffset();
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof LakeTableSnapshotNotExistException) {
                return Map.of();
            }
            throw e;
        }
    }

    /** What is written from now on is not copied to the lake. */
    void freeze(String table) throws Exception {
        sql("ALTER TABLE " + table + " SET ('table.datalake.enabled' = 'false')");
        sql("ALTER TABLE " + table + " SET ('table.datalake.enabled' = 'true', 'table.datalake.freshness' = '1 d')");
    }

    static List<String> plus(List<String> some, List<String> more) {
        List<String> both = new ArrayList<>(some);
        both.addAll(more);
        Collections.sort(both);
        return both;
    }

    void logTable() throws Exception {
        sql("CREATE TABLE log (id INT, name STRING) WITH ('bucket.num' = '5', " + LAKE + ")");
        sql("INSERT INTO log VALUES " + values(0, 50));
        tiered("log", 50);
        equal(numbered(0, 50), all("SELECT * FROM log"));
        freeze("log");
        sql("INSERT INTO log VALUES " + values(50, 70));
        equal(numbered(0, 50), all("SELECT id, name FROM log$lake"));
        equal(numbered(0, 70), all("SELECT * FROM log"));
        equal(rows("+I[70]"), all("SELECT COUNT(*) FROM log"));
        equal(rows("+I[row 49]", "+I[row 50]"), all("SELECT name FROM log WHERE id BETWEEN 49 AND 50"));
        equal(rows("+I[2415]"), all("SELECT SUM(id) FROM log"));
        equal(rows("+I[50]"), all("SELECT COUNT(DISTINCT __offset * 5 + __bucket) FROM log$lake"));
        that(!all("SELECT snapshot_id FROM log$lake$snapshots").isEmpty(), "the snapshots of the lake are listed");
        try (Stream stream = stream("SELECT * FROM log")) {
            equal(numbered(0, 70), stream.take(70));
            sql("INSERT INTO log VALUES " + values(70, 75));
            equal(numbered(70, 75), stream.take(5));
        }
        try (Stream stream = stream("SELECT name, id FROM log WHERE id > 47")) {
            equal(22, stream.take(27 - 5).size());
        }
    }

    void logTableWithKey() throws Exception {
        sql("CREATE TABLE log_by_key (id INT, name STRING) WITH ('bucket.num' = '3', 'bucket.key' = 'id,name', "
                + LAKE + ")");
        sql("INSERT INTO log_by_key VALUES " + values(0, 40));
        tiered("log_by_key", 40);
        freeze("log_by_key");
        sql("INSERT INTO log_by_key VALUES " + values(40, 60));
        equal(numbered(0, 40), all("SELECT id, name FROM log_by_key$lake"));
        equal(numbered(0, 60), all("SELECT * FROM log_by_key"));
        equal(rows("+I[7, row 7]"), all("SELECT * FROM log_by_key WHERE id = 7 AND name = 'row 7'"));
        equal(numbered(0, 60), take("SELECT * FROM log_by_key", 60));
    }

    void keyedTable() throws Exception {
        createKeyed("keyed", ", " + LAKE);
        sql("INSERT INTO keyed VALUES " + values(0, 30));
        sql("INSERT INTO keyed VALUES (1, 'one'), (2, 'two')");
        sql("DELETE FROM keyed WHERE id = 3");
        tiered("keyed", 30 + 4 + 1);
        List<String> lake = numbered(0, 30);
        lake.removeAll(rows("+I[1, row 1]", "+I[2, row 2]", "+I[3, row 3]"));
        lake = plus(lake, rows("+I[1, one]", "+I[2, two]"));
        equal(lake, all("SELECT * FROM keyed"));
        freeze("keyed");
        sql("INSERT INTO keyed VALUES (1, 'eins'), (4, 'vier'), (30, 'row 30')");
        sql("UPDATE keyed SET name = 'five' WHERE id = 5");
        sql("DELETE FROM keyed WHERE id = 2");
        sql("DELETE FROM keyed WHERE id = 6");
        sql("INSERT INTO keyed VALUES (3, 'drei'), (31, 'gone')");
        sql("DELETE FROM keyed WHERE id = 31");
        equal(lake, all("SELECT id, name FROM keyed$lake"));
        List<String> now = new ArrayList<>(lake);
        now.removeAll(rows("+I[1, one]", "+I[2, two]", "+I[4, row 4]", "+I[5, row 5]", "+I[6, row 6]"));
        now = plus(now, rows("+I[1, eins]", "+I[3, drei]", "+I[4, vier]", "+I[5, five]", "+I[30, row 30]"));
        equal(now, all("SELECT * FROM keyed"));
        equal(rows("+I[29]"), all("SELECT COUNT(*) FROM keyed"));
        equal(rows("+I[eins]", "+I[row 0]"), all("SELECT name FROM keyed WHERE id < 2"));
        equal(rows("+I[1, eins]"), all("SELECT * FROM keyed WHERE id = 1"));
        equal(rows(), all("SELECT * FROM keyed WHERE id = 2"));
        equal(rows("+I[row 10]"), all("SELECT name FROM keyed WHERE id = 10"));
        // The lake first, without what happened before it; then each change since.
        List<String> changes =
                rows(
                        "-U[1, one]",
                        "+U[1, eins]",
                        "-U[4, row 4]",
                        "+U[4, vier]",
                        "+I[30, row 30]",
                        "-U[5, row 5]",
                        "+U[5, five]",
                        "-D[2, two]",
                        "-D[6, row 6]",
                        "+I[3, drei]",
                        "+I[31, gone]",
                        "-D[31, gone]");
        try (Stream stream = stream("SELECT * FROM keyed")) {
            List<String> expected = plus(lake, changes);
            equal(expected, stream.take(expected.size()));
            sql("INSERT INTO keyed VALUES (1, 'uno')");
            equal(rows("-U[1, eins]", "+U[1, uno]"), stream.take(2));
        }
    }

    void severalColumns() throws Exception {
        sql("CREATE TABLE several (a STRING NOT NULL, n INT, b BIGINT NOT NULL, c DECIMAL(20, 3) NOT NULL,"
                + " PRIMARY KEY (b, a, c) NOT ENFORCED) WITH ('bucket.num' = '3', 'bucket.key' = 'a', " + LAKE + ")");
        sql("INSERT INTO several VALUES ('x', 1, 10, 1.5), ('x', 2, -10, 1.5), ('y', 3, 10, -7.125),"
                + " ('a longer text', 4, 10, 1.5), ('', 5, 0, 0)");
        tiered("several", 5);
        freeze("several");
        sql("INSERT INTO several VALUES ('x', 20, -10, 1.5), ('z', 6, 1, 1), ('y', 30, 10, -7.126)");
        sql("DELETE FROM several WHERE a = 'a longer text' AND b = 10 AND c = 1.5");
        equal(
                rows(
                        "+I[x, 1, 10, 1.500]",
                        "+I[x, 20, -10, 1.500]",
                        "+I[y, 3, 10, -7.125]",
                        "+I[y, 30, 10, -7.126]",
                        "+I[z, 6, 1, 1.000]",
                        "+I[, 5, 0, 0.000]"),
                all("SELECT * FROM several"));
        equal(rows("+I[20]"), all("SELECT n FROM several WHERE a = 'x' AND b = -10 AND c = 1.5"));
        equal(rows("+I[1]", "+I[20]"), all("SELECT n FROM several WHERE a = 'x'"));
    }

    void everyType() throws Exception {
        sql("CREATE TABLE types (id INT NOT NULL, " + FlinkTypes.columns() + ") WITH (" + LAKE + ")");
        sql("CREATE TABLE keyed_types (id INT NOT NULL, " + FlinkTypes.columns() + ", PRIMARY KEY (id) NOT ENFORCED)"
                + " WITH (" + LAKE + ")");
        for (String table : List.of("types", "keyed_types")) {
            sql("INSERT INTO " + table + " VALUES (1, " + FlinkTypes.values() + ")");
            sql("INSERT INTO " + table + " VALUES (2, " + FlinkTypes.nulls() + ")");
            tiered(table, 2);
            freeze(table);
            sql("INSERT INTO " + table + " VALUES (3, " + FlinkTypes.values() + ")");
            sql("INSERT INTO " + table + " VALUES (4, " + FlinkTypes.nulls() + ")");
            List<String> expected =
                    rows("+I[1, " + FlinkTypes.texts() + "]", "+I[2, " + FlinkTypes.nullTexts() + "]");
            equal(expected, all("SELECT id, " + FlinkTypes.names() + " FROM " + table + "$lake"));
            expected.addAll(rows("+I[3, " + FlinkTypes.texts() + "]", "+I[4, " + FlinkTypes.nullTexts() + "]"));
            equal(expected, all("SELECT * FROM " + table));
            equal(expected, take("SELECT * FROM " + table, 4));
        }
    }

    void partitionedLogTable() throws Exception {
        // Batch reads of the connector 0.9.1 wait for ever for a bucket without rows of a partition that the lake
        // does not know.
        sql("CREATE TABLE log_by_region (id INT, region STRING) PARTITIONED BY (region) WITH ('bucket.num' = '1', "
                + LAKE + ")");
        sql("INSERT INTO log_by_region VALUES (1, 'eu'), (2, 'us'), (3, 'eu'), (4, 'old')");
        tiered("log_by_region", 4);
        freeze("log_by_region");
        sql("ALTER TABLE log_by_region DROP PARTITION (region = 'old')");
        sql("INSERT INTO log_by_region VALUES (5, 'asia'), (6, 'eu')");
        equal(rows("+I[1, eu]", "+I[2, us]", "+I[3, eu]", "+I[4, old]"),
                all("SELECT id, region FROM log_by_region$lake"));
        List<String> expected =
                rows("+I[1, eu]", "+I[2, us]", "+I[3, eu]", "+I[4, old]", "+I[5, asia]", "+I[6, eu]");
        equal(expected, all("SELECT * FROM log_by_region"));
        equal(rows("+I[1, eu]", "+I[3, eu]", "+I[6, eu]"), all("SELECT * FROM log_by_region WHERE region = 'eu'"));
        equal(rows("+I[4]"), all("SELECT id FROM log_by_region WHERE region = 'old'"));
        equal(expected, take("SELECT * FROM log_by_region", 6));
    }

    void partitionedKeyedTable() throws Exception {
        sql("CREATE TABLE by_region (region STRING NOT NULL, id INT NOT NULL, name STRING,"
                + " PRIMARY KEY (id, region) NOT ENFORCED) PARTITIONED BY (region) WITH ('bucket.num' = '2', "
                + LAKE + ")");
        sql("INSERT INTO by_region VALUES ('eu', 1, 'one'), ('us', 1, 'uno'), ('eu', 2, 'two'), ('old', 3, 'three')");
        tiered("by_region", 4);
        freeze("by_region");
        sql("ALTER TABLE by_region DROP PARTITION (region = 'old')");
        sql("INSERT INTO by_region VALUES ('eu', 1, 'eins'), ('asia', 1, 'ichi')");
        sql("DELETE FROM by_region WHERE id = 2 AND region = 'eu'");
        equal(rows("+I[eu, 1, one]", "+I[us, 1, uno]", "+I[eu, 2, two]", "+I[old, 3, three]"),
                all("SELECT region, id, name FROM by_region$lake"));
        equal(rows("+I[eu, 1, eins]", "+I[us, 1, uno]", "+I[asia, 1, ichi]", "+I[old, 3, three]"),
                all("SELECT * FROM by_region"));
        equal(rows("+I[1, eins]"), all("SELECT id, name FROM by_region WHERE region = 'eu'"));
        equal(rows("+I[eu, 1, eins]"), all("SELECT * FROM by_region WHERE region = 'eu' AND id = 1"));
        equal(
                rows(
                        "+I[eu, 1, one]",
                        "-U[eu, 1, one]",
                        "+U[eu, 1, eins]",
                        "+I[us, 1, uno]",
                        "+I[eu, 2, two]",
                        "-D[eu, 2, two]",
                        "+I[old, 3, three]",
                        "+I[asia, 1, ichi]"),
                take("SELECT * FROM by_region", 8));
    }

    void newColumn() throws Exception {
        createKeyed("evolving", ", " + LAKE);
        sql("INSERT INTO evolving VALUES (1, 'one'), (2, 'two')");
        tiered("evolving", 2);
        sql("ALTER TABLE evolving ADD more BIGINT");
        equal(rows("+I[1, one, null]", "+I[2, two, null]"), all("SELECT * FROM evolving"));
        sql("INSERT INTO evolving VALUES (2, 'zwei', 22), (3, 'drei', 33)");
        tiered("evolving", 5);
        freeze("evolving");
        sql("INSERT INTO evolving VALUES (1, 'eins', 11), (4, 'vier', NULLIF(CAST(1 AS BIGINT), 1))");
        equal(rows("+I[1, one, null]", "+I[2, zwei, 22]", "+I[3, drei, 33]"),
                all("SELECT id, name, more FROM evolving$lake"));
        equal(rows("+I[1, eins, 11]", "+I[2, zwei, 22]", "+I[3, drei, 33]", "+I[4, vier, null]"),
                all("SELECT * FROM evolving"));
    }

    void lakeFromNowOn() throws Exception {
        sql("CREATE TABLE later (id INT, name STRING) WITH ('bucket.num' = '1')");
        sql("INSERT INTO later VALUES " + values(0, 10));
        sql("ALTER TABLE later SET (" + LAKE + ")");
        tiered("later", 10);
        equal(numbered(0, 10), all("SELECT id, name FROM later$lake"));
        sql("ALTER TABLE later SET ('table.datalake.enabled' = 'false')");
        sql("INSERT INTO later VALUES " + values(10, 20));
        sql("ALTER TABLE later SET ('table.datalake.enabled' = 'true')");
        equal(numbered(0, 20), all("SELECT * FROM later"));
        tiered("later", 20);
        equal(numbered(0, 20), all("SELECT id, name FROM later$lake"));
    }

    /** Buckets and keys are those of the lake format. */
    void lookups() throws Exception {
        createKeyed("dimension", ", " + LAKE);
        sql("INSERT INTO dimension VALUES " + values(0, 20));
        sql("CREATE TABLE prefixed (a INT NOT NULL, b STRING NOT NULL, name STRING, PRIMARY KEY (a, b) NOT ENFORCED)"
                + " WITH ('bucket.key' = 'a', 'bucket.num' = '3', " + LAKE + ")");
        sql("INSERT INTO prefixed VALUES (3, 'x', 'three x'), (3, 'y', 'three y'), (4, 'x', 'four x')");
        sql("CREATE TABLE facts (id INT) WITH (" + LAKE + ")");
        sql("INSERT INTO facts VALUES (3), (4), (99)");
        equal(
                rows("+I[3, row 3]", "+I[4, row 4]", "+I[99, null]"),
                take(
                        "SELECT f.id, d.name FROM (SELECT *, PROCTIME() AS seen FROM facts) AS f LEFT JOIN dimension"
                                + " FOR SYSTEM_TIME AS OF f.seen AS d ON f.id = d.id",
                        3));
        equal(
                rows("+I[3, three x]", "+I[3, three y]", "+I[4, four x]"),
                take(
                        "SELECT f.id, d.name FROM (SELECT *, PROCTIME() AS seen FROM facts) AS f JOIN prefixed"
                                + " FOR SYSTEM_TIME AS OF f.seen AS d ON f.id = d.a",
                        3));
        equal(10, all("SELECT * FROM dimension LIMIT 10").size());
    }
}
