import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, ServerProcess } from "@fanfare/testing";
import { stringify } from "yaml";

const SCRAPE_SECONDS = 1;

export type Sample = { metric: Record<string, string>; value: [number, string] };

export class Prometheus {
  readonly #process: ServerProcess;

  private constructor(process: ServerProcess) {
    this.#process = process;
  }

  /**
   * Starts a real Prometheus that scrapes every second.
   * @param targets host:port of ops servers
   * @param more of its configuration
   * @throws {Error} if it does not start
   */
  static async start(targets: readonly string[], rulesFile: string, more: object = {}): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-prometheus-"));
    const config = join(folder, "prometheus.yml");
    const every = `${SCRAPE_SECONDS}s`;
    await writeFile(
      config,
      stringify({
        global: { scrape_interval: every, evaluation_interval: every },
        rule_files: [rulesFile],
        scrape_configs: [{ job_name: "fanfare", static_configs: [{ targets }] }],
        ...more,
      }),
    );
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const process = new ServerProcess({
      name: "prometheus",
      command: "prometheus",
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      folder,
      temporary: true,
      port,
      url,
      isReady: async () => (await fetch(`${url}/-/ready`)).ok,
    });
    await process.start();
    return new Prometheus(process);
  }

  /** @throws {Error} with Prometheus' message if the query is invalid */
  async query(expr: string): Promise<Sample[]> {
    const { result } = await this.#get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expr)}`);
    return result;
  }

  async rules(): Promise<{ name: string; health: string; lastError?: string }[]> {
    type Group = { rules: { name: string; health: string; lastError?: string }[] };
    const { groups } = await this.#get<{ groups: Group[] }>("rules");
    return groups.flatMap(({ rules }) => rules);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#process.url}/api/v1/${path}`);
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    if (answer.status !== "success") throw new Error(`Prometheus says: ${answer.error}`);
    return answer.data;
  }
}
