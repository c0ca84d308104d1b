import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { freePort, ServerProcess } from "@fanfare/testing";
import { CASE_NAMES, helmTemplate, renderChart, type KubernetesObject } from "./render-chart.ts";

const USAGE = `KUBEBUILDER_ASSETS=<folder> node docker/kubernetes/dry-run.ts [--from <commit or tag>]

Applies the chart with every values file to a kube-apiserver of its own, and upgrades to it from an earlier chart (--from; the last
release by default). Needs etcd, kube-apiserver and kubectl in KUBEBUILDER_ASSETS or on the PATH, and helm, git and openssl. Exit code 1
when the server refuses something or warns.
`;

const PROJECT_FOLDER = fileURLToPath(new URL("../..", import.meta.url));
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 250;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const APPLY = ["apply", "--server-side", "--validate=strict", "-f", "-"];
/** The strictest pod security standard. Violations cause warnings, which are treated as errors here. */
const RESTRICTED = ["enforce", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);

const run = promisify(execFile);
const flags = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`);

type Kubectl = (args: readonly string[], input?: readonly KubernetesObject[]) => Promise<string>;

/** Runs `work` with a control plane of etcd and kube-apiserver, which validates and stores objects but runs no pods. */
async function withControlPlane(work: (kubectl: Kubectl) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-kubernetes-"));
  const [clients, peers, secure] = [await freePort(), await freePort(), await freePort()];
  const etcd = etcdServer(folder, clients, peers);
  const apiserver = apiServer(folder, secure, etcd.url);
  const config = join(folder, "config.yaml");
  const kubectl: Kubectl = async (args, input) => {
    const command = run(
      "kubectl",
      [
        ...flags({ kubeconfig: config, "cache-dir": join(folder, "discovery") }),
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
  };
  try {
    const token = randomBytes(16).toString("hex");
    await writeFile(join(folder, "tokens.csv"), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
    await writeFile(config, kubeconfig(apiserver.url, token), { mode: 0o600 });
    await run("openssl", ["genrsa", "-out", join(folder, "accounts.key"), "2048"]);
    await etcd.start();
    await apiserver.start();
    await waitUntilReady(kubectl);
    await work(kubectl);
  } finally {
    await apiserver.stop();
    await etcd.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function etcdServer(folder: string, port: number, peers: number): ServerProcess {
  const url = `http://127.0.0.1:${port}`;
  const args = flags({
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": url,
    "advertise-client-urls": url,
    "listen-peer-urls": `http://127.0.0.1:${peers}`,
  });
  const isReady = async (): Promise<boolean> => (await fetch(`${url}/health`)).ok;
  return new ServerProcess({
    name: "etcd",
    command: "etcd",
    args,
    folder,
    temporary: false,
    port,
    url,
    isReady,
  });
}

function apiServer(folder: string, port: number, etcd: string): ServerProcess {
  const key = join(folder, "accounts.key");
  const args = flags({
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
  });
  const [name, url] = ["kube-apiserver", `https://127.0.0.1:${port}`];
  const isReady = (printed: string): boolean => printed.includes("Serving securely");
  return new ServerProcess({ name, command: name, args, folder, temporary: false, port, url, isReady });
}

function kubeconfig(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    clusters: [{ name: "it", cluster: { server, "certificate-authority": "certificates/apiserver.crt" } }],
    users: [{ name: "it", user: { token } }],
  });
}

async function waitUntilReady(kubectl: Kubectl): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      await kubectl(["get", "--raw", "/readyz"]);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(POLL_MS);
    }
  }
}

async function createNamespace(kubectl: Kubectl, name: string): Promise<string[]> {
  await kubectl(["create", "namespace", name]);
  await kubectl(["label", "namespace", name, ...RESTRICTED]);
  return ["--namespace", name];
}

/** Omits custom resources, which the server doesn't know; tests check them against their schemas. */
const ownKinds = (objects: readonly KubernetesObject[]): KubernetesObject[] =>
  objects.filter(({ apiVersion }) => !/gateway\.networking|monitoring\.coreos/.test(apiVersion));

/** Applies objects as a dry run, then for real, then once more, which must change nothing. */
async function applyChart(
  kubectl: Kubectl,
  namespace: string[],
  objects: KubernetesObject[],
): Promise<string> {
  await kubectl([...APPLY, ...namespace, "--dry-run=server"], objects);
  await kubectl([...APPLY, ...namespace], objects);
  const stored = async (): Promise<string> =>
    (await kubectl(["get", "-f", "-", "-o", "yaml", ...namespace], objects)).replaceAll(
      /^ *resourceVersion:.*$/gm,
      "",
    );
  const before = await stored();
  await kubectl([...APPLY, ...namespace], objects);
  if ((await stored()) !== before) throw new Error("Applying the objects again changes some of them.");
  return `${objects.length} objects accepted, unchanged when applied again`;
}

/** Applies the chart of another commit, then the current one with the same values, to detect changes of immutable fields. */
async function upgrade(kubectl: Kubectl, from: string, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-previous-"));
  try {
    const archive = join(folder, "previous.tar");
    await run("git", ["archive", "--format=tar", "-o", archive, from, "docker"], { cwd: PROJECT_FOLDER });
    await run("tar", ["-xf", archive, "-C", folder]);
    const previous = join(folder, "docker/kubernetes/chart");
    const values = [join(previous, `values-${name}.yaml`)];
    const namespace = await createNamespace(kubectl, `${name}-upgrade`);
    for (const objects of [await helmTemplate(values, previous), await helmTemplate(values)])
      await kubectl([...APPLY, ...namespace, "--force-conflicts"], ownKinds(objects));
    return "upgraded";
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function lastRelease(): Promise<string | undefined> {
  const described = run("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"], {
    cwd: PROJECT_FOLDER,
  });
  return described.then(({ stdout }) => stdout.trim()).catch(() => undefined);
}

async function check(what: string, work: () => Promise<string>): Promise<void> {
  try {
    console.log(`ok    ${what}: ${await work()}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAULT ${what}:\n${(error as Error).message.replaceAll(/^/gm, "      ")}`);
  }
}

const { values } = parseArgs({
  options: { from: { type: "string" }, help: { type: "boolean", default: false } },
});
if (values.help) process.stdout.write(USAGE);
else {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets !== undefined) process.env["PATH"] = [assets, process.env["PATH"]].join(delimiter);
  await withControlPlane(async (kubectl) => {
    for (const name of CASE_NAMES) {
      const namespace = await createNamespace(kubectl, name);
      await check(`values "${name}"`, async () =>
        applyChart(kubectl, namespace, ownKinds(await renderChart(name))),
      );
    }
    const from = values.from ?? (await lastRelease());
    if (from === undefined) console.log("There is no release to upgrade from: name a commit with --from.");
    else
      for (const name of ["trial", "production"])
        await check(`the chart of ${from} with its values-${name}.yaml`, () => upgrade(kubectl, from, name));
  });
}
