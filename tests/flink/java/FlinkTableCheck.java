import java.util.List;

/**
 * What Flink does with tables that have no lake.
 *
 * <p>Arguments: bootstrap server, an empty database for the tables.
 */
public final class FlinkTableCheck extends FlinkChecks {
    FlinkTableCheck(String bootstrap, String database) throws Exception {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new FlinkTableCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        checkSoon("catalog", this::catalog);
        checkSoon("log table", this::logTable);
        checkSoon("where a stream begins", this::startModes);
        checkSoon("every type", this::everyType);
        checkSoon("primary-key table", this::keyedTable);
        checkSoon("stream of a snapshot and the log", this::snapshotAndLog);
        checkSoon("changelog and binlog", this::changelogAndBinlog);
        checkSoon("partial update", this::partialUpdate);
        checkSoon("merge engines", this::mergeEngines);
        checkSoon("aggregation", this::aggregation);
        checkSoon("aggregation of a job that starts again", this::undo);
        checkSoon("numbers of the server", this::autoIncrement);
        checkSoon("partitioned log table", this::partitionedLogTable);
        checkSoon("partitioned primary-key table", this::partitionedKeyedTable);
        checkSoon("partitions by the time", this::autoPartitions);
        checkSoon("lookup join", this::lookupJoin);
        checkSoon("new column", this::newColumn);
        checkSoon("stream into a table", this::streamIntoTable);
        checkSoon("procedures", this::procedures);
        waitForChecks();
    }

    void catalog() throws Exception {
        sql("CREATE DATABASE " + database + "_more COMMENT 'one more'");
        that(all("SHOW DATABASES").contains("+I[" + database + "_more]"), "the new database is listed");
        sql("CREATE TABLE " + database + "_more.t (id INT, name STRING)");
        equal(rows("+I[t]"), all("SHOW TABLES IN " + database + "_more"));
        sql("DROP DATABASE " + database + "_more CASCADE");
        that(!all("SHOW DATABASES").contains("+I[" + database + "_more]"), "the dropped database is not listed");

        sql("CREATE TABLE described (id INT NOT NULL COMMENT 'the key', name STRING, happened TIMESTAMP(3),"
                + " PRIMARY KEY (id) NOT ENFORCED) COMMENT 'a table' WITH ('bucket.num' = '3', 'some.key' = 'value')");
        equal(
                rows(
                        "+I[id, INT, false, PRI(id), null, null, the key]",
                        "+I[name, STRING, true, null, null, null, null]",
                        "+I[happened, TIMESTAMP(3), true, null, null, null, null]"),
                all("DESCRIBE described"));
        String statement = all("SHOW CREATE TABLE described").get(0);
        for (String word : List.of("COMMENT 'a table'", "'bucket.num' = '3'", "'some.key' = 'value'", "`id`")) {
            that(statement.contains(word), "no " + word + " in " + statement);
        }
        sql("ALTER TABLE described SET ('table.log.ttl' = '3 d')");
        that(all("SHOW CREATE TABLE described").get(0).contains("'table.log.ttl' = '3 d'"), "an option is set");
        sql("ALTER TABLE described RESET ('table.log.ttl')");
        that(!all("SHOW CREATE TABLE described").get(0).contains("'table.log.ttl' = '3 d'"), "an option is reset");
        sql("CREATE TABLE IF NOT EXISTS described (id INT)");
        sql("DROP TABLE described");
        sql("DROP TABLE IF EXISTS described");
        that(!all("SHOW TABLES").contains("+I[described]"), "the dropped table is not listed");
    }

    void logTable() throws Exception {
        sql("CREATE TABLE log (id INT, name STRING) WITH ('bucket.num' = '3')");
        equal(rows("+I[0]"), all("SELECT COUNT(*) FROM log"));
        equal(rows(), all("SELECT * FROM log LIMIT 5"));
        sql("INSERT INTO log VALUES " + values(0, 100));
        equal(rows("+I[100]"), all("SELECT COUNT(*) FROM log"));
        equal(10, all("SELECT * FROM log LIMIT 10").size());
        equal(numbered(0, 100), all("SELECT * FROM log LIMIT 200"));
        equal(numbered(0, 100), take("SELECT * FROM log", 100));
        equal(rows("+I[row 7]", "+I[row 8]"), take("SELECT name FROM log WHERE id IN (7, 8)", 2));
        try (Stream stream = stream("SELECT * FROM log")) {
            equal(numbered(0, 100), stream.take(100));
            sql("INSERT INTO log VALUES " + values(100, 120));
            equal(numbered(100, 120), stream.take(20));
        }
    }

