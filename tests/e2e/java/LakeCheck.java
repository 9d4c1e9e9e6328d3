import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.fluss.client.metadata.LakeSnapshot;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.exception.InvalidAlterTableException;
import org.apache.fluss.exception.InvalidConfigException;
import org.apache.fluss.exception.LakeTableAlreadyExistException;
import org.apache.fluss.exception.LakeTableSnapshotNotExistException;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TableChange;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TableInfo;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.types.DataTypes;

/**
 * What the official Java client sees of tables with a lake; for client 0.9.1 and 1.0.0.
 *
 * <p>Arguments: bootstrap server, a database with the table `t` of two buckets whose lake has the snapshots 11, which
 * can be read, and 12, which can not. The cluster has lakes of Paimon, which new tables get, and of Iceberg.
 */
public final class LakeCheck extends KvChecks {
    LakeCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new LakeCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("snapshots", this::snapshots);
        check("no snapshot", this::noSnapshot);
        check("options of the lake", this::options);
        check("formats", this::formats);
        check("alter", this::alter);
        check("refused", this::refused);
    }

    private static TableDescriptor.Builder withLake(Schema schema) {
        return describe(schema, 1).property("table.datalake.enabled", "true");
    }

    private void equalOffsets(LakeSnapshot snapshot, long id, long first, long second) throws Exception {
        long table = get(admin.getTableInfo(path("t"))).getTableId();
        Map<TableBucket, Long> offsets = new HashMap<>();
        offsets.put(new TableBucket(table, 0), first);
        offsets.put(new TableBucket(table, 1), second);
        equal(id, snapshot.getSnapshotId());
        equal(offsets, snapshot.getTableBucketsOffset());
    }

    private void snapshots() throws Exception {
        equalOffsets(get(admin.getLatestLakeSnapshot(path("t"))), 12, 5, 4);
        equalOffsets(get(admin.getReadableLakeSnapshot(path("t"))), 11, 3, 4);
        equalOffsets(get(admin.getLakeSnapshot(path("t"), 11)), 11, 3, 4);
    }

    private void noSnapshot() throws Exception {
        create("empty", withLake(ID_AND_NAME).build());
        fails(
                LakeTableSnapshotNotExistException.class,
                () -> get(admin.getLatestLakeSnapshot(path("empty"))),
                "empty");
        fails(LakeTableSnapshotNotExistException.class, () -> get(admin.getLakeSnapshot(path("t"), 10)), "10");
    }

    private void options() throws Exception {
        TableInfo info = create("options", withLake(ID_AND_NAME).build()).getTableInfo();
        Map<String, String> properties = info.getProperties().toMap();
        that(properties.containsKey("table.datalake.paimon.warehouse"), "options: " + properties);
        that(!properties.containsKey("table.datalake.paimon.s3.secret-key"), "options: " + properties);
        equal(true, info.getTableConfig().isDataLakeEnabled());
        equal("paimon", info.getTableConfig().getDataLakeFormat().get().toString());
        properties = create("without").getTableInfo().getProperties().toMap();
        that(!properties.containsKey("table.datalake.paimon.warehouse"), "options: " + properties);
    }

    /** Of a table whose format is not the cluster's first: its options, and rows with its keys and buckets. */
    private void formats() throws Exception {
        for (String format : new String[] {"paimon", "iceberg"}) {
            Table table =
                    createKeyed(
                            "keyed_" + format,
                            KEYED,
                            4,
                            "table.datalake.enabled",
                            "true",
                            "table.datalake.format",
                            format);
            equal(format, table.getTableInfo().getTableConfig().getDataLakeFormat().get().toString());
            Map<String, String> properties = table.getTableInfo().getProperties().toMap();
            that(properties.containsKey("table.datalake." + format + ".warehouse"), "options: " + properties);
            String other = "table.datalake." + (format.equals("paimon") ? "iceberg" : "paimon");
            that(properties.keySet().stream().noneMatch(key -> key.startsWith(other)), "options: " + properties);
            GenericRow[] rows = new GenericRow[100];
            for (int id = 0; id < rows.length; id++) {
                rows[id] = of(id, format + id);
            }
            upsert(table, rows);
            for (GenericRow row : rows) {
                equal(text(row, typeOf(table)), lookup(table, row.getField(0)));
            }
        }
    }

    private void alter() throws Exception {
        create("alter");
        get(
                admin.alterTable(
                        path("alter"),
                        Arrays.asList(
                                TableChange.set("table.datalake.enabled", "true"),
                                TableChange.set("table.datalake.freshness", "30 s")),
                        false));
        TableInfo info = get(admin.getTableInfo(path("alter")));
        equal(true, info.getTableConfig().isDataLakeEnabled());
        equal(30L, info.getTableConfig().getDataLakeFreshness().getSeconds());
        get(
                admin.alterTable(
                        path("alter"),
                        Arrays.asList(
                                TableChange.addColumn(
                                        "more", DataTypes.INT(), null, TableChange.ColumnPosition.last())),
                        false));
        equal(3, get(admin.getTableInfo(path("alter"))).getRowType().getFieldCount());
        fails(
                InvalidAlterTableException.class,
                () ->
                        get(
                                admin.alterTable(
                                        path("alter"),
                                        Arrays.asList(TableChange.set("table.datalake.format", "iceberg")),
                                        false)),
                "table.datalake.format");
    }

    private void refused() throws Exception {
        create("again", withLake(ID_AND_NAME).build());
        get(admin.dropTable(path("again"), false));
        Schema other = Schema.newBuilder().column("id", DataTypes.BIGINT()).build();
        fails(
                LakeTableAlreadyExistException.class,
                () -> get(admin.createTable(path("again"), withLake(other).build(), false)),
                "again");
        fails(
                InvalidConfigException.class,
                () ->
                        get(
                                admin.createTable(
                                        path("format"),
                                        describe(ID_AND_NAME, 1).property("table.datalake.format", "lance").build(),
                                        false)),
                "lance");
    }
}
