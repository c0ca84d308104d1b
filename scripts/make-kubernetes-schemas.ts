/**
 * Writes docker/kubernetes/schemas, which the tests and kubeconform validate the chart against. They come from
 * the Go modules of Kubernetes, Gateway API and the Prometheus operator, without descriptions. Needs go.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const KUBERNETES_MODULE = "k8s.io/kubernetes@v1.36.3";
const GATEWAY_API = "sigs.k8s.io/gateway-api@v1.4.0";
const PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0";

/** Kinds in the chart that Kubernetes does not define: modules and files in them. */
const CUSTOM_RESOURCES: readonly (readonly [string, string])[] = [
  [GATEWAY_API, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"],
  ...["podmonitors", "servicemonitors", "prometheusrules"].map(
    (name) =>
      [PROMETHEUS_OPERATOR, `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`] as const,
  ),
];

const FOLDER = fileURLToPath(new URL("../docker/kubernetes/schemas", import.meta.url));

/** By the API group they belong to. */
const KINDS: Record<string, readonly string[]> = {
  "core.v1": ["Service", "ServiceAccount", "ConfigMap", "Secret", "PersistentVolumeClaim"],
  "apps.v1": ["Deployment", "StatefulSet"],
  "batch.v1": ["Job", "CronJob"],
  "networking.v1": ["Ingress", "NetworkPolicy"],
  "policy.v1": ["PodDisruptionBudget"],
  "autoscaling.v2": ["HorizontalPodAutoscaler"],
  "rbac.v1": ["Role", "RoleBinding"],
};

const ANNOTATIONS = new Set(["description", "default", "format"]);
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";

type Schema = Record<string, unknown>;

/** Go downloads the module if it is missing, and verifies its checksum. */
function fileOf(module: string, path: string): string {
  const answer = execFileSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
  return readFileSync(join((JSON.parse(answer) as { Dir: string }).Dir, path), "utf8");
}

/**
 * Keeps only what decides whether an object is valid; and, like the server with strict validation, allows no
 * unknown fields.
 */
function strip(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strip);
  if (typeof schema !== "object" || schema === null) return schema;
  const given = schema as Schema;
  if (given["format"] === "int-or-string" || given["x-kubernetes-int-or-string"] === true)
    return { type: ["string", "integer"] };
  const result: Schema = {};
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("x-kubernetes") || ANNOTATIONS.has(key)) continue;
    if (key === "properties") result[key] = stripEach(value as Schema);
    // Go's syntax for ignoring case, in a form that JavaScript supports.
    else if (key === "pattern") result[key] = (value as string).replace(/^\^\(\?i\)(.*)\$$/, "^(?i:$1)$");
    else result[key] = strip(value);
  }
  if (result["properties"] !== undefined && given["x-kubernetes-preserve-unknown-fields"] !== true)
    result["additionalProperties"] ??= false;
  return result;
}

const stripEach = (schemas: Schema): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strip(schema)]));

function write(kind: string, apiVersion: string, schema: Schema): void {
  const required = new Set([...((schema["required"] as string[]) ?? []), "apiVersion", "kind", "metadata"]);
  const name = `${kind}-${apiVersion}.json`.toLowerCase();
  writeFileSync(join(FOLDER, name), `${JSON.stringify({ ...schema, required: [...required].toSorted() })}\n`);
}

function writeKinds(): void {
  const definitions: Schema = JSON.parse(
    fileOf(KUBERNETES_MODULE, "api/openapi-spec/swagger.json"),
  ).definitions;
  const collect = (schema: unknown, into: Schema): Schema => {
    for (const [, name] of JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      if (into[name!] !== undefined) continue;
      into[name!] = name === QUANTITY ? { type: ["string", "number"] } : strip(definitions[name!]);
      collect(into[name!], into);
    }
    return into;
  };
  for (const [part, kinds] of Object.entries(KINDS)) {
    for (const kind of kinds) {
      const schema = strip(definitions[`io.k8s.api.${part}.${kind}`]) as Schema;
      write(kind, part.replace("core.", "").replace(".", "-"), {
        ...schema,
        definitions: collect(schema, {}),
      });
    }
  }
}

function writeCustom(): void {
  for (const [module, path] of CUSTOM_RESOURCES) {
    const { spec } = parse(fileOf(module, path));
    const { schema } = spec.versions.find(({ name }: { name: string }) => name === "v1");
    const stripped = strip(schema.openAPIV3Schema) as { properties: Schema };
    stripped.properties["metadata"] = { type: "object" };
    write(spec.names.kind, `${spec.group.split(".")[0]}-v1`, stripped);
  }
}

mkdirSync(FOLDER, { recursive: true });
writeKinds();
writeCustom();