    void startModes() throws Exception {
        sql("CREATE TABLE modes (id INT, name STRING) WITH ('bucket.num' = '1')");
        sql("INSERT INTO modes VALUES " + values(0, 5));
        Thread.sleep(5);
        long between = System.currentTimeMillis();
        sql("INSERT INTO modes VALUES " + values(5, 10));
        equal(numbered(0, 10), take("SELECT * FROM modes /*+ OPTIONS('scan.startup.mode' = 'earliest') */", 10));
        equal(
                numbered(5, 10),
                take(
                        "SELECT * FROM modes /*+ OPTIONS('scan.startup.mode' = 'timestamp',"
                                + " 'scan.startup.timestamp' = '"
                                + between
                                + "') */",
                        5));
        try (Stream stream = stream("SELECT * FROM modes /*+ OPTIONS('scan.startup.mode' = 'latest') */")) {
            Thread.sleep(3000); // until the stream has begun; there is nothing that it would show
            sql("INSERT INTO modes VALUES " + values(10, 12));
            equal(numbered(10, 12), stream.take(2));
        }
    }

    void everyType() throws Exception {
        sql("CREATE TABLE types (id INT, " + FlinkTypes.columns() + ")");
        sql("INSERT INTO types VALUES (2, " + FlinkTypes.nulls() + ")");
        sql("INSERT INTO types VALUES (1, " + FlinkTypes.values() + ")");
        equal(rows("+I[1, " + FlinkTypes.texts() + "]", "+I[2, " + FlinkTypes.nullTexts() + "]"),
                take("SELECT * FROM types", 2));
        equal(rows("+I[1, " + FlinkTypes.flatTexts() + "]"),
                all("SELECT id, " + FlinkTypes.flatNames() + " FROM types LIMIT 1"));
    }

    void keyedTable() throws Exception {
        createKeyed("keyed", "");
        sql("INSERT INTO keyed VALUES " + values(0, 20));
        equal(rows("+I[20]"), all("SELECT COUNT(*) FROM keyed"));
        equal(rows("+I[7, row 7]"), all("SELECT * FROM keyed WHERE id = 7"));
        equal(rows("+I[row 7]"), all("SELECT name FROM keyed WHERE id = 7"));
        equal(rows(), all("SELECT * FROM keyed WHERE id = 70"));
        sql("INSERT INTO keyed VALUES (7, 'seven')");
        sql("UPDATE keyed SET name = 'eight' WHERE id = 8");
        sql("DELETE FROM keyed WHERE id = 9");
        equal(rows("+I[7, seven]"), all("SELECT * FROM keyed WHERE id = 7"));
        equal(rows("+I[8, eight]"), all("SELECT * FROM keyed WHERE id = 8"));
        equal(rows(), all("SELECT * FROM keyed WHERE id = 9"));
        equal(rows("+I[19]"), all("SELECT COUNT(*) FROM keyed"));
        equal(19, all("SELECT * FROM keyed LIMIT 100").size());
        equal(5, all("SELECT * FROM keyed LIMIT 5").size());
        try (Stream stream = stream("SELECT * FROM keyed /*+ OPTIONS('scan.startup.mode' = 'earliest') */")) {
            List<String> changes = stream.take(25);
            for (String change : List.of("-U[7, row 7]", "+U[7, seven]", "+U[8, eight]", "-D[9, row 9]")) {
                that(changes.contains(change), "no " + change + " in " + changes);
            }
        }
    }

