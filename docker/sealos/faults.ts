import { Ajv } from "ajv";
import { schemaOf } from "./schemas.ts";
import type { Manifest } from "./template.ts";
import { findWorkloadFaults, type Workload } from "./workload-faults.ts";

/** Secrets created by Sealos and KubeBlocks, for database accounts and object storage. */
const MADE_BY_SEALOS = [/-account-(root|default)$/, /^object-storage-key(-|$)/];
const APP_LABEL = "cloud.sealos.io/app-deploy-manager";

interface Service {
  spec: { ports: { port: number }[]; selector: { app: string } };
}
interface Ingress {
  spec: {
    rules: { http: { paths: { backend: { service: { name: string; port: { number: number } } } }[] } }[];
  };
}

/**
 * Lists the problems of an evaluated template on Sealos: violations of schemas and of Sealos's rules for names, labels and resources,
 * and broken references.
 */
export function findFaults(template: Manifest, resources: readonly Manifest[]): string[] {
  const ofKind = <T>(kind: string): (Manifest & T)[] =>
    resources.filter((one) => one.kind === kind) as (Manifest & T)[];
  const secrets = ofKind<{ stringData: Record<string, string> }>("Secret");
  const services = ofKind<Service>("Service");
  const workloads = [...ofKind<Workload>("Deployment"), ...ofKind<Workload>("StatefulSet")];
  return [
    ...[template, ...resources].flatMap(schemaFaults),
    ...doubles(resources),
    ...[...workloads, ...services, ...ofKind("Ingress")].flatMap(labelFaults),
    ...workloads.flatMap((workload) =>
      findWorkloadFaults(workload, (name, key) => {
        const own = secrets.find((secret) => secret.metadata.name === name);
        return own === undefined ? MADE_BY_SEALOS.some((made) => made.test(name)) : key in own.stringData;
      }),
    ),
    ...services
      .filter(({ spec }) => !workloads.some((workload) => workload.metadata.name === spec.selector.app))
      .map(({ metadata }) => `Service ${metadata.name}: no workload has its pods`),
    ...ofKind<Ingress>("Ingress").flatMap((ingress) => ingressFaults(ingress, services)),
    ...(resources.at(-1)?.kind === "App" ? [] : ["The App must be the last resource"]),
  ];
}

function schemaFaults(resource: Manifest): string[] {
  const where = `${resource.kind} ${resource.metadata.name}`;
  const schema = schemaOf(resource);
  if (schema === undefined) return [`${where}: no schema for ${resource.apiVersion}`];
  // Kubernetes schemas have custom formats, such as int-or-string, which add nothing to the types.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  if (ajv.validate(schema, resource)) return [];
  return ajv.errors!.map(({ instancePath, message }) => `${where}: ${instancePath} ${message}`);
}

function doubles(resources: readonly Manifest[]): string[] {
  const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name}: there are two`);
}

function labelFaults({ kind, metadata }: Manifest): string[] {
  return ["app", APP_LABEL]
    .filter((label) => metadata.labels?.[label] !== metadata.name)
    .map((label) => `${kind} ${metadata.name}: the label ${label} must be its name`);
}

function ingressFaults({ metadata, spec }: Manifest & Ingress, services: (Manifest & Service)[]): string[] {
  const backends = spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service));
  return backends
    .filter(({ name, port }) => {
      const service = services.find((one) => one.metadata.name === name);
      return service?.spec.ports.some((one) => one.port === port.number) !== true;
    })
    .map(({ name, port }) => `Ingress ${metadata.name}: no Service ${name} has port ${port.number}`);
}
