import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.apache.fluss.client.admin.Admin;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.exception.AuthorizationException;
import org.apache.fluss.metadata.DatabaseDescriptor;
import org.apache.fluss.security.acl.AccessControlEntry;
import org.apache.fluss.security.acl.AccessControlEntryFilter;
import org.apache.fluss.security.acl.AclBinding;
import org.apache.fluss.security.acl.AclBindingFilter;
import org.apache.fluss.security.acl.FlussPrincipal;
import org.apache.fluss.security.acl.OperationType;
import org.apache.fluss.security.acl.PermissionType;
import org.apache.fluss.security.acl.Resource;
import org.apache.fluss.security.acl.ResourceFilter;
import org.apache.fluss.security.acl.ResourceType;

/** A super user grants rights to another: RightsCheck HOST:PORT DATABASE SUPER PASSWORD USER PASSWORD. */
final class RightsCheck extends Checks {
    private final String[] user;
    private final FlussPrincipal principal;

    private RightsCheck(String[] arguments) {
        super(arguments[0], arguments[1], LoginCheck.login(arguments[2], arguments[3]));
        this.user = LoginCheck.login(arguments[4], arguments[5]);
        this.principal = new FlussPrincipal(arguments[4], "User");
    }

    public static void main(String[] arguments) throws Exception {
        new RightsCheck(arguments).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        get(admin.createDatabase(database, DatabaseDescriptor.EMPTY, true));
        Table table = create("t");
        append(table, 0, 10);
        check("nothing without a right", this::nothing);
        check("rights of the table", this::tableRights);
        check("entries in and out", this::entries);
        check("a right on the database", this::databaseRight);
        get(admin.dropDatabase(database, false, true));
    }

    private AclBinding binding(Resource resource, OperationType operation) {
        return new AclBinding(resource, new AccessControlEntry(principal, "*", operation, PermissionType.ALLOW));
    }

    private AclBindingFilter ofUser() {
        return new AclBindingFilter(
                ResourceFilter.ANY,
                new AccessControlEntryFilter(principal, null, OperationType.ANY, PermissionType.ANY));
    }

    private void grant(AclBinding... bindings) throws Exception {
        get(admin.createAcls(Arrays.asList(bindings)).all());
    }

    private void revoke() throws Exception {
        get(admin.dropAcls(Collections.singletonList(ofUser())).all());
    }

    private void nothing() throws Exception {
        Admin mine = connect(user).getAdmin();
        that(!get(mine.listDatabases()).contains(database), "the database is not shown");
        fails(AuthorizationException.class, () -> get(mine.getTableInfo(path("t"))), database + ".t", "DESCRIBE");
        fails(
                AuthorizationException.class,
                () -> get(mine.createDatabase(database + "_x", DatabaseDescriptor.EMPTY, true)),
                "CREATE",
                "fluss-cluster");
        fails(AuthorizationException.class, () -> get(mine.dropTable(path("t"), true)), "DROP");
        fails(
                AuthorizationException.class,
                () -> get(mine.createAcls(
                                        Collections.singletonList(
                                                binding(Resource.cluster(), OperationType.ALL)))
                                .all()));
    }

    private void tableRights() throws Exception {
        Resource resource = Resource.table(database, "t");
        grant(binding(resource, OperationType.READ));
        Table readable = connect(user).getTable(path("t"));
        equal(10, read(readable, 10).size());
        fails(AuthorizationException.class, () -> append(readable, 10, 11), "WRITE");
        grant(binding(resource, OperationType.WRITE));
        Table writable = connect(user).getTable(path("t"));
        append(writable, 10, 20);
        equal(20, read(writable, 20).size());
        revoke();
        fails(AuthorizationException.class, () -> append(writable, 20, 21), "WRITE");
    }

    private void entries() throws Exception {
        Resource resource = Resource.table(database, "t");
        grant(binding(resource, OperationType.READ), binding(Resource.database(database), OperationType.ALTER));
        Collection<AclBinding> listed = get(admin.listAcls(ofUser()));
        equal(2, listed.size());
        that(listed.contains(binding(resource, OperationType.READ)), "the entry comes back as it was: " + listed);
        AclBindingFilter ofTables =
                new AclBindingFilter(new ResourceFilter(ResourceType.TABLE, null), AccessControlEntryFilter.ANY);
        that(
                get(admin.listAcls(ofTables)).contains(binding(resource, OperationType.READ)),
                "a filter by the type of resource");
        Collection<AclBinding> dropped = get(admin.dropAcls(Collections.singletonList(ofUser())).all());
        equal(2, dropped.size());
        equal(0, get(admin.listAcls(ofUser())).size());
    }

    private void databaseRight() throws Exception {
        grant(binding(Resource.database(database), OperationType.ALL));
        Admin mine = connect(user).getAdmin();
        List<String> databases = get(mine.listDatabases());
        that(databases.contains(database), "the database is shown in " + databases);
        get(mine.createTable(path("mine"), describe(ID_AND_NAME, 1).build(), false));
        get(mine.dropTable(path("mine"), false));
        revoke();
    }
}
