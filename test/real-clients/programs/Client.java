import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;

/** Sends requests with the client of the Java platform: see `clients.ts`. */
public class Client {
  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    String mode = arguments[1];
    HttpClient.Builder builder = HttpClient.newBuilder();
    // By default, the client offers `Upgrade: h2c` with the first request of each connection.
    if (!mode.equals("h2c")) builder.version(HttpClient.Version.HTTP_1_1);
    HttpClient client = builder.build();
    for (String request : List.of(arguments).subList(2, arguments.length)) {
      String key = request.split(":")[0];
      int size = Integer.parseInt(request.split(":")[1]);
      var response = client.send(requestOf(url, mode, key, size), BodyHandlers.ofString());
      System.out.printf(
          "{\"status\":%d,\"errorCode\":\"%s\",\"version\":\"%s\",\"body\":%s}%n",
          response.statusCode(),
          response.headers().firstValue("x-error-code").orElse(""),
          response.version(),
          response.body());
    }
    // Its idle connections would keep the program running for a while.
    System.exit(0);
  }

  private static HttpRequest requestOf(String url, String mode, String key, int size) {
    HttpRequest.Builder builder = HttpRequest.newBuilder().header("api-key", key);
    if (size == 0) return builder.uri(URI.create(url + "/compounds")).build();
    byte[] body = ("{\"name\":\"" + "x".repeat(size - 11) + "\"}").getBytes();
    return builder
        .uri(URI.create(url + "/leads"))
        .header("Content-Type", "application/json")
        .POST(
            mode.equals("chunked")
                ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))
                : BodyPublishers.ofByteArray(body))
        .build();
  }
}
