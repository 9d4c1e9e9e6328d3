import java.util.List;
import org.apache.fluss.client.metadata.RemoteLogManifestInfo;
import org.apache.fluss.exception.TableNotExistException;
import org.apache.fluss.metadata.TableBucket;

/** What the Java client 1.0.0 is told of a log whose older part is in remote storage; arguments as RemoteLogCheck. */
public final class RemoteLogSinceOneCheck extends Checks {
    RemoteLogSinceOneCheck(String bootstrap, String database) {
        super(bootstrap, database);
    }

    public static void main(String[] arguments) throws Exception {
        new RemoteLogSinceOneCheck(arguments[0], arguments[1]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("manifests", this::manifests);
    }

    private void manifests() throws Exception {
        long tableId = get(admin.getTableInfo(path("t"))).getTableId();
        List<RemoteLogManifestInfo> found = get(admin.listRemoteLogManifests(tableId, null));
        equal(1, found.size());
        equal(new TableBucket(tableId, 0), found.get(0).getTableBucket());
        long end = found.get(0).getRemoteLogEndOffset();
        that(end > 0 && end <= RemoteLogCheck.ROWS, "copied up to " + end);
        String place = found.get(0).getRemoteLogManifestPath();
        that(place.contains("/t-" + tableId + "/0/metadata/"), place);
        fails(TableNotExistException.class, () -> get(admin.listRemoteLogManifests(tableId + 1000, null)));
    }
}
