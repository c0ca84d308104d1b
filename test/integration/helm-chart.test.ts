import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import { isInstalled } from "@fanfare/testing";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CHART_FOLDER, PROJECT_FOLDER, renderChart, type KubernetesObject } from "./render-chart.ts";

/** Turns on what the other values files leave off. */
const EVERYTHING = {
  publicUrl: "https://chat.example.org",
  existingSecret: "all",
  tokenSecret: { existingSecret: "tokens", previousKey: "OLD" },
  nats: { url: "nats://nats.data:4222" },
  files: { s3: { bucket: "files" } },
  mail: { enabled: true, from: "chat@example.org" },
  push: { enabled: true, publicKey: "public", subject: "mailto:chat@example.org" },
  oidc: { enabled: true, issuer: "https://id.example.org", clientId: "chat" },
  env: { RETENTION_MAX_DAYS: 365, LINK_PREVIEWS: "off" },
  image: { digest: `sha256:${"0".repeat(64)}`, pullSecrets: ["pull"] },
  gateway: {
    autoscaling: { enabled: true },
    nodeSelector: { disk: "ssd" },
    tolerations: [{ operator: "Exists" }],
    priorityClassName: "high",
    podAnnotations: { restarted: "today" },
  },
  workerDefaults: { autoscaling: { enabled: true } },
  ingress: { enabled: true, className: "nginx", tlsSecretName: "tls" },
  networkPolicy: { egress: { enabled: true, rules: [{ to: [{ podSelector: {} }] }] }, monitoring: [] },
  metrics: { monitor: "ServiceMonitor", dashboards: { enabled: true }, rules: { enabled: true } },
};

const SAMPLE_SECRETS: Record<string, string> = {
  TOKEN_SECRET: "t".repeat(32),
  TOKEN_SECRET_PREVIOUS: "p".repeat(32),
  MONGO_URL: "mongodb://user:password@db/fanfare",
  NATS_URL: "nats://nats:4222",
  REDIS_URL: "redis://redis:6379",
  SMTP_URL: "smtps://mail.example.org",
};

function validator(object: KubernetesObject) {
  const [group, version] = object["apiVersion"].includes("/")
    ? object["apiVersion"].split("/")
    : ["", object["apiVersion"]];
  const name = [object["kind"], group.split(".")[0], version].filter(Boolean).join("-").toLowerCase();
  const file = join(PROJECT_FOLDER, "docker/kubernetes/schemas", `${name}.json`);
  return new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(readFileSync(file, "utf8")));
}

const podsOf = (objects: KubernetesObject[]) =>
  objects
    .filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
    .map((object) => ({ name: object["metadata"].name as string, template: object["spec"].template }));

/** The environment of Fanfare's own pods, with samples for what comes out of Secrets. */
function environments(objects: KubernetesObject[]) {
  return podsOf(objects)
    .filter(({ template }) => template.metadata.labels["app.kubernetes.io/part-of"] === "fanfare")
    .map(({ name, template }) => {
      const variables = template.spec.containers[0].env as KubernetesObject[];
      const valueOf = (variable: KubernetesObject): string =>
        variable["value"] ?? SAMPLE_SECRETS[variable["name"]] ?? "sample";
      return {
        name,
        template,
        env: Object.fromEntries(variables.map((variable) => [variable["name"], valueOf(variable)])),
      };
    });
}

