import com.marcnuri.helm.Helm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;

/**
 * Runs one command of Helm per line of the standard input: `lint`, CHART, or `template`, CHART, RELEASE, VALUES, separated by tabs.
 * Answers each with a line: `ok` or `failed`, and the text in base64. One process for all, because loading Helm takes most of
 * the time.
 */
public class HelmCommand {
  /** The library's own default is older than the chart allows. */
  private static final String KUBERNETES = "1.31.0";

  public static void main(String[] args) throws IOException {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        answer("ok", run(line.split("\t")));
      } catch (RuntimeException failure) {
        answer("failed", String.valueOf(failure.getMessage()));
      }
    }
  }

  private static void answer(String outcome, String text) {
    var encoded = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    System.out.println(outcome + " " + encoded);
  }

  private static String run(String[] command) {
    var chart = new Helm(Path.of(command[1]));
    if (command[0].equals("lint")) {
      var result = chart.lint().strict().call();
      var messages = String.join("\n", result.getMessages());
      if (result.isFailed()) throw new IllegalStateException(messages);
      return messages;
    }
    return chart
        .template()
        .withName(command[2])
        .withNamespace("history")
        .withKubeVersion(KUBERNETES)
        .withValuesFile(Path.of(command[3]))
        .call();
  }
}
