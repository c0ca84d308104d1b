import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort, ServerProcess } from "@fanfare/testing";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 250;
const FOR_ITSELF = { mode: 0o600 };

/** A control plane of etcd and kube-apiserver: it checks and stores objects, and nothing runs. */
export class Kubernetes {
  readonly #tools: string;
  readonly #folder: string;
  readonly #servers: readonly ServerProcess[];
  readonly #url: string;

  private constructor(tools: string, folder: string, servers: readonly ServerProcess[], url: string) {
    this.#tools = tools;
    this.#folder = folder;
    this.#servers = servers;
    this.#url = url;
  }

  /**
   * Starts both on free ports of 127.0.0.1, with all that they store in a temporary folder.
   * @param tools what `installKubernetes` returns
   * @throws {Error} with what they printed when one does not start
   */
  static async start(tools: string): Promise<Kubernetes> {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-kubernetes-"));
    const [clients, peers, secure] = [await freePort(), await freePort(), await freePort()];
    const etcd = etcdServer(folder, clients, peers);
    const token = randomBytes(16).toString("hex");
    const apiserver = apiServer(join(tools, "kube-apiserver"), folder, secure, etcd.url);
    const kubernetes = new Kubernetes(tools, folder, [apiserver, etcd], apiserver.url);
    try {
      await mkdir(join(folder, "certificates"));
      await writeFile(join(folder, "tokens.csv"), `${token},admin,admin,system:masters\n`, FOR_ITSELF);
      await writeFile(kubernetes.config, kubeconfig(apiserver.url, token), FOR_ITSELF);
      await run("openssl", ["genrsa", "-out", join(folder, "accounts.key"), "2048"]);
      await etcd.start();
      await apiserver.start();
      await kubernetes.#waitUntilReady();
      return kubernetes;
    } catch (error) {
      await kubernetes.stop();
      throw error;
    }
  }

  /** The file that kubectl and helm find the server by. */
  get config(): string {
    return join(this.#folder, "config.yaml");
  }

  get url(): string {
    return this.#url;
  }

  /**
   * Runs kubectl; what the server warns of is an error.
   * @param input objects that `-f -` reads
   * @returns what it printed
   * @throws {Error} with what the server said
   */
  async kubectl(args: readonly string[], input?: readonly unknown[]): Promise<string> {
    const command = run(
      join(this.#tools, "kubectl"),
      [
        "--kubeconfig",
        this.config,
        "--cache-dir",
        join(this.#folder, "discovery"),
        "--warnings-as-errors",
        ...args,
      ],
      { maxBuffer: MAX_OUTPUT_BYTES },
    );
    if (input !== undefined)
      command.child.stdin!.end(JSON.stringify({ apiVersion: "v1", kind: "List", items: input }));
    return command.then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => Promise.reject(new Error(error.stderr.trim(), { cause: error })),
    );
  }

  /** Ends both, and removes what they stored. */
  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #waitUntilReady(): Promise<void> {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (;;) {
      try {
        await this.kubectl(["get", "--raw", "/readyz"]);
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await delay(POLL_MS);
      }
    }
  }
}

function etcdServer(folder: string, clients: number, peers: number): ServerProcess {
  const url = `http://127.0.0.1:${clients}`;
  return new ServerProcess({
    name: "etcd",
    command: "etcd",
    args: flags({
      "data-dir": join(folder, "etcd"),
      "listen-client-urls": url,
      "advertise-client-urls": url,
      "listen-peer-urls": `http://127.0.0.1:${peers}`,
    }),
    folder,
    temporary: false,
    port: clients,
    url,
    isReady: async () => (await fetch(`${url}/health`)).ok,
  });
}

function apiServer(command: string, folder: string, port: number, etcd: string): ServerProcess {
  const key = join(folder, "accounts.key");
  return new ServerProcess({
    name: "kube-apiserver",
    command,
    args: flags({
      "etcd-servers": etcd,
      "bind-address": "127.0.0.1",
      "secure-port": String(port),
      "cert-dir": join(folder, "certificates"),
      "service-cluster-ip-range": "10.96.0.0/16",
      "service-account-issuer": "https://kubernetes.default.svc",
      "service-account-key-file": key,
      "service-account-signing-key-file": key,
      "authorization-mode": "RBAC",
      "token-auth-file": join(folder, "tokens.csv"),
      "endpoint-reconciler-type": "none",
    }),
    folder,
    temporary: false,
    port,
    url: `https://127.0.0.1:${port}`,
    isReady: (printed) => printed.includes("Serving securely"),
  });
}

const flags = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`);

function kubeconfig(url: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    clusters: [
      { name: "it", cluster: { server: url, "certificate-authority": "certificates/apiserver.crt" } },
    ],
    users: [{ name: "it", user: { token } }],
  });
}