    void snapshotAndLog() throws Exception {
        createKeyed("snapshots", "");
        sql("INSERT INTO snapshots VALUES " + values(0, 50));
        sql("INSERT INTO snapshots VALUES (3, 'three')");
        sql("DELETE FROM snapshots WHERE id = 4");
        waitUntil("a snapshot of each bucket", () -> {
            var snapshots = get(admin.getLatestKvSnapshots(path("snapshots")));
            long records = 0;
            for (int bucket : snapshots.getBucketIds()) {
                if (snapshots.getSnapshotId(bucket).isEmpty()) {
                    return false;
                }
                records += snapshots.getLogOffset(bucket).getAsLong();
            }
            return snapshots.getBucketIds().size() == 2 && records == 53;
        });
        List<String> expected = numbered(0, 50);
        expected.remove("+I[3, row 3]");
        expected.remove("+I[4, row 4]");
        expected.add("+I[3, three]");
        expected.sort(null);
        try (Stream stream = stream("SELECT * FROM snapshots")) {
            equal(expected, stream.take(49));
            sql("INSERT INTO snapshots VALUES (3, 'drei'), (50, 'fifty')");
            equal(rows("-U[3, three]", "+U[3, drei]", "+I[50, fifty]"), stream.take(3));
        }
    }

    void changelogAndBinlog() throws Exception {
        createKeyed("changes", ", 'bucket.num' = '1'");
        sql("INSERT INTO changes VALUES (1, 'one'), (2, 'two')");
        sql("INSERT INTO changes VALUES (1, 'eins')");
        sql("DELETE FROM changes WHERE id = 2");
        equal(
                rows(
                        "+I[insert, 0, 1, one]",
                        "+I[insert, 1, 2, two]",
                        "+I[update_before, 2, 1, one]",
                        "+I[update_after, 3, 1, eins]",
                        "+I[delete, 4, 2, two]"),
                take("SELECT _change_type, _log_offset, id, name FROM changes$changelog", 5));
        equal(
                rows(
                        "+I[insert, 0, null, +I[1, one]]",
                        "+I[insert, 1, null, +I[2, two]]",
                        "+I[update, 2, +I[1, one], +I[1, eins]]",
                        "+I[delete, 4, +I[2, two], null]"),
                take("SELECT _change_type, _log_offset, `before`, `after` FROM changes$binlog", 4));
    }

    void partialUpdate() throws Exception {
        sql("CREATE TABLE partial (id INT NOT NULL, a STRING, b BIGINT, PRIMARY KEY (id) NOT ENFORCED)");
        sql("INSERT INTO partial (id, a) VALUES (1, 'a1'), (2, 'a2')");
        sql("INSERT INTO partial (id, b) VALUES (1, 10), (3, 30)");
        equal(rows("+I[1, a1, 10]", "+I[2, a2, null]", "+I[3, null, 30]"), all("SELECT * FROM partial LIMIT 10"));
    }

    void mergeEngines() throws Exception {
        createKeyed("first_row", ", 'table.merge-engine' = 'first_row'");
        sql("INSERT INTO first_row VALUES (1, 'one')");
        sql("INSERT INTO first_row VALUES (1, 'eins'), (2, 'two')");
        equal(rows("+I[1, one]", "+I[2, two]"), all("SELECT * FROM first_row LIMIT 10"));
        equal(rows("+I[1, one]", "+I[2, two]"), take("SELECT * FROM first_row", 2));

        sql("CREATE TABLE versioned (id INT NOT NULL, name STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH"
                + " ('table.merge-engine' = 'versioned', 'table.merge-engine.versioned.ver-column' = 'v')");
        sql("INSERT INTO versioned VALUES (1, 'new', 5)");
        sql("INSERT INTO versioned VALUES (1, 'old', 4), (2, 'two', 1)");
        equal(rows("+I[1, new, 5]", "+I[2, two, 1]"), all("SELECT * FROM versioned LIMIT 10"));
    }

    void aggregation() throws Exception {
        sql("CREATE TABLE sums (id INT NOT NULL, n BIGINT, texts STRING, PRIMARY KEY (id) NOT ENFORCED) WITH"
                + " ('table.merge-engine' = 'aggregation', 'fields.n.agg' = 'sum', 'fields.texts.agg' = 'listagg')");
        sql("INSERT INTO sums VALUES (1, 5, 'a')");
        sql("INSERT INTO sums VALUES (1, 6, 'b'), (2, 1, 'c')");
        equal(rows("+I[1, 11, a,b]", "+I[2, 1, c]"), all("SELECT * FROM sums LIMIT 10"));
    }