describe.skipIf(!isInstalled("helm"))("the Helm chart", () => {
  const rendered: Record<string, KubernetesObject[]> = {};
  beforeAll(async () => {
    rendered["trial"] = await renderChart("values-trial.yaml");
    rendered["production"] = await renderChart("values-production.yaml");
    rendered["everything"] = await renderChart(null, EVERYTHING);
  });

  describe.each(["trial", "production", "everything"])("with the values %s", (name) => {
    test("makes what Kubernetes, Gateway API and the Prometheus operator take", () => {
      const objects = rendered[name]!;
      expect(objects.length).toBeGreaterThan(10);
      for (const object of objects) {
        const validate = validator(object);
        validate(object);
        expect({ kind: object["kind"], errors: validate.errors }).toMatchObject({ errors: null });
      }
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
    });

    test("gives every process a configuration that it starts with, and hosts every service", () => {
      const processes = environments(rendered[name]!);
      const hosted = processes.flatMap(({ env }) => loadConfig(env).services);
      expect(new Set(hosted)).toEqual(new Set(loadConfig({}).services));
      for (const { env } of processes) {
        expect(env["MONGO_URL"] !== undefined).toBe(env["SERVICES"] !== "gateway");
      }
    });

    test("makes no Secret, and pods that may do nothing", () => {
      const objects = rendered[name]!;
      expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
      for (const { template } of podsOf(objects)) {
        const { spec } = template;
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        });
        for (const container of spec.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          });
          expect(container.resources.limits.memory).toBeDefined();
        }
      }
    });

    test("selects with every selector pods that are there", () => {
      const objects = rendered[name]!;
      const pods = podsOf(objects).map(({ template }) => template.metadata.labels as Record<string, string>);
      const selected = (labels: Record<string, string>) =>
        pods.filter((pod) => Object.entries(labels).every(([key, value]) => pod[key] === value)).length;
      const of = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
      const owners = of("Deployment", "StatefulSet", "PodDisruptionBudget");
      expect(owners.filter(({ spec }) => selected(spec.selector.matchLabels) !== 1)).toEqual([]);
      expect(of("Service").filter(({ spec }) => selected(spec.selector) === 0)).toEqual([]);
      const policies = of("NetworkPolicy");
      expect(policies.filter(({ spec }) => selected(spec.podSelector.matchLabels) === 0)).toEqual([]);
    });
  });

  test("leaves a pod the time that the program takes to stop", () => {
    const source = readFileSync(join(PROJECT_FOLDER, "services/node/src/run-program.ts"), "utf8");
    const stopSeconds = Number(/STOP_TIMEOUT_MS = ([\d_]+);/.exec(source)?.[1]?.replaceAll("_", "")) / 1000;
    expect(stopSeconds).toBeGreaterThan(0);
    for (const { template } of environments(rendered["production"]!)) {
      const preStop = template.spec.containers[0].lifecycle?.preStop.sleep.seconds ?? 0;
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(preStop + stopSeconds);
    }
  });

  test("scales gateways by a metric that they have, and workers by CPU", () => {
    const metrics = rendered["everything"]!.filter(({ kind }) => kind === "HorizontalPodAutoscaler").map(
      ({ metadata, spec }) => [
        metadata.name,
        spec.metrics[0].pods?.metric.name ?? spec.metrics[0].resource.name,
      ],
    );
    expect(metrics).toEqual([
      ["chat-fanfare-gateway", "fanfare_connections"],
      ["chat-fanfare-worker", "cpu"],
    ]);
    const source = readFileSync(join(PROJECT_FOLDER, "services/gateway/src/metrics.ts"), "utf8");
    expect(source).toContain('name: "fanfare_connections"');
  });

  test("asks at once for everything that is missing", async () => {
    const failure: unknown = await renderChart(null).catch((error: unknown) => error);
    for (const needed of ["publicUrl", "tokenSecret", "mongodb", "nats", "redis", "files.s3.bucket"])
      expect(String(failure)).toContain(needed);
  });

  test.each([
    ["a password in a URL", { redis: { url: "redis://user:password@redis" } }, "redis.url must not have"],
    ["a secret among the settings", { env: { TOKEN_SECRET: "x" } }, "env"],
    ["a value that there is not", { gateways: 3 }, "gateways"],
    ["a service that there is not", { workers: { one: { services: ["chat"] } } }, "workers.one.services.0"],
    [
      "workers that leave services out",
      { workers: { worker: { services: ["user"] } } },
      "none has the services",
    ],
    ["a name that is taken", { workers: { gateway: { services: ["workers"] } } }, "workers.gateway"],
    ["two places for files", { files: { s3: { bucket: "b" } } }, "exclude each other"],
    ["an Ingress of no Gateway", { httpRoute: { enabled: true } }, "httpRoute.parentRefs"],
  ])("refuses %s", async (_what, values, message) => {
    await expect(renderChart("values-trial.yaml", values)).rejects.toThrow(message);
  });
});

test("the chart has the version of the program, and knows its services", () => {
  const read = (path: string) => readFileSync(join(CHART_FOLDER, path), "utf8");
  const { version } = JSON.parse(readFileSync(join(PROJECT_FOLDER, "package.json"), "utf8"));
  expect(parse(read("Chart.yaml"))).toMatchObject({ version, appVersion: version });
  const schema = JSON.parse(read("values.schema.json"));
  const known = schema.properties.workers.additionalProperties.properties.services.items.enum as string[];
  const services = loadConfig({}).services.filter((name) => name !== "gateway");
  expect(known.toSorted()).toEqual([...services, "workers"].toSorted());
});
