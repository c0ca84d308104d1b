import { expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { misspelledSettings, readEnvironment } from "./read-environment.ts";
import { SECRET_NAMES } from "./environment.ts";

const thrownBy = (variables: Record<string, string>): string => {
  try {
    readEnvironment(variables);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("No fault was found.");
};

test("reports every error once, in the order of the documentation", () => {
  const message = thrownBy({
    NODE_ENV: "production",
    PORT: "x",
    SERVICES: "gateway,printer,scanner",
    NATS_URL: "nats://n",
    S3_BUCKET: "files",
    GATEWAY_THREADS: "2",
  });
  expect(message.split("\n").map((line) => line.trim().split(": ")[0])).toEqual([
    "The configuration has errors (docs/run/configuration.md describes all settings):",
    "SERVICES",
    "PORT",
    "GATEWAY_THREADS",
    "TOKEN_SECRET",
    "TOKEN_SECRET",
    "REDIS_URL",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ]);
});

test("does not report an invalid setting as missing or inconsistent as well", () => {
  expect(thrownBy({ NODE_ENV: "production", TOKEN_SECRET: "short" })).not.toContain("is required");
  expect(
    thrownBy({
      SERVICES: "gatway",
      NATS_URL: "nats://n",
      REDIS_URL: "redis://r",
      TOKEN_SECRET: "t".repeat(32),
    }),
  ).not.toContain("MONGO_URL");
  expect(thrownBy({ SMTP_URL: "http://mail", MAIL_FROM: "a@b" }).split("\n")).toHaveLength(2);
});

test("shows the given value, shortened, unless it is secret", () => {
  expect(thrownBy({ PORT: "http" })).toContain('PORT: must be a whole number from 0 to 65535, not "http"');
  expect(thrownBy({ OUTBOUND_ALLOW: "x".repeat(500) }).length).toBeLessThan(300);
  expect(thrownBy({ S3_ENDPOINT: "s3://user:hunter2@host" })).not.toContain("hunter2");
});

const FAULTY_SECRETS = [
  "hunter2",
  "mongodb://u:hunter2@",
  "redis://:hun/ter2hunter2@host",
  "nats://u:hunter2@x@host",
  "%zz=hunter2%zz",
];
test.each(SECRET_NAMES)("an invalid %s is not printed", (name) => {
  const tried = FAULTY_SECRETS.map((value) => thrownBy({ NODE_ENV: "production", PORT: "x", [name]: value }));
  expect(tried.join("\n")).toContain("PORT: must be");
  expect(tried.join("\n")).not.toMatch(/hunter2|hun\/ter2/);
});

test.each([
  ["MONGO_URL", "mongodb://user:pa/ss@host/db"],
  ["MONGO_URL", "mongodb://user:p@ss@host/db"],
  ["MONGO_URL", "mongodb://user:100%@host/db"],
  ["MONGO_URL", "mongodb+srv://user:hunter2@"],
  ["NATS_URL", "nats://a:4222,b:4222"],
  ["REDIS_URL", "redis://:p#ss@host"],
  ["SMTP_URL", "smtp://me@example.org:pass@host"],
])("rejects %s=%s because the end of the password is ambiguous", (name, url) => {
  expect(thrownBy({ [name]: url })).toContain(`${name}: must look like`);
});

test("accepts common server addresses", () => {
  const given = {
    MONGO_URL:
      "mongodb://u:p%40ss@a:27017,b:27017,c/chat?replicaSet=rs0&authSource=admin&readPreferenceTags=dc:x",
    NATS_URL: "nats://u:p@a:4222, nats://b:4222",
    REDIS_URL: "rediss://default:p:w@[::1]:6379/0",
    SMTP_URL: "smtp://me%40example.org:p%2Fw@mail.example.org:587/?ignoreTLS=true",
    MAIL_FROM: "Fanfare <chat@example.org>",
    TOKEN_SECRET: "t".repeat(32),
    FILES_DIR: "/f",
  };
  expect(loadConfig(given)).toMatchObject({
    mongoUrl: given.MONGO_URL,
    natsUrl: given.NATS_URL,
    redisUrl: given.REDIS_URL,
    smtp: { url: given.SMTP_URL },
  });
  expect(loadConfig({ MONGO_URL: "mongodb+srv://u:p@cluster0.example.net/" }).mongoUrl).toContain("cluster0");
});

test.each([
  ["TOKEN_SECERT", "TOKEN_SECRET"],
  ["MONGO_URI", "MONGO_URL"],
  ["LOG_LEVLE", "LOG_LEVEL"],
  ["S3_SECRETACCESSKEY", "S3_SECRET_ACCESS_KEY"],
  ["TOKEN_SECRET_FIEL", "TOKEN_SECRET_FILE"],
  ["RATELIMIT_FACTOR", "RATE_LIMIT_FACTOR"],
])("%s: is %s meant?", (name, meant) => {
  expect(misspelledSettings({ [name]: "x" })).toEqual([
    `${name} is not a setting of Fanfare. Did you mean ${meant}?`,
  ]);
  expect(misspelledSettings({ [name]: "x", [meant]: "y" })).toEqual([]);
  expect(misspelledSettings({ [name]: "" })).toEqual([]);
});

test("ignores variables of other programs", () => {
  const others =
    "HOME HOSTNAME HOST_NAME PATH PWD USER MAIL POST PORTS SHELL LANG TERM EDITOR NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS " +
    "npm_config_cache INIT_CWD DATABASE_URL POSTGRES_URL MONGO_HOST MONGO_PASSWORD MONGODB_URL NATS_PASSWORD NATS_PORT NATS_HOST " +
    "REDIS_HOST REDIS_PORT VALKEY_PASSWORD API_PORT APP_PORT APP_HOST API_HOST DB_PORT WEB_PORT WEB_HOST HTTP_PORT LOG_FILE LOG_FORMAT XDG_DATA_DIRS XDG_DATA_HOME " +
    "SMTP_HOST SMTP_USER SMTP_PASSWORD HTTP_URL HTTP_PROXY NO_PROXY S3_HOST S3_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION " +
    "OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_TRACES_SAMPLER OTEL_TRACES_EXPORTER OTEL_RESOURCE_ATTRIBUTES " +
    "KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP FANFARE_NATS_SERVICE_PORT FANFARE_IMAGE GF_SECURITY_ADMIN_PASSWORD MEMORY_LIMIT";
  const environment = Object.fromEntries(others.split(" ").map((name) => [name, "x"]));
  expect(misspelledSettings(environment)).toEqual([]);
});

test("reports misspelled settings together with the errors", () => {
  const load = () => loadConfig({ NODE_ENV: "production", TOKEN_SECERT: "hunter2" });
  expect(load).toThrow("TOKEN_SECRET: is required");
  expect(load).toThrow("Did you mean TOKEN_SECRET?");
  expect(load).not.toThrow("hunter2");
});
