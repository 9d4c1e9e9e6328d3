import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.RESTSerializers;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;

/**
 * An Iceberg REST catalog under test: what is asked is done by the Java library of Iceberg, in a JdbcCatalog.
 *
 * <p>Arguments: key=value of the JdbcCatalog..., with "prefix", and "credential" where requests need a token. Prints
 * its port.
 *
 * <p>POST /test/faults: words, each the fate of one commit to come: "ok"; "409", "500" or "503" (not done); "500-done"
 * and "lost-done" (done, and answered so or not at all); "lost" (neither); in place of those that are left. POST
 * /test/expire: no token of before is taken any more.
 */
public final class RestServer {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final JdbcCatalog catalog = new JdbcCatalog();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicInteger tokens = new AtomicInteger();
    private final String prefix;
    private final String credential;

    private RestServer(Map<String, String> properties) {
        prefix = properties.getOrDefault("prefix", "");
        credential = properties.get("credential");
        catalog.setConf(new Configuration());
        catalog.initialize("rest", properties);
    }

    public static void main(String[] arguments) throws Exception {
        JSON.setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
        JSON.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
        JSON.setPropertyNamingStrategy(new PropertyNamingStrategies.KebabCaseStrategy());
        RESTSerializers.registerAll(JSON);
        Map<String, String> properties = new HashMap<>();
        properties.put("clients", "1");
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            properties.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        RestServer rest = new RestServer(properties);
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", rest::serve);
        http.setExecutor(Executors.newFixedThreadPool(4));
        http.start();
        System.out.println(http.getAddress().getPort());
    }

    private record Answer(int status, Object body) {}

    private void serve(HttpExchange exchange) throws IOException {
        Answer answer;
        try {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            answer = answer(exchange, body);
        } catch (NoSuchTableException | NoSuchNamespaceException e) {
            answer = error(404, e);
        } catch (AlreadyExistsException | CommitFailedException e) {
            answer = error(409, e);
        } catch (IllegalArgumentException | ValidationException e) {
            answer = error(400, e);
        } catch (Exception e) {
            e.printStackTrace();
            answer = error(500, e);
        }
        if (answer == null) { // the connection ends without one
            exchange.close();
            return;
        }
        byte[] bytes = answer.body == null ? new byte[0] : JSON.writeValueAsBytes(answer.body);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static Answer error(int status, Exception e) {
        Map<String, Object> error = new HashMap<>();
        error.put("message", String.valueOf(e.getMessage()));
        error.put("type", e.getClass().getSimpleName());
        error.put("code", status);
        return new Answer(status, Map.of("error", error));
    }

    private Answer answer(HttpExchange exchange, String body) throws Exception {
        String method = exchange.getRequestMethod();
        List<String> path = Arrays.stream(exchange.getRequestURI().getRawPath().substring(1).split("/"))
                .map(part -> URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8))
                .toList();
        switch (String.join("/", path)) {
            case "test/faults":
                faults.clear();
                faults.addAll(Arrays.asList(body.trim().split("\\s+")));
                return new Answer(204, null);
            case "test/expire":
                tokens.incrementAndGet();
                return new Answer(204, null);
            case "v1/oauth/tokens":
                return token(body);
            default:
                break;
        }
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        if (credential != null && !("Bearer token-" + tokens.get()).equals(authorization)) {
            return error(authorization == null ? 401 : 419, new SecurityException("no token, or an old one"));
        }
        if (path.equals(List.of("v1", "config"))) {
            Map<String, String> overrides = prefix.isEmpty() ? Map.of() : Map.of("prefix", prefix);
            return new Answer(200, Map.of("defaults", Map.of(), "overrides", overrides));
        }
        int first = prefix.isEmpty() ? 1 : 2;
        boolean isOurs = path.size() > first && path.get(0).equals("v1") && path.get(first).equals("namespaces");
        if (!isOurs || (first == 2 && !path.get(1).equals(prefix))) {
            return error(404, new IllegalStateException("no such path"));
        }
        return answer(method, path.subList(first + 1, path.size()), body);
    }

    private Answer token(String form) {
        int colon = credential.indexOf(':');
        String id = "client_id=" + credential.substring(0, colon);
        String secret = "client_secret=" + credential.substring(colon + 1);
        List<String> fields = Arrays.asList(form.split("&"));
        if (!fields.contains("grant_type=client_credentials") || !fields.contains(id) || !fields.contains(secret)) {
            return new Answer(400, Map.of("error", "invalid_client"));
        }
        String token = "token-" + tokens.get();
        return new Answer(200, Map.of("access_token", token, "token_type", "bearer", "expires_in", 3600));
    }

    /** What is asked of namespaces: the rest of the path is a namespace, "tables" and a table, as far as it goes. */
    private Answer answer(String method, List<String> path, String body) throws Exception {
        Namespace namespace = path.isEmpty() ? Namespace.empty() : Namespace.of(path.get(0).split("\u001f"));
        TableIdentifier table = path.size() > 2 ? TableIdentifier.of(namespace, path.get(2)) : null;
        switch (method + " " + path.size()) {
            case "GET 0":
                return new Answer(200, CatalogHandlers.listNamespaces(catalog, namespace));
            case "POST 0":
                CreateNamespaceRequest made = JSON.readValue(body, CreateNamespaceRequest.class);
                return new Answer(200, CatalogHandlers.createNamespace(catalog, made));
            case "GET 1":
                return new Answer(200, CatalogHandlers.loadNamespace(catalog, namespace));
            case "GET 2":
                return new Answer(200, CatalogHandlers.listTables(catalog, namespace));
            case "POST 2":
                CreateTableRequest create = JSON.readValue(body, CreateTableRequest.class);
                return new Answer(200, CatalogHandlers.createTable(catalog, namespace, create));
            case "GET 3":
                return new Answer(200, CatalogHandlers.loadTable(catalog, table));
            case "DELETE 3":
                CatalogHandlers.dropTable(catalog, table);
                return new Answer(204, null);
            case "POST 3":
                return commit(table, JSON.readValue(body, UpdateTableRequest.class));
            case "POST 4": // metrics
                return new Answer(204, null);
            default:
                return error(405, new IllegalStateException("no such method"));
        }
    }

    private Answer commit(TableIdentifier table, UpdateTableRequest request) {
        String fate = faults.peek() == null ? "ok" : faults.poll();
        Answer done = null;
        if (fate.equals("ok") || fate.endsWith("-done")) {
            done = new Answer(200, CatalogHandlers.updateTable(catalog, table, request));
        }
        switch (fate) {
            case "ok":
                return done;
            case "lost":
            case "lost-done":
                return null;
            default:
                int status = Integer.parseInt(fate.substring(0, 3));
                return error(status, new IllegalStateException("as it was told"));
        }
    }
}
