import java.util.List;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.exception.AuthenticationException;
import org.apache.fluss.metadata.DatabaseDescriptor;

/** Logs in as a user with every right: LoginCheck HOST:PORT DATABASE USER PASSWORD. */
final class LoginCheck extends Checks {
    private final String user;
    private final String password;

    private LoginCheck(String bootstrap, String database, String user, String password) {
        super(bootstrap, database, login(user, password));
        this.user = user;
        this.password = password;
    }

    static String[] login(String user, String password) {
        return new String[] {
            "client.security.protocol",
            "SASL",
            "client.security.sasl.mechanism",
            "PLAIN",
            "client.security.sasl.username",
            user,
            "client.security.sasl.password",
            password
        };
    }

    public static void main(String[] arguments) throws Exception {
        new LoginCheck(arguments[0], arguments[1], arguments[2], arguments[3]).runAll();
        System.out.println("end");
        System.exit(0);
    }

    @Override
    void runAll() throws Exception {
        check("rows go in and come out", this::rows);
        check("a login in the form of JAAS", this::jaas);
        check("a wrong password", () -> refused(user, password + "x"));
        check("an unknown user", () -> refused("nobody", password));
        check("no login", this::noLogin);
    }

    private void rows() throws Exception {
        get(admin.createDatabase(database, DatabaseDescriptor.EMPTY, true));
        Table table = create("t");
        append(table, 0, 100);
        equal(100, read(table, 100).size());
        get(admin.dropDatabase(database, false, true));
    }

    private void jaas() throws Exception {
        String text =
                "org.apache.fluss.security.auth.sasl.plain.PlainLoginModule required username=\""
                        + user
                        + "\" password=\""
                        + password
                        + "\";";
        List<String> names =
                get(connect("client.security.protocol", "SASL", "client.security.sasl.jaas.config", text)
                                .getAdmin()
                                .listDatabases());
        that(names.contains("fluss"), "the default database in " + names);
    }

    private void refused(String name, String secret) {
        fails(
                AuthenticationException.class,
                () -> rootCause(() -> get(connect(login(name, secret)).getAdmin().listDatabases())),
                "user name or password is wrong");
    }

    private void noLogin() {
        fails(
                AuthenticationException.class,
                () -> rootCause(() -> get(connect().getAdmin().listDatabases())),
                "client.security.protocol=SASL");
    }
}
