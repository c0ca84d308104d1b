import type { Manifest } from "./template.ts";

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

interface Container {
  name: string;
  image: string;
  imagePullPolicy: string;
  args?: string[];
  env?: Variable[];
  resources: Record<"limits" | "requests", { cpu: string; memory: string }>;
}

export interface Workload {
  metadata: { name: string; annotations: Record<string, string> };
  spec: {
    replicas: number;
    revisionHistoryLimit: number;
    template: {
      spec: { automountServiceAccountToken: boolean; containers: Container[]; volumes?: object[] };
    };
  };
}

/** The only kinds that Sealos shows and counts. */
const CPU = new Set(["100m", "200m", "500m", "1", "2", "3", "4", "8"]);
const MEMORY = /^(128|256|512|1024|2048|4096|8192|16384)Mi$/;

/** @param hasSecret whether a Secret has a key */
export function findWorkloadFaults(
  { kind, metadata, spec }: Manifest & Workload,
  hasSecret: (name: string, key: string) => boolean,
): string[] {
  const pod = spec.template.spec;
  const faults = pod.containers.flatMap((container) => [
    ...variableFaults(container, hasSecret),
    ...(container.name === metadata.name ? [] : ["the container must have its name"]),
    ...(container.imagePullPolicy === "IfNotPresent" ? [] : ["imagePullPolicy must be IfNotPresent"]),
    ...(metadata.annotations["originImageName"] === container.image ? [] : ["originImageName is another"]),
    ...(CPU.has(container.resources.limits.cpu) && MEMORY.test(container.resources.limits.memory)
      ? []
      : ["its limits are none that Sealos offers"]),
  ]);
  if (spec.revisionHistoryLimit !== 1) faults.push("revisionHistoryLimit must be 1");
  if (pod.automountServiceAccountToken) faults.push("automountServiceAccountToken must be false");
  if (pod.volumes?.some((volume) => "emptyDir" in volume)) faults.push("Sealos has no emptyDir");
  return faults.map((fault) => `${kind} ${metadata.name}: ${fault}`);
}

function variableFaults(
  { env = [], args = [] }: Container,
  hasSecret: (name: string, key: string) => boolean,
) {
  const before = new Set<string>();
  const faults: string[] = [];
  const uses = (text: string): string[] =>
    [...text.matchAll(/\$\((\w+)\)/g)].map((match) => match[1]!).filter((name) => !before.has(name));
  for (const { name, value = "", valueFrom } of env) {
    for (const other of uses(value)) faults.push(`${name} uses ${other}, which is not defined before it`);
    const secret = valueFrom?.secretKeyRef;
    if (secret !== undefined && !hasSecret(secret.name, secret.key))
      faults.push(`${name} refers to ${secret.key} of the Secret ${secret.name}, which is not created`);
    if (before.has(name)) faults.push(`${name} is set twice`);
    before.add(name);
  }
  for (const other of uses(args.join(" "))) faults.push(`its arguments use ${other}, which is not defined`);
  return faults;
}
