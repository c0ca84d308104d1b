import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, PROJECT_FOLDER, ServerProcess } from "@fanfare/testing";
import { parse, stringify } from "yaml";

/** The placeholder of the documents. */
const WEBHOOK_URL = "https://chat.example.org/api/webhooks/ID/TOKEN";
const ALERTMANAGER = "127.0.0.1:9093";

/** A configuration file that the runbooks show, with some values replaced. */
async function documented(name: string, values: Record<string, string>): Promise<Record<string, unknown>> {
  const runbooks = await readFile(join(PROJECT_FOLDER, "docs/run/runbooks.md"), "utf8");
  const shown = runbooks.split("```yaml\n").find((block) => block.startsWith(`# ${name}\n`));
  let config = shown?.split("```")[0];
  for (const [placeholder, value] of Object.entries(values)) {
    if (config?.includes(placeholder) !== true)
      throw new Error(`docs/run/runbooks.md shows no ${name} with ${placeholder}.`);
    config = config.replace(placeholder, value);
  }
  return parse(config!) as Record<string, unknown>;
}

/** How Prometheus finds the Alertmanager. */
export const alertingOf = (alertmanager: ServerProcess): Promise<object> =>
  documented("prometheus.yml", { [ALERTMANAGER]: new URL(alertmanager.url).host });

/**
 * Starts a real Alertmanager with the documented configuration, but without its waiting times.
 * @throws {Error} if it does not start
 */
export async function startAlertmanager(webhookUrl: string): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-alertmanager-"));
  const config = await documented("alertmanager.yml", { [WEBHOOK_URL]: webhookUrl });
  Object.assign(config["route"] as object, { group_wait: "1s", group_interval: "1s" });
  const file = join(folder, "alertmanager.yml");
  await writeFile(file, stringify(config), { mode: 0o600 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = new ServerProcess({
    name: "alertmanager",
    command: "prometheus-alertmanager",
    args: [
      `--config.file=${file}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
    ],
    folder,
    temporary: true,
    port,
    url,
    isReady: async () => (await fetch(`${url}/-/ready`)).ok,
  });
  await server.start();
  return server;
}
