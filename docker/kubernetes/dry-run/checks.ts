import { renderChart, type Case, type KubernetesObject } from "../render-chart.ts";
import type { Kubernetes } from "./kubernetes.ts";

const APPLY = ["apply", "--server-side", "--validate=strict", "-f", "-"];
const RESTRICTED = ["enforce", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);

/** A namespace that lets in only pods that meet the strictest of the pod security standards. */
export async function createNamespace(kubernetes: Kubernetes, name: string): Promise<void> {
  await kubernetes.kubectl(["create", "namespace", name]);
  await kubernetes.kubectl(["label", "namespace", name, ...RESTRICTED]);
}

/** Defines the custom resources, and waits until the server knows them. */
export async function defineCustomResources(kubernetes: Kubernetes, folder: string): Promise<void> {
  await kubernetes.kubectl(["apply", "--server-side", "-f", folder]);
  await kubernetes.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "-f", folder]);
}

/**
 * Applies what the chart makes of a values file: first as a dry run, then in earnest, then once more, which must change nothing;
 * and offers the server a pod of each template, for nothing here makes pods.
 * @returns how many objects and pods there were
 * @throws {Error} with what the server refused or warned of
 */
export async function applyCase(
  kubernetes: Kubernetes,
  name: Case,
  values: Record<string, unknown> = {},
): Promise<{ objects: number; pods: number }> {
  const objects = await renderChart(name, values);
  const namespace = ["--namespace", name];
  await kubernetes.kubectl([...APPLY, ...namespace, "--dry-run=server"], objects);
  await kubernetes.kubectl([...APPLY, ...namespace], objects);
  const pods = podsOf(objects);
  await kubernetes.kubectl(
    ["create", "--validate=strict", "-f", "-", ...namespace, "--dry-run=server"],
    pods,
  );
  const before = await stored(kubernetes, namespace, objects);
  await kubernetes.kubectl([...APPLY, ...namespace], objects);
  const after = await stored(kubernetes, namespace, objects);
  const changed = [...before].filter(([name, object]) => after.get(name) !== object).map(([name]) => name);
  if (changed.length > 0) throw new Error(`Applied once more, these change: ${changed.join(", ")}`);
  return { objects: objects.length, pods: pods.length };
}

/** A pod as each Deployment and StatefulSet would make it. */
function podsOf(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects
    .filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
    .map(({ metadata, spec }) => {
      const claims = (spec.volumeClaimTemplates ?? []) as KubernetesObject[];
      const volumes = claims.map((claim) => ({
        name: claim["metadata"].name,
        persistentVolumeClaim: { claimName: claim["metadata"].name },
      }));
      const template = spec.template as KubernetesObject;
      return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...template["metadata"], name: metadata.name },
        spec: { ...template["spec"], volumes: [...(template["spec"].volumes ?? []), ...volumes] },
      };
    });
}

/** What the server has of each object, without the number that it counts writes with. */
async function stored(
  kubernetes: Kubernetes,
  namespace: readonly string[],
  objects: readonly KubernetesObject[],
): Promise<Map<string, string>> {
  const printed = await kubernetes.kubectl(["get", "-f", "-", "-o", "json", ...namespace], objects);
  const { items } = JSON.parse(printed) as { items: KubernetesObject[] };
  return new Map(
    items.map((item) => {
      const { resourceVersion: _, ...metadata } = item["metadata"];
      return [`${item["kind"]} ${metadata.name}`, JSON.stringify({ ...item, metadata })];
    }),
  );
}

/** Values that break a rule of the cluster, and what the server says of them: it would be no check if it took them. */
const BROKEN: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ securityContext: { allowPrivilegeEscalation: true } }, "allowPrivilegeEscalation"],
  [{ podSecurityContext: { runAsNonRoot: false } }, "runAsNonRoot"],
  [{ gateway: { service: { port: 70_000 } } }, "65535"],
];

/**
 * Applies charts that break a rule, each of which must be refused.
 * @throws {Error} when one is not
 */
export async function applyBroken(kubernetes: Kubernetes): Promise<number> {
  for (const [values, complaint] of BROKEN) {
    const said = await applyCase(kubernetes, "trial", values).then(
      () => "",
      (error: Error) => error.message,
    );
    if (!said.includes(complaint))
      throw new Error(
        `${JSON.stringify(values)} should be refused for ${complaint}, but: ${said || "it was taken"}`,
      );
  }
  return BROKEN.length;
}
