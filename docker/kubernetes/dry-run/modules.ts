import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pinned = readFileSync(new URL("server/go.mod", import.meta.url), "utf8");

/** Such as v1.36.3. */
export const KUBERNETES_VERSION = /^require k8s\.io\/kubernetes (v\S+)$/m.exec(pinned)![1]!;
/** The Go that this Kubernetes asks for, such as 1.26. */
export const GO_VERSION = /^go (\d+\.\d+)/m.exec(pinned)![1]!;
export const KUBERNETES_MODULE = `k8s.io/kubernetes@${KUBERNETES_VERSION}`;

const GATEWAY_API = "sigs.k8s.io/gateway-api@v1.4.0";
const PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0";

/** Where the kinds are defined that the chart makes and Kubernetes does not bring: modules and files in them. */
export const CUSTOM_RESOURCES: readonly (readonly [string, string])[] = [
  [GATEWAY_API, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"],
  ...["podmonitors", "servicemonitors", "prometheusrules"].map(
    (name) =>
      [PROMETHEUS_OPERATOR, `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`] as const,
  ),
];

/**
 * The folder of a Go module, which is downloaded where it is not there yet; Go holds it against its checksum.
 * @throws {Error} when it cannot be had
 */
export function folderOfModule(module: string, go = "go"): string {
  const answer = execFileSync(go, ["mod", "download", "-json", module], { encoding: "utf8" });
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

/** Copies the definitions of all custom resources into a folder. */
export function copyCustomResources(folder: string, go: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [index, [module, path]] of CUSTOM_RESOURCES.entries())
    writeFileSync(join(folder, `${index}.yaml`), readFileSync(join(folderOfModule(module, go), path)));
}
