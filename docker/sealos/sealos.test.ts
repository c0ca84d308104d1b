import { readFileSync } from "node:fs";
import { loadConfig } from "@fanfare/kernel";
import { hasLiveKit } from "@fanfare/testing";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { livekitPorts } from "../test/livekit-ports.ts";
import { knownSettings } from "../test/known-settings.ts";
import { findFaults } from "./faults.ts";
import { evaluateTemplate, type Manifest } from "./template.ts";
import type { Workload } from "./workload-faults.ts";

const TEXT = readFileSync(new URL("template/fanfare/index.yaml", import.meta.url), "utf8");
const CALLS = { calls: "included", livekit_address: "203.0.113.7", livekit_port: "31000" };
const IMAGE = { image: "registry.example.org/fanfare:0.1.0" };
/** The length of random parts of names; secrets are longer. */
const NAME_CHARS = 8;
/** The Secrets of KubeBlocks and the object storage. */
const STORED: Record<string, string> = { username: "root", password: "p4ss", external: "s3.example.org" };

function evaluate(inputs: Record<string, string> = IMAGE, text = TEXT) {
  return evaluateTemplate(text, {
    inputs,
    system: {
      SEALOS_NAMESPACE: "ns-sample",
      SEALOS_CLOUD_DOMAIN: "cloud.example.org",
      SEALOS_CERT_SECRET_NAME: "wildcard-cert",
      SEALOS_SERVICE_ACCOUNT: "sample",
    },
    random: (length) =>
      length > NAME_CHARS
        ? "k8Qz3vWm7Rt2Yb9Lx5Np4Hc6Jd1Fs0GaUe6Kq1Zx8Mv3Br7Td2Wg9Pl4Yj5Sn0Cf".slice(0, length)
        : "x".repeat(length),
  });
}

function faultsOf(text: string): string[] {
  const { template, resources } = evaluate(IMAGE, text);
  return findFaults(template, resources);
}

function deployment(resources: Manifest[], name: string): Workload {
  return resources.find((one) => one.kind === "Deployment" && one.metadata.name === name) as Manifest &
    Workload;
}

/** Expands the environment of a container like the kubelet. */
function environmentOf({ spec }: Workload, resources: Manifest[]): Record<string, string> {
  const own = resources.find((one) => one.kind === "Secret")!["stringData"] as Record<string, string>;
  const env: Record<string, string> = {};
  for (const { name, value, valueFrom } of spec.template.spec.containers[0]!.env!) {
    const key = valueFrom?.secretKeyRef.key ?? "";
    env[name] =
      value?.replace(/\$\((\w+)\)/g, (_, other: string) => env[other]!) ?? own[key] ?? STORED[key] ?? "given";
  }
  return env;
}

test.each<[string, Record<string, string>]>([
  ["the defaults", {}],
  ["more of everything", { gateways: "8", workers: "4", mongodb_members: "1" }],
  ["mail", { smtp_url: "smtps://user:pass@mail.example.org", mail_from: "Fanfare <chat@example.org>" }],
  ["calls", CALLS],
  [
    "an external LiveKit",
    { calls: "external", livekit_url: "wss://c.example", livekit_key: "key", livekit_secret: "s".repeat(32) },
  ],
])("with %s nothing is wrong with what is applied, and the program starts", (_, inputs) => {
  const { template, resources } = evaluate({ ...IMAGE, ...inputs });
  expect(findFaults(template, resources)).toEqual([]);
  const image = { NODE_ENV: "production", HOST: "0.0.0.0", OPS_HOST: "0.0.0.0", DATA_DIR: "/data" };
  const gateway = environmentOf(deployment(resources, "fanfare-xxxxxxxx"), resources);
  const worker = environmentOf(deployment(resources, "fanfare-xxxxxxxx-worker"), resources);
  expect(loadConfig({ ...image, ...gateway })).toMatchObject({
    services: ["gateway"],
    publicUrl: "https://fanfare-xxxxxxxx.cloud.example.org",
    s3: { endpoint: "https://s3.example.org" },
    smtp: inputs["smtp_url"] === undefined ? undefined : { url: inputs["smtp_url"] },
    livekit:
      inputs["calls"] === undefined
        ? undefined
        : { url: inputs["livekit_url"] ?? "wss://fanfare-xxxxxxxx.cloud.example.org" },
  });
  expect(loadConfig({ ...image, ...worker }).mongoUrl).toMatch(
    /^mongodb:\/\/root:p4ss@fanfare-xxxxxxxx-mongo-mongodb\.ns-sample\.svc\.cluster\.local:27017\/fanfare\?/,
  );
});

test("variables that aren't settings are only used in other variables", () => {
  const { resources } = evaluate();
  const known = knownSettings();
  const set = ["fanfare-xxxxxxxx", "fanfare-xxxxxxxx-worker"].flatMap((name) =>
    Object.keys(environmentOf(deployment(resources, name), resources)),
  );
  const parts = new Set(set.filter((name) => !known.has(name)));
  expect(parts).toEqual(
    new Set(["NATS_PASSWORD", "REDIS_PASSWORD", "S3_HOST", "MONGO_USERNAME", "MONGO_PASSWORD"]),
  );
});

