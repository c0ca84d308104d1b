import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { loadConfig } from "@fanfare/kernel";
import { VARIABLES } from "@fanfare/kernel/settings";
import { isInstalled } from "@fanfare/testing";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  CASES,
  CASE_NAMES,
  CHART_FOLDER,
  renderChart,
  type Case,
  type KubernetesObject,
} from "../../docker/kubernetes/render-chart.ts";
import { environments, isSubset, podsOf } from "./chart-objects.ts";

const PROJECT_FOLDER = join(CHART_FOLDER, "../../..");

function validator(object: KubernetesObject) {
  const [group, version] = object["apiVersion"].includes("/")
    ? object["apiVersion"].split("/")
    : ["", object["apiVersion"]];
  const name = [object["kind"], group.split(".")[0], version].filter(Boolean).join("-").toLowerCase();
  const file = join(PROJECT_FOLDER, "docker/kubernetes/schemas", `${name}.json`);
  return new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(readFileSync(file, "utf8")));
}

describe.skipIf(!isInstalled("helm"))("the Helm chart", () => {
  const rendered = {} as Record<Case, KubernetesObject[]>;
  beforeAll(async () => {
    for (const name of CASE_NAMES) rendered[name] = await renderChart(name);
  });

  describe.each(CASE_NAMES)("with the values %s", (name) => {
    test("passes helm lint", async () => {
      const { stdout } = await promisify(execFile)("helm", ["lint", CHART_FOLDER, "-f", CASES[name]]);
      expect(stdout).toContain("0 chart(s) failed");
    });

    test("renders objects that Kubernetes, Gateway API and the Prometheus operator accept", () => {
      const objects = rendered[name];
      expect(objects.length).toBeGreaterThan(7);
      for (const object of objects) {
        const validate = validator(object);
        validate(object);
        expect({ kind: object["kind"], errors: validate.errors }).toMatchObject({ errors: null });
      }
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
    });

    test("gives every process a valid configuration, and hosts every service", () => {
      const processes = environments(rendered[name]);
      const hosted = processes.flatMap(({ env }) => loadConfig(env).services);
      expect(new Set(hosted)).toEqual(new Set(loadConfig({}).services));
      for (const { env } of processes) {
        expect(env["MONGO_URL"] !== undefined).toBe(env["SERVICES"] !== "gateway");
      }
    });

    test("creates no Secret, and pods without privileges", () => {
      const objects = rendered[name];
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

    test("has only selectors that match existing pods", () => {
      const objects = rendered[name];
      const pods = podsOf(objects).map(({ template }) => template.metadata.labels as Record<string, string>);
      const selected = (labels: Record<string, string>) => pods.filter((pod) => isSubset(labels, pod)).length;
      const of = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
      const owners = of("Deployment", "StatefulSet", "PodDisruptionBudget");
      expect(owners.filter(({ spec }) => selected(spec.selector.matchLabels) !== 1)).toEqual([]);
      expect(of("Service").filter(({ spec }) => selected(spec.selector) === 0)).toEqual([]);
      const policies = of("NetworkPolicy");
      expect(policies.filter(({ spec }) => selected(spec.podSelector.matchLabels) === 0)).toEqual([]);
    });
  });

  test("reports all missing values together", async () => {
    const failure: unknown = await renderChart(null).catch((error: unknown) => error);
    for (const needed of ["publicUrl", "tokenSecret", "mongodb", "nats", "redis", "files.s3.bucket"])
      expect(String(failure)).toContain(needed);
  });

  test.each([
    ["a password in a URL", { redis: { url: "redis://user:password@redis" } }, "redis.url must not have"],
    ["traces to a password", { tracing: { endpoint: "http://u:p@c" } }, "tracing.endpoint must not have"],
    ["calls that browsers can't reach", { livekit: { enabled: true } }, "livekit.url is required"],
    [
      "calls without an address",
      { livekit: { enabled: true, url: "ws://localhost:7880", hostNetwork: false } },
      "livekit.nodeIp is required",
    ],
    [
      "TURN without a certificate",
      { livekit: { turn: { domain: "t.example" } } },
      "tlsSecretName are required",
    ],
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
  ])("rejects %s", async (_what, values, message) => {
    await expect(renderChart("trial", values)).rejects.toThrow(message);
  });
});

test("rejects secrets among the plain settings", () => {
  const schema = JSON.parse(readFileSync(join(CHART_FOLDER, "values.schema.json"), "utf8"));
  const secrets = VARIABLES.filter((name) => name.endsWith("_FILE")).map((name) => name.replace("_FILE", ""));
  expect(secrets).toContain("TOKEN_SECRET");
  const { propertyNames } = schema.properties.env;
  expect(secrets.filter((name) => new Ajv({ strict: false }).validate(propertyNames, name))).toEqual([]);
});

test("the chart has the version of the program and knows its services", () => {
  const read = (path: string) => readFileSync(join(CHART_FOLDER, path), "utf8");
  const { version } = JSON.parse(readFileSync(join(PROJECT_FOLDER, "package.json"), "utf8"));
  expect(parse(read("Chart.yaml"))).toMatchObject({ version, appVersion: version });
  const schema = JSON.parse(read("values.schema.json"));
  const known = schema.properties.workers.additionalProperties.properties.services.items.enum as string[];
  const services = loadConfig({}).services.filter((name) => name !== "gateway");
  // `friend` is part of `user`; lists with both still work.
  expect(known.toSorted()).toEqual([...services, "friend", "workers"].toSorted());
});
