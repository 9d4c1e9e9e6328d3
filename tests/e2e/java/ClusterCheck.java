import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.fluss.cluster.rebalance.GoalType;
import org.apache.fluss.cluster.rebalance.RebalanceProgress;
import org.apache.fluss.cluster.rebalance.RebalanceStatus;
import org.apache.fluss.cluster.rebalance.ServerTag;
import org.apache.fluss.config.cluster.AlterConfig;
import org.apache.fluss.config.cluster.AlterConfigOpType;
import org.apache.fluss.config.cluster.ConfigEntry;
import org.apache.fluss.exception.InvalidReplicationFactorException;
import org.apache.fluss.exception.InvalidTableException;
import org.apache.fluss.exception.NoRebalanceInProgressException;
import org.apache.fluss.exception.RebalanceFailureException;
import org.apache.fluss.exception.ServerNotExistException;
import org.apache.fluss.exception.ServerTagAlreadyExistException;
import org.apache.fluss.exception.ServerTagNotExistException;
import org.apache.fluss.metadata.TableDescriptor;

/**
 * Options of the cluster, server tags and rebalances by the official Java client; for client 0.9.1 and 1.0.0.
 *
 * <p>Arguments: bootstrap server of a server of its own, a database; property `warehouse`: a folder for a lake.
 */
public final class ClusterCheck extends Checks {
    private static final String LIMIT = "server.data-disk.write-limit-ratio";
    private static final String RECOVER = "server.data-disk.write-recover-ratio";

    ClusterCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new ClusterCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("disk ratios", this::diskRatios);
        check("unknown option", this::unknownOption);
        check("lake switched on", this::lakeSwitchedOn);
        check("server tags", this::serverTags);
        check("rebalance", this::rebalance);
    }

    private static AlterConfig set(String key, String value) {
        return new AlterConfig(key, value, AlterConfigOpType.SET);
    }

    private static AlterConfig delete(String key) {
        return new AlterConfig(key, null, AlterConfigOpType.DELETE);
    }

    private void alter(AlterConfig... changes) throws Exception {
        get(admin.alterClusterConfigs(Arrays.asList(changes)));
    }

    private Map<String, ConfigEntry> entries() throws Exception {
        Map<String, ConfigEntry> entries = new HashMap<>();
        for (ConfigEntry entry : get(admin.describeClusterConfigs())) {
            entries.put(entry.key(), entry);
        }
        return entries;
    }

    private void entry(String key, String value) throws Exception {
        equal(new ConfigEntry(key, value, ConfigEntry.ConfigSource.DYNAMIC_SERVER_CONFIG), entries().get(key));
    }

    // Client 0.9.1 does not know the code of ConfigException.
    private void refuses(String word, AlterConfig... changes) {
        fails(org.apache.fluss.exception.ApiException.class, () -> alter(changes), word);
    }

    private void diskRatios() throws Exception {
        alter(set(LIMIT, "0.95"), set(RECOVER, "0.90"));
        entry(LIMIT, "0.95");
        entry(RECOVER, "0.90");
        for (String wrong : Arrays.asList("0.0", "0.90", "1.5")) {
            refuses("server.data-disk", set(LIMIT, wrong));
        }
        entry(LIMIT, "0.95");
        alter(delete(LIMIT), delete(RECOVER));
        that(!entries().containsKey(LIMIT), "an option that was deleted is still there");
    }

    private void unknownOption() throws Exception {
        refuses("not.exist.key", set("not.exist.key", "value"));
    }

    private void lakeSwitchedOn() throws Exception {
        TableDescriptor descriptor = describe(ID_AND_NAME, 1).property("table.datalake.enabled", "true").build();
        fails(InvalidTableException.class, () -> create("lake", descriptor));
        String warehouse = System.getProperty("warehouse");
        alter(set("datalake.format", "paimon"), set("datalake.paimon.warehouse", warehouse));
        create("lake", descriptor);
        Map<String, String> properties = get(admin.getTableInfo(path("lake"))).getProperties().toMap();
        equal("paimon", properties.get("table.datalake.format"));
        equal(warehouse, properties.get("table.datalake.paimon.warehouse"));
        alter(set("datalake.format", null));
        entry("datalake.format", null);
        fails(InvalidTableException.class, () -> create("no_lake", descriptor));
        alter(delete("datalake.format"), delete("datalake.paimon.warehouse"));
    }

    private void serverTags() throws Exception {
        List<Integer> all = Collections.singletonList(0);
        fails(
                ServerNotExistException.class,
                () -> get(admin.addServerTag(Arrays.asList(0, 100), ServerTag.PERMANENT_OFFLINE)),
                "100");
        get(admin.addServerTag(all, ServerTag.PERMANENT_OFFLINE));
        fails(
                ServerTagAlreadyExistException.class,
                () -> get(admin.addServerTag(all, ServerTag.TEMPORARY_OFFLINE)));
        fails(InvalidReplicationFactorException.class, () -> create("nowhere"));
        fails(
                ServerTagNotExistException.class,
                () -> get(admin.removeServerTag(all, ServerTag.TEMPORARY_OFFLINE)));
        get(admin.removeServerTag(all, ServerTag.PERMANENT_OFFLINE));
        get(admin.removeServerTag(all, ServerTag.PERMANENT_OFFLINE));
        create("somewhere");
    }

    private void rebalance() throws Exception {
        equal(Optional.empty(), get(admin.listRebalanceProgress(null)));
        create("balanced");
        String id = get(admin.rebalance(Arrays.asList(GoalType.REPLICA_DISTRIBUTION, GoalType.LEADER_DISTRIBUTION)));
        for (String asked : Arrays.asList(null, id)) {
            RebalanceProgress progress = get(admin.listRebalanceProgress(asked)).get();
            equal(id, progress.rebalanceId());
            equal(RebalanceStatus.COMPLETED, progress.status());
            equal(Collections.emptyMap(), progress.progressForBucketMap());
        }
        fails(NoRebalanceInProgressException.class, () -> get(admin.listRebalanceProgress("unknown")));
        fails(NoRebalanceInProgressException.class, () -> get(admin.cancelRebalance("unknown")));
        get(admin.cancelRebalance(id));
        fails(RebalanceFailureException.class, () -> get(admin.rebalance(Collections.emptyList())));
    }
}
