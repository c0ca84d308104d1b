import { join } from "node:path";
import { parseArgs } from "node:util";
import { CASE_NAMES } from "../render-chart.ts";
import { applyBroken, applyCase, createNamespace, defineCustomResources } from "./checks.ts";
import { installKubernetes } from "./install.ts";
import { Kubernetes } from "./kubernetes.ts";
import { KUBERNETES_VERSION } from "./modules.ts";
import { previousChart, upgradeFrom } from "./upgrade.ts";

const USAGE = `node docker/kubernetes/dry-run/main.ts [--from <commit or tag>]

Applies the chart to a kube-apiserver of its own, with every values file, and upgrades to it from an earlier chart (--from; the last
release by default). Needs go, etcd, helm, git and openssl. Exit code 1 when the server refuses something or warns.
`;

const { values } = parseArgs({
  options: { from: { type: "string" }, help: { type: "boolean", default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}

let faults = 0;
async function check(what: string, work: () => Promise<string>): Promise<void> {
  const start = performance.now();
  try {
    const seen = await work();
    console.log(`ok    ${what}: ${seen} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    faults += 1;
    const { message } = error as Error;
    console.log(`FAULT ${what}:\n${message.replaceAll(/^/gm, "      ")}`);
  }
}

const tools = installKubernetes();
const kubernetes = await Kubernetes.start(tools);
const stop = (): void => void kubernetes.stop().finally(() => process.exit(1));
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
console.log(`kube-apiserver ${KUBERNETES_VERSION} at ${kubernetes.url}`);
try {
  await defineCustomResources(kubernetes, join(tools, "crds"));
  for (const name of CASE_NAMES) {
    await createNamespace(kubernetes, name);
    await check(`values "${name}"`, async () => {
      const { objects, pods } = await applyCase(kubernetes, name);
      return `${objects} objects taken as a dry run and in earnest, unchanged when applied again, ${pods} pods taken`;
    });
  }
  await check("charts that break a rule", async () => `${await applyBroken(kubernetes)} refused`);
  const from = values.from ?? (await previousChart());
  for (const name of ["trial", "production"]) {
    const namespace = `${name}-upgrade`;
    await createNamespace(kubernetes, namespace);
    await check(`the chart of ${from} with its values-${name}.yaml`, async () => {
      await upgradeFrom(kubernetes, from, name, namespace);
      return "installed, upgraded twice and rolled back by helm";
    });
  }
} finally {
  await kubernetes.stop();
}
if (faults > 0) console.log(`${faults} faults`);
process.exitCode = faults > 0 ? 1 : 0;
