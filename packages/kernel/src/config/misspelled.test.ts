import { expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { misspelledSettings } from "./misspelled.ts";

test.each([
  ["TOKEN_SECERT", "TOKEN_SECRET"],
  ["MONGO_URI", "MONGO_URL"],
  ["LOG_LEVLE", "LOG_LEVEL"],
  ["S3_SECRETACCESSKEY", "S3_SECRET_ACCESS_KEY"],
  ["TOKEN_SECRET_FIEL", "TOKEN_SECRET_FILE"],
  ["RATELIMIT_FACTOR", "RATE_LIMIT_FACTOR"],
])("%s: is %s meant?", (name, meant) => {
  expect(misspelledSettings({ [name]: "x" })).toEqual([
    `${name} is set, which is no setting of Fanfare: is ${meant} meant?`,
  ]);
  expect(misspelledSettings({ [name]: "x", [meant]: "y" })).toEqual([]);
  expect(misspelledSettings({ [name]: "" })).toEqual([]);
});

test("what other programs have in the environment is nobody's slip", () => {
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

test("is said beside the faults that it may explain", () => {
  const faulty = () => loadConfig({ NODE_ENV: "production", TOKEN_SECERT: "hunter2" });
  expect(faulty).toThrow("TOKEN_SECRET: is required");
  expect(faulty).toThrow("is TOKEN_SECRET meant?");
  expect(faulty).not.toThrow("hunter2");
});
