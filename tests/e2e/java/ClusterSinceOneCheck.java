import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.cluster.rebalance.ServerTag;
import org.apache.fluss.config.cluster.AlterConfig;
import org.apache.fluss.config.cluster.AlterConfigOpType;
import org.apache.fluss.exception.ConfigException;
import org.apache.fluss.exception.InvalidAlterTableException;
import org.apache.fluss.exception.ServerNotExistException;
import org.apache.fluss.exception.TooManyBucketsException;
import org.apache.fluss.metadata.PartitionInfo;
import org.apache.fluss.metadata.PartitionSpec;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableChange;
import org.apache.fluss.metadata.TableInfo;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.types.DataTypes;

/**
 * What only the Java client 1.0.0 can ask of a cluster.
 *
 * <p>Arguments: bootstrap server of a server of its own in rack r1, a database.
 */
public final class ClusterSinceOneCheck extends Checks {
    static final Schema KEYED =
            Schema.newBuilder()
                    .column("id", DataTypes.INT())
                    .column("region", DataTypes.STRING())
                    .column("value", DataTypes.STRING())
                    .primaryKey("id", "region")
                    .build();

    ClusterSinceOneCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new ClusterSinceOneCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("config exception", this::configException);
        check("server tags by rack", this::serverTagsByRack);
        check("bucket count", this::bucketCount);
        check("bucket count refused", this::bucketCountRefused);
    }

    private void configException() throws Exception {
        List<AlterConfig> changes = Collections.singletonList(new AlterConfig("no.key", "1", AlterConfigOpType.SET));
        fails(ConfigException.class, () -> get(admin.alterClusterConfigs(changes)), "no.key");
    }

    private void serverTagsByRack() throws Exception {
        fails(
                ServerNotExistException.class,
                () -> get(admin.addServerTagByRack(Arrays.asList("r1", "r9"), ServerTag.TEMPORARY_OFFLINE)),
                "r9");
        get(admin.addServerTagByRack(Collections.singletonList("r1"), ServerTag.TEMPORARY_OFFLINE));
        get(admin.removeServerTagByRack(Collections.singletonList("r1"), ServerTag.TEMPORARY_OFFLINE));
    }

    private void changeBuckets(String table, int count) throws Exception {
        get(admin.alterTable(path(table), Collections.singletonList(TableChange.modifyBucketCount(count)), false));
    }

    private PartitionSpec region(String name) {
        return new PartitionSpec(Collections.singletonMap("region", name));
    }

    /** Partitions keep their buckets; later ones get the new count; rows are found in both. */
    private void bucketCount() throws Exception {
        create("regions", describe(KEYED, 2, "id").partitionedBy("region").build());
        get(admin.createPartition(path("regions"), region("old"), false));
        put("regions", "old", 0, 100);
        changeBuckets("regions", 5);
        changeBuckets("regions", 5);
        TableInfo info = get(admin.getTableInfo(path("regions")));
        equal(5, info.getNumBuckets());
        get(admin.createPartition(path("regions"), region("new"), false));
        Map<String, Integer> counts = new HashMap<>();
        for (PartitionInfo partition : get(admin.listPartitionInfos(path("regions")))) {
            counts.put(partition.getPartitionName(), partition.getBucketCount());
        }
        Map<String, Integer> expected = new HashMap<>();
        expected.put("old", 2);
        expected.put("new", 5);
        equal(expected, counts);
        put("regions", "new", 0, 100);
        put("regions", "old", 100, 200);
        Table table = connect().getTable(path("regions"));
        Lookuper lookuper = table.newLookup().createLookuper();
        for (int id = 0; id < 200; id++) {
            GenericRow key = GenericRow.of(id, string("old"));
            equal("v" + id, get(lookuper.lookup(key)).getSingletonRow().getString(2).toString());
        }
        for (int id = 0; id < 100; id++) {
            GenericRow key = GenericRow.of(id, string("new"));
            equal("v" + id, get(lookuper.lookup(key)).getSingletonRow().getString(2).toString());
        }
        LogScanner scanner = table.newScan().createLogScanner();
        for (PartitionInfo partition : get(admin.listPartitionInfos(path("regions")))) {
            for (int bucket = 0; bucket < counts.get(partition.getPartitionName()); bucket++) {
                scanner.subscribeFromBeginning(partition.getPartitionId(), bucket);
            }
        }
        read(scanner, 300);
    }

    private void put(String name, String region, int begin, int end) throws Exception {
        UpsertWriter writer = connection.getTable(path(name)).newUpsert().createWriter();
        for (int id = begin; id < end; id++) {
            writer.upsert(GenericRow.of(id, string(region), string("v" + id)));
        }
        writer.flush();
    }

    private void bucketCountRefused() throws Exception {
        create("plain");
        fails(InvalidAlterTableException.class, () -> changeBuckets("plain", 3), "partitioned");
        create("many", describe(KEYED, 1, "id").partitionedBy("region").build());
        fails(TooManyBucketsException.class, () -> changeBuckets("many", 5000), "4096");
    }
}