    /** What a job wrote that ended before a checkpoint is undone by the next one of that name. */
    void undo() throws Exception {
        sql("CREATE TABLE numbers (id INT, n BIGINT)");
        sql("CREATE TABLE totals (id INT NOT NULL, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH"
                + " ('table.merge-engine' = 'aggregation', 'fields.n.agg' = 'sum', 'bucket.num' = '2')");
        sql("INSERT INTO totals VALUES (1, 100)");
        sql("INSERT INTO numbers VALUES (1, 5), (1, 6), (2, 1)");
        String copy = "INSERT INTO totals /*+ OPTIONS('sink.producer-id' = 'summing') */ SELECT * FROM numbers";
        var first = streaming().executeSql(copy).getJobClient().get();
        waitUntil("sums", () -> all("SELECT * FROM totals LIMIT 9").equals(rows("+I[1, 111]", "+I[2, 1]")));
        first.cancel().get();
        var second = streaming().executeSql(copy).getJobClient().get();
        sql("INSERT INTO numbers VALUES (2, 10)");
        waitUntil(
                "sums without what the first job added: " + all("SELECT * FROM totals LIMIT 9"),
                () -> all("SELECT * FROM totals LIMIT 9").equals(rows("+I[1, 111]", "+I[2, 11]")));
        second.cancel().get();
    }

    void autoIncrement() throws Exception {
        sql("CREATE TABLE counted (name STRING NOT NULL, n BIGINT, PRIMARY KEY (name) NOT ENFORCED) WITH"
                + " ('auto-increment.fields' = 'n', 'bucket.num' = '1')");
        sql("INSERT INTO counted (name) VALUES ('a')");
        sql("INSERT INTO counted (name) VALUES ('a'), ('b')");
        sql("INSERT INTO counted (name) VALUES ('c')");
        equal(rows("+I[a, 1]", "+I[b, 2]", "+I[c, 3]"), all("SELECT * FROM counted LIMIT 10"));
    }

    void partitionedLogTable() throws Exception {
        sql("CREATE TABLE log_by_region (id INT, region STRING) PARTITIONED BY (region) WITH ('bucket.num' = '2')");
        sql("ALTER TABLE log_by_region ADD PARTITION (region = 'none')");
        sql("INSERT INTO log_by_region VALUES (1, 'eu'), (2, 'us'), (3, 'eu')");
        equal(
                rows("+I[region=eu]", "+I[region=none]", "+I[region=us]"),
                all("SHOW PARTITIONS log_by_region"));
        equal(rows("+I[3]"), all("SELECT COUNT(*) FROM log_by_region"));
        equal(rows("+I[1, eu]", "+I[3, eu]"), take("SELECT * FROM log_by_region WHERE region = 'eu'", 2));
        String query = "SELECT * FROM log_by_region /*+ OPTIONS('scan.partition.discovery.interval' = '200 ms') */";
        try (Stream stream = stream(query)) {
            equal(rows("+I[1, eu]", "+I[2, us]", "+I[3, eu]"), stream.take(3));
            sql("INSERT INTO log_by_region VALUES (4, 'asia')");
            equal(rows("+I[4, asia]"), stream.take(1));
            sql("ALTER TABLE log_by_region DROP PARTITION (region = 'us')");
            sql("INSERT INTO log_by_region VALUES (5, 'asia')");
            equal(rows("+I[5, asia]"), stream.take(1));
        }
        equal(rows("+I[4]"), all("SELECT COUNT(*) FROM log_by_region"));
        equal(rows("+I[1, eu]", "+I[3, eu]", "+I[4, asia]", "+I[5, asia]"),
                all("SELECT * FROM log_by_region LIMIT 10"));
    }

    void partitionedKeyedTable() throws Exception {
        sql("CREATE TABLE by_region (id INT NOT NULL, region STRING NOT NULL, name STRING,"
                + " PRIMARY KEY (id, region) NOT ENFORCED) PARTITIONED BY (region) WITH ('bucket.num' = '2')");
        sql("INSERT INTO by_region VALUES (1, 'eu', 'one'), (1, 'us', 'uno'), (2, 'eu', 'two')");
        sql("INSERT INTO by_region VALUES (1, 'eu', 'eins')");
        sql("DELETE FROM by_region WHERE id = 2 AND region = 'eu'");
        equal(rows("+I[1, eu, eins]"), all("SELECT * FROM by_region WHERE id = 1 AND region = 'eu'"));
        equal(rows(), all("SELECT * FROM by_region WHERE id = 1 AND region = 'nowhere'"));
        equal(rows("+I[1, eu, eins]", "+I[1, us, uno]"), all("SELECT * FROM by_region LIMIT 10"));
        equal(rows("+I[2]"), all("SELECT COUNT(*) FROM by_region"));
    }

