import { existsSync, readFileSync } from "node:fs";
import { loadConfig } from "@fanfare/kernel";
import { hasLiveKit } from "@fanfare/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { livekitPorts } from "./livekit-ports.ts";
import { COMPOSE_PATH, loadCompose } from "./compose-file.ts";
import { knownSettings } from "./known-settings.ts";

const REQUIRED = {
  TOKEN_SECRET: "k8Qz3vWm7Rt2Yb9Lx5Np4Hc6Jd1Fs0GaUe",
  PUBLIC_URL: "https://chat.example.org",
  MONGO_PASSWORD: "mongo1",
  NATS_PASSWORD: "nats1",
  VALKEY_PASSWORD: "valkey1",
};
const S3 = { S3_BUCKET: "fanfare", S3_ACCESS_KEY_ID: "key", S3_SECRET_ACCESS_KEY: "secret" };
const CALLS = {
  LIVEKIT_URL: "wss://chat.example.org",
  LIVEKIT_SERVER_URL: "http://livekit:7880",
  LIVEKIT_KEY: "key1",
  LIVEKIT_SECRET: "Yb9Lx5Np4Hc6Jd1Fs0GaUek8Qz3vWm7Rt2",
  CALLS_IP: "203.0.113.7",
};
const compose = loadCompose(REQUIRED);
const services = Object.entries(compose.services);
const ofImage = services.filter(([name]) => name === "gateway" || name === "worker");

test("the file is valid against the compose specification", () => {
  const schema: object = JSON.parse(
    readFileSync(new URL("compose-spec.schema.json", import.meta.url), "utf8"),
  );
  // Custom formats for durations and ports, which compose checks itself.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.validate(schema, compose);
  expect(ajv.errors ?? []).toEqual([]);
});

test("secrets have no defaults, and all missing ones are reported together", () => {
  expect(() => loadCompose({})).toThrow(`required: ${Object.keys(REQUIRED).toSorted().join(", ")}`);
});

test("no secret is an argument, which every user of the machine can see", () => {
  const started = services.map(([, { command, entrypoint }]) => JSON.stringify([command, entrypoint]));
  const secrets = Object.entries(REQUIRED).filter(([name]) => name !== "PUBLIC_URL");
  expect(secrets.filter(([, value]) => started.some((text) => text.includes(value)))).toEqual([]);
});

test.each(ofImage)("all settings of %s exist", (_, service) => {
  const known = knownSettings();
  expect(known.size).toBeGreaterThan(30);
  expect(Object.keys(service.environment!).filter((name) => !known.has(name))).toEqual([]);
});

test("all settings can be set, except those that the file sets itself", () => {
  const decided = [
    "NODE_ENV SERVICES HOST PORT OPS_HOST OPS_PORT TRUST_PROXY WEB_DIR DOCS_DIR DATA_DIR FILES_DIR",
    "MONGO_URL NATS_URL REDIS_URL",
    // Threads are for single instances.
    "GATEWAY_THREADS",
  ].flatMap((names) => names.split(" "));
  const text = readFileSync(COMPOSE_PATH, "utf8");
  const open = [...knownSettings()].filter((name) => !decided.includes(name) && !name.endsWith("_FILE"));
  expect(open.length).toBeGreaterThan(20);
  expect(open.filter((name) => !text.includes(`\${${name}:`))).toEqual([]);
});