test("has everything that an installation needs", () => {
  const { resources } = evaluate();
  const names = resources
    .filter(({ kind }) => !/^(ServiceAccount|Role|RoleBinding)$/.test(kind))
    .map(({ kind, metadata }) => `${kind} ${metadata.name.replace("fanfare-xxxxxxxx", "…")}`);
  expect(names.join("\n")).toBe(
    `Secret …
ObjectStorageBucket …
Cluster …-mongo
Cluster …-redis
Deployment …-nats
Service …-nats
Deployment …-worker
Deployment …
Service …
Ingress …
App …`,
  );
});

test("LiveKit has the key of Fanfare, and listens for media on the node port", () => {
  const { resources } = evaluate({ ...IMAGE, ...CALLS });
  const fanfare = environmentOf(deployment(resources, "fanfare-xxxxxxxx-worker"), resources);
  const livekit = environmentOf(deployment(resources, "fanfare-xxxxxxxx-livekit"), resources);
  const { LIVEKIT_KEY: key = "", LIVEKIT_SECRET: secret, LIVEKIT_SERVER_URL: url } = fanfare;
  expect(parse(livekit["LIVEKIT_KEYS"]!)).toEqual({ [key]: secret });
  expect(livekit["NODE_IP"]).toBe("203.0.113.7");
  const { port, rtc, webhook } = parse(livekit["LIVEKIT_CONFIG"]!);
  expect(webhook.api_key).toBe(key);
  expect(url).toBe(`http://fanfare-xxxxxxxx-livekit.ns-sample.svc.cluster.local:${port}`);
  expect(rtc).toMatchObject({ udp_port: 31000, tcp_port: 31000 });
  const media = resources.find(({ metadata }) => metadata.name === "fanfare-xxxxxxxx-livekit-media")!;
  expect(media["spec"]).toMatchObject({
    type: "NodePort",
    ports: [{ nodePort: 31000 }, { nodePort: 31000 }],
  });
});

test.skipIf(!hasLiveKit())("LiveKit accepts its configuration", () => {
  const { resources } = evaluate({ ...IMAGE, ...CALLS });
  const env = environmentOf(deployment(resources, "fanfare-xxxxxxxx-livekit"), resources);
  expect(livekitPorts(env)).toEqual([7880, 31000, 31000]);
});

test("each installation has its own secrets", () => {
  const used: number[] = [];
  evaluateTemplate(TEXT, {
    inputs: IMAGE,
    system: {
      SEALOS_NAMESPACE: "a",
      SEALOS_CLOUD_DOMAIN: "b",
      SEALOS_CERT_SECRET_NAME: "c",
      SEALOS_SERVICE_ACCOUNT: "d",
    },
    random: (length) => {
      used.push(length);
      return "y".repeat(length);
    },
  });
  expect(used).toEqual([8, 8, 64, 32, 16, 48]);
});

test("rejects missing and invalid inputs", () => {
  expect(() => evaluate({})).toThrow("The input image is required.");
  expect(() => evaluate({ ...IMAGE, gateways: "3" })).toThrow(
    "The input gateways must be one of 1, 2, 4, 8.",
  );
  expect(() => evaluate({ ...IMAGE, gateway: "2" })).toThrow("Unknown inputs: gateway.");
  expect(() => evaluate(IMAGE, TEXT.replaceAll("inputs.workers", "inputs.worker"))).toThrow(
    "The template uses ${{ inputs.worker }}, which is not defined.",
  );
});

const APP = "${{ defaults.app_name }}";
test.each<[string, string, string, string]>([
  ["a field unknown to Kubernetes", "revisionHistoryLimit: 1", "revisionHistory: 1", "additional prop"],
  ["a Secret that is not created", "key: nats-password", "key: nats", "which is not created"],
  ["a variable that is used too early", "$(REDIS_PASSWORD)", "$(LATER)", "uses LATER, which is not defined"],
  [
    "limits that Sealos doesn't offer",
    'limits: { cpu: "1", m',
    "limits: { cpu: 1500m, m",
    "that Sealos offers",
  ],
  ["an ingress that leads nowhere", "number: 3000", "number: 3002", "has port 3002"],
  ["a label that is not the name", `app: ${APP}-worker`, `app: ${APP}`, "the label app must be its name"],
  ["a field that an App does not have", "displayType: normal", "shownAs: normal", "additional properties"],
  ["a policy that no bucket has", "policy: private", "policy: hidden", "equal to one of"],
])("%s is found", (_, from, to, fault) => {
  expect(TEXT.includes(from)).toBe(true);
  expect(faultsOf(TEXT.replaceAll(from, to)).join("\n")).toContain(fault);
});