    void autoPartitions() throws Exception {
        sql("CREATE TABLE by_day (id INT, day_ STRING) PARTITIONED BY (day_) WITH ('table.auto-partition.enabled'"
                + " = 'true', 'table.auto-partition.time-unit' = 'DAY', 'table.auto-partition.num-precreate' = '3')");
        waitUntil("three partitions", () -> all("SHOW PARTITIONS by_day").size() == 3);
        String partition = all("SHOW PARTITIONS by_day").get(0).replaceAll("\\D", "");
        sql("INSERT INTO by_day VALUES (1, '" + partition + "')");
        equal(rows("+I[1, " + partition + "]"), take("SELECT * FROM by_day", 1));
    }

    void lookupJoin() throws Exception {
        createKeyed("dimension", "");
        sql("INSERT INTO dimension VALUES " + values(0, 10));
        sql("CREATE TABLE facts (id INT, amount INT)");
        sql("INSERT INTO facts VALUES (3, 30), (4, 40), (99, 990)");
        for (String mode : List.of("true", "false")) {
            equal(
                    rows("+I[3, 30, row 3]", "+I[4, 40, row 4]", "+I[99, 990, null]"),
                    take(
                            "SELECT f.id, f.amount, d.name FROM (SELECT *, PROCTIME() AS seen FROM facts) AS f LEFT"
                                    + " JOIN dimension /*+ OPTIONS('lookup.async' = '" + mode + "') */"
                                    + " FOR SYSTEM_TIME AS OF f.seen AS d ON f.id = d.id",
                            3));
        }
        sql("CREATE TABLE prefixed (a INT NOT NULL, b STRING NOT NULL, name STRING, PRIMARY KEY (a, b) NOT ENFORCED)"
                + " WITH ('bucket.key' = 'a', 'bucket.num' = '2')");
        sql("INSERT INTO prefixed VALUES (3, 'x', 'three x'), (3, 'y', 'three y'), (4, 'x', 'four x')");
        equal(
                rows("+I[3, three x]", "+I[3, three y]", "+I[4, four x]"),
                take(
                        "SELECT f.id, d.name FROM (SELECT *, PROCTIME() AS seen FROM facts) AS f JOIN prefixed"
                                + " FOR SYSTEM_TIME AS OF f.seen AS d ON f.id = d.a",
                        3));
    }

    void newColumn() throws Exception {
        createKeyed("evolving", "");
        sql("INSERT INTO evolving VALUES (1, 'one')");
        sql("ALTER TABLE evolving ADD more BIGINT");
        sql("INSERT INTO evolving VALUES (2, 'two', 22)");
        equal(rows("+I[1, one, null]", "+I[2, two, 22]"), all("SELECT * FROM evolving LIMIT 5"));
        equal(rows("+I[1, one, null]", "+I[2, two, 22]"), take("SELECT * FROM evolving", 2));
        equal(rows("+I[1, one, null]"), all("SELECT * FROM evolving WHERE id = 1"));
    }

    /** A job that runs on: what is written to one table comes to another, also updates. */
    void streamIntoTable() throws Exception {
        createKeyed("original", "");
        createKeyed("copy", "");
        streaming().getConfig().set("execution.checkpointing.interval", "500 ms");
        var job = streaming().executeSql("INSERT INTO copy SELECT id, UPPER(name) FROM original");
        streaming().getConfig().set("execution.checkpointing.interval", "0 ms");
        sql("INSERT INTO original VALUES " + values(0, 10));
        waitUntil("ten rows", () -> all("SELECT COUNT(*) FROM copy").equals(rows("+I[10]")));
        sql("INSERT INTO original VALUES (1, 'eins')");
        sql("DELETE FROM original WHERE id = 2");
        waitUntil("one row less", () -> all("SELECT COUNT(*) FROM copy").equals(rows("+I[9]")));
        waitUntil("an update", () -> all("SELECT * FROM copy WHERE id = 1").equals(rows("+I[1, EINS]")));
        job.getJobClient().get().cancel().get();
    }

    void procedures() throws Exception {
        that(!all("CALL sys.get_cluster_configs()").isEmpty(), "there are settings");
    }
}