test.each([
  { with: "only what is required", given: {} as Record<string, string> },
  { with: "S3 and its profile", given: { ...S3, S3_ENDPOINT: "http://s3:9000" } },
  { with: "traces", given: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://jaeger:4318" } },
  { with: "calls", given: CALLS },
  { with: "mail", given: { SMTP_URL: "smtp://mail:1025", MAIL_FROM: "Fanfare <chat@example.org>" } },
])("the program starts with $with", ({ given }) => {
  const { gateway, worker } = loadCompose({ ...REQUIRED, ...given }).services;
  // Set by the image.
  const image = { HOST: "0.0.0.0", DATA_DIR: "/data" };
  const edge = loadConfig({ ...image, ...gateway!.environment });
  const behind = loadConfig({ ...image, ...worker!.environment });
  expect(edge).toMatchObject({ services: ["gateway"], environment: "production", trustProxy: 1 });
  expect([...edge.services, ...behind.services].length).toBe(loadConfig({}).services.length);
  expect(behind.filesDir).toBe(edge.filesDir);
});

test("two gateways and two workers", () => {
  expect(ofImage.map(([name, { deploy }]) => [name, deploy?.replicas])).toEqual([
    ["gateway", 2],
    ["worker", 2],
  ]);
});

test("services wait until their dependencies are healthy", () => {
  const needs = services.flatMap(([, { depends_on: of = {} }]) => Object.entries(of));
  const ofChecked = needs.filter(([name]) => name !== "mongodb-replica-set");
  expect(ofChecked.map(([, { condition }]) => condition)).toEqual(ofChecked.map(() => "service_healthy"));
  // The image's own health check is in the Dockerfile.
  const checked = ["gateway", "worker", ...services.filter(([, s]) => s.healthcheck).map(([name]) => name)];
  expect(ofChecked.map(([name]) => name).filter((name) => !checked.includes(name))).toEqual([]);
  expect(compose.services["worker"]!.depends_on).toMatchObject({
    "mongodb-replica-set": { condition: "service_completed_successfully" },
  });
});

test("only the proxy and the media server can be reached from outside, and databases can't connect to the outside", () => {
  const open = services.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith("127.0.0.1:")));
  expect(open.map(([name]) => name)).toEqual(["proxy", "livekit"]);
  expect(compose.networks["back"]).toEqual({ internal: true });
  const stores = ["mongodb", "mongodb-replica-set", "nats", "valkey", "s3"];
  expect(stores.filter((name) => String(compose.services[name]!.networks) !== "back")).toEqual([]);
});

test.each(services)("%s is restricted, and its logs are limited", (_, service) => {
  expect(service.security_opt).toContain("no-new-privileges:true");
  expect(service.logging?.options["max-size"]).toBeDefined();
  expect(service.image).toMatch(/:(local$|(RELEASE\.|v?\d+\.\d+\.\d+)|v?\d+\.\d+\.\d+-)/);
});

test.each(ofImage)("%s has a read-only file system and no capabilities", (_, service) => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
});

test("all mounted files and volumes exist", () => {
  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((mount) => mount.split(":")[0]!));
  const absent = sources.filter((source) =>
    source.startsWith("./") ? !existsSync(new URL(source, COMPOSE_PATH)) : !(source in compose.volumes),
  );
  expect(absent).toEqual([]);
});

test("required variables of a profile are checked when it starts", () => {
  const script = (name: string) => compose.services[name]!.entrypoint!.at(-1);
  expect(script("grafana")).toContain('"${GF_SECURITY_ADMIN_PASSWORD:?set GRAFANA_PASSWORD}"');
  expect(script("livekit")).toContain('"${NODE_IP:?set CALLS_IP');
  expect(script("s3")).toContain('"${MINIO_ROOT_PASSWORD:?set S3_SECRET_ACCESS_KEY}"');
});

test("LiveKit has the key of Fanfare, listens on the published ports and posts to a gateway", () => {
  const livekit = loadCompose({ ...REQUIRED, ...CALLS }).services["livekit"]!;
  const { LIVEKIT_KEYS, LIVEKIT_CONFIG } = livekit.environment!;
  expect(parse(LIVEKIT_KEYS!)).toEqual({ [CALLS.LIVEKIT_KEY]: CALLS.LIVEKIT_SECRET });
  const { port, rtc, turn, webhook } = parse(LIVEKIT_CONFIG!);
  expect(livekit.ports).toEqual([
    `${rtc.tcp_port}:${rtc.tcp_port}`,
    `${rtc.udp_port}:${rtc.udp_port}/udp`,
    `${turn.udp_port}:${turn.udp_port}/udp`,
  ]);
  expect(webhook).toEqual({ api_key: CALLS.LIVEKIT_KEY, urls: ["http://gateway:3000/api/livekit/webhook"] });
  expect(CALLS.LIVEKIT_SERVER_URL).toBe(`http://livekit:${port}`);
  expect(readFileSync(new URL("compose/Caddyfile", COMPOSE_PATH), "utf8")).toContain(`/rtc* livekit:${port}`);
  // Workers call it, and it calls gateways.
  for (const [, { networks }] of ofImage) expect(networks).toContain("back");
  expect(livekit.networks).toContain("back");
});

test.skipIf(!hasLiveKit())("LiveKit accepts its configuration", () => {
  const { environment } = loadCompose({ ...REQUIRED, ...CALLS }).services["livekit"]!;
  expect(livekitPorts(environment!)).toEqual([7880, 7881, 7882, 3478]);
});

test("the optional parts are profiles", () => {
  const profiles = new Set(services.flatMap(([, { profiles: of = [] }]) => of));
  expect(profiles).toEqual(new Set(["monitoring", "tracing", "calls", "s3", "mail", "bench"]));
});
