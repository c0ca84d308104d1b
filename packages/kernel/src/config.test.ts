import { generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ConfigError, loadConfig, needsDatabase } from "./config.ts";

/** Base64, without the lines around it. */
const CERTIFICATE =
  "MIIBcjCCARmgAwIBAgIUNh4trAVmxEblg65chLDNlcz2gaAwCgYIKoZIzj0EAwIwDjEMMAoGA1UEAwwDaWRwMCAXDTI2MTEyOTEw" +
  "MTA0M1oYDzIxMjYxMTA1MTAxMDQzWjAOMQwwCgYDVQQDDANpZHAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS+FfYCaLYFtH0p" +
  "/YqM0edYF3tiFttCwecCRlU0MRLKQoVFFWWGXBxXLNbWYUr6rjC6YKVYQzYA1zsD5FwC/4dlo1MwUTAdBgNVHQ4EFgQUIrAnjYnD" +
  "2ZCx45JwDpsIrnGhGBUwHwYDVR0jBBgwFoAUIrAnjYnD2ZCx45JwDpsIrnGhGBUwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD" +
  "AgNHADBEAiAt70Cw937n2iiSLyMVqmzW/tYzVFmk38jT2r3fmQ0vUQIgIpAFcZSo09IuRQXnXRLhdzsLQSpAmx6c0VM3auvWK8Q=";

const SECRET = randomBytes(32).toString("hex");

test("needs no configuration", () => {
  expect(loadConfig({})).toMatchObject({
    environment: "development",
    port: 3000,
    services: expect.arrayContaining(["gateway"]),
  });
});

test("treats an empty variable as not set", () => {
  expect(loadConfig({ PORT: "", MONGO_URL: "" })).toMatchObject({ port: 3000, mongoUrl: undefined });
});

test("reports all errors together", () => {
  const load = () =>
    loadConfig({
      PORT: "99999",
      SERVICES: "gateway,printer",
      MONGO_URL: "postgres://x",
      NODE_ENV: "production",
    });
  expect(load).toThrow(ConfigError);
  for (const fault of [
    "PORT: must be a whole number from 0 to 65535",
    "SERVICES: must be one of gateway, user, group, message",
    "MONGO_URL: must start with mongodb://",
    "TOKEN_SECRET: is required in production",
  ]) {
    expect(load).toThrow(fault);
  }
});

test("production does not start without a secret", () => {
  expect(() => loadConfig({ NODE_ENV: "production" })).toThrow(/TOKEN_SECRET: is required/);
  expect(loadConfig({ NODE_ENV: "production", TOKEN_SECRET: SECRET }).logLevel).toBe("info");
});

const cluster = {
  NATS_URL: "nats://nats:4222",
  REDIS_URL: "redis://redis:6379",
  MONGO_URL: "mongodb://database/fanfare",
  FILES_DIR: "/shared/files",
  TOKEN_SECRET: SECRET,
};

test("a process that hosts some services needs a connection to the others", () => {
  expect(() => loadConfig({ SERVICES: "gateway,user" })).toThrow(
    "NATS_URL: is required to reach the processes that host group, message, presence",
  );
});

test("the processes of a cluster need shared services; all missing ones are reported together", () => {
  const lonely = () => loadConfig({ NATS_URL: cluster.NATS_URL, SERVICES: "message" });
  for (const fault of [
    "REDIS_URL: is required with NATS_URL",
    "MONGO_URL: is required with NATS_URL",
    "TOKEN_SECRET: is required with NATS_URL",
  ]) {
    expect(lonely).toThrow(fault);
  }
  expect(loadConfig({ ...cluster, SERVICES: "message" }).services).toEqual(["message"]);
});

test("a gateway needs no database", () => {
  const gateway = loadConfig({ ...cluster, MONGO_URL: "", SERVICES: "gateway" });
  expect(needsDatabase(gateway)).toBe(false);
  expect(needsDatabase(loadConfig(cluster))).toBe(true);
});

test("the processes of a cluster need shared file storage", () => {
  const s3 = { S3_BUCKET: "files", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" };
  const { FILES_DIR: _shared, ...lonely } = cluster;
  for (const SERVICES of ["gateway", "file", "workers"])
    expect(() => loadConfig({ ...lonely, SERVICES })).toThrow("S3_BUCKET: is required with NATS_URL");
  expect(loadConfig({ ...lonely, SERVICES: "message" }).s3).toBeUndefined();
  expect(loadConfig({ ...lonely, ...s3 }).s3).toEqual({
    endpoint: undefined,
    bucket: "files",
    region: "us-east-1",
    accessKeyId: "a",
    secretAccessKey: "b",
  });
  expect(loadConfig(cluster).filesDir).toBe("/shared/files");
  expect(loadConfig({ DATA_DIR: "/data" }).filesDir).toBe("/data/files");
  expect(() => loadConfig({ S3_BUCKET: "files" })).toThrow("S3_ACCESS_KEY_ID: is required");
  expect(() => loadConfig({ S3_ENDPOINT: "http://s3" })).toThrow("S3_BUCKET: is required with S3_ENDPOINT");
});

test("calls require all settings of LiveKit or none", () => {
  const livekit = {
    LIVEKIT_URL: "wss://livekit.example.org/",
    LIVEKIT_KEY: "key",
    LIVEKIT_SECRET: "a LiveKit secret with 32 or more characters",
  };
  expect(loadConfig({}).livekit).toBeUndefined();
  expect(loadConfig({ LIVEKIT_URL: "", LIVEKIT_KEY: "", LIVEKIT_SECRET: "" }).livekit).toBeUndefined();
  expect(loadConfig(livekit).livekit).toEqual({
    url: "wss://livekit.example.org",
    serverUrl: "https://livekit.example.org",
    key: "key",
    secret: livekit.LIVEKIT_SECRET,
  });
  const local = { ...livekit, LIVEKIT_URL: "ws://localhost:7880" };
  expect(loadConfig(local).livekit?.serverUrl).toBe("http://localhost:7880");
  const LIVEKIT_SERVER_URL = "http://livekit:7880/";
  expect(loadConfig({ ...livekit, LIVEKIT_SERVER_URL }).livekit?.serverUrl).toBe("http://livekit:7880");
  // Browsers keep the path, but the server SDK doesn't.
  const withPath = { ...livekit, LIVEKIT_URL: "wss://chat.example.org/livekit/", LIVEKIT_SERVER_URL };
  expect(loadConfig(withPath).livekit?.url).toBe("wss://chat.example.org/livekit");
  for (const [env, error] of [
    [{ LIVEKIT_URL: "wss://a" }, "LIVEKIT_KEY: is required with the other settings LIVEKIT_*"],
    [{ LIVEKIT_URL: "wss://a", LIVEKIT_KEY: "key" }, "LIVEKIT_SECRET: is required"],
    [{ LIVEKIT_KEY: "key" }, "LIVEKIT_URL: is required"],
    [{ LIVEKIT_SERVER_URL }, "LIVEKIT_URL: is required with LIVEKIT_SERVER_URL"],
    [{ ...livekit, LIVEKIT_URL: "https://a" }, "LIVEKIT_URL: must start with wss:// or ws://"],
    [{ ...livekit, LIVEKIT_SERVER_URL: "ws://a" }, "LIVEKIT_SERVER_URL: must start with https:// or http://"],
    [
      { ...livekit, LIVEKIT_URL: "wss://chat.example.org/livekit" },
      "LIVEKIT_URL: must have no path, or LIVEKIT_SERVER_URL must be set",
    ],
    [{ ...livekit, LIVEKIT_SERVER_URL: "http://livekit:7880/a" }, "LIVEKIT_SERVER_URL: must have no path"],
    [{ ...livekit, LIVEKIT_SERVER_URL: "http://livekit:7880?a" }, "LIVEKIT_SERVER_URL: must have no path"],
    [{ ...livekit, LIVEKIT_SECRET: "short" }, "LIVEKIT_SECRET: must have at least 32 characters"],
    [
      {
        ...livekit,
        NODE_ENV: "production",
        TOKEN_SECRET: SECRET,
        LIVEKIT_SECRET: "replace-me-by-32-or-more-random-characters",
      },
      "LIVEKIT_SECRET: is the example of the documentation",
    ],
  ] as [Record<string, string>, string][])
    expect(() => loadConfig(env)).toThrow(error);
});

test("mail and OIDC require all of their settings or none", () => {
  expect(() => loadConfig({ SMTP_URL: "smtp://localhost" })).toThrow("MAIL_FROM: is required");
  expect(() => loadConfig({ OIDC_ISSUER: "https://login.example.org", OIDC_CLIENT_ID: "chat" })).toThrow(
    "OIDC_CLIENT_SECRET: is required",
  );
  const oidc = { OIDC_ISSUER: "http://login.example.org", OIDC_CLIENT_ID: "chat", OIDC_CLIENT_SECRET: "x" };
  const production = { NODE_ENV: "production", TOKEN_SECRET: SECRET };
  const load = () => loadConfig({ ...production, ...oidc, SMTP_URL: "smtp://localhost", MAIL_FROM: "a@b" });
  for (const fault of [
    "PUBLIC_URL: is required with SMTP_URL",
    "PUBLIC_URL: is required with OIDC_ISSUER",
    "OIDC_ISSUER: must start with https://",
  ]) {
    expect(load).toThrow(fault);
  }
  expect(loadConfig(oidc).providers).toEqual([
    {
      id: "default",
      name: null,
      issuer: oidc.OIDC_ISSUER,
      clientId: "chat",
      clientSecret: "x",
      scopes: "openid email profile",
      groupsClaim: "groups",
      adminGroups: undefined,
      protocol: "oidc",
    },
  ]);
  expect(loadConfig({ PUBLIC_URL: "https://chat.example.org/" }).publicUrl).toBe("https://chat.example.org");
  expect(loadConfig({}).publicUrl).toBe("http://127.0.0.1:3000");
  expect(loadConfig({ HOST: "::", PORT: "80" }).publicUrl).toBe("http://localhost:80");
});

test("LDAP needs a server and a base, and encryption in production", () => {
  const ldap = { LDAP_URL: "ldap://ldap.example.org", LDAP_BASE_DN: "dc=example,dc=org" };
  expect(loadConfig(ldap).ldap).toEqual({
    url: ldap.LDAP_URL,
    baseDn: ldap.LDAP_BASE_DN,
    startTls: false,
    bind: undefined,
    filter: "(|(uid={name})(mail={name}))",
    attributes: { id: "entryUUID", username: "uid", nickname: "cn", email: "mail" },
  });
  const bind = { LDAP_BIND_DN: "cn=search", LDAP_BIND_PASSWORD: "x" };
  expect(loadConfig({ ...ldap, ...bind }).ldap?.bind).toEqual({ dn: "cn=search", password: "x" });
  expect(loadConfig({}).ldap).toBeUndefined();
  const production = { NODE_ENV: "production", TOKEN_SECRET: SECRET, ...ldap };
  const unencrypted = "LDAP_URL: must start with ldaps:// in production";
  expect(() => loadConfig(production)).toThrow(unencrypted);
  for (const LDAP_URL of ["ldap://127.0.0.1.example.org", "LDAP://ldap.example.org"])
    expect(() => loadConfig({ ...production, LDAP_URL })).toThrow(unencrypted);
  for (const safe of [
    { LDAP_STARTTLS: "on", ...bind },
    { LDAP_URL: "ldaps://ldap.example.org" },
    { LDAP_URL: "ldap://127.0.0.1:389" },
    { LDAP_URL: "ldap://[::1]" },
    { LDAP_URL: "ldap://localhost" },
  ])
    expect(loadConfig({ ...production, ...safe }).ldap).toBeDefined();
  for (const [wrong, fault] of [
    [{ LDAP_BASE_DN: "" }, "LDAP_BASE_DN: is required with LDAP_URL"],
    [{ LDAP_STARTTLS: "on" }, "LDAP_BIND_DN: is required with LDAP_STARTTLS"],
    [{ LDAP_BIND_DN: "cn=search" }, "LDAP_BIND_PASSWORD: is required with LDAP_BIND_DN"],
    [{ LDAP_URL: "", LDAP_BASE_DN: "", ...bind }, "LDAP_URL: is required with LDAP_BIND_DN"],
    [{ LDAP_URL: "https://ldap.example.org" }, "LDAP_URL: must start with ldaps:// or ldap://"],
    [
      { LDAP_URL: "ldaps://ldap.example.org", LDAP_STARTTLS: "on" },
      "LDAP_STARTTLS: must be off with ldaps://",
    ],
    [{ LDAP_FILTER: "uid={name}" }, "LDAP_FILTER: must be a filter in parentheses"],
    [{ LDAP_FILTER: "(uid=ann)" }, "LDAP_FILTER: must be a filter in parentheses"],
  ] as const)
    expect(() => loadConfig({ ...ldap, ...wrong })).toThrow(fault);
});

test("reads the trace collector from OpenTelemetry's variables", () => {
  expect(loadConfig({ OTEL_SERVICE_NAME: "chat" }).tracing).toBeUndefined();
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  expect(loadConfig(endpoint).tracing).toEqual({
    endpoint: "http://collector:4318",
    headers: {},
    sampleRatio: 1,
    serviceName: "fanfare",
  });
  const all = {
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi=, x-tenant = chat",
    OTEL_TRACES_SAMPLER_ARG: "0.05",
    OTEL_SERVICE_NAME: "chat",
  };
  expect(loadConfig(all).tracing).toEqual({
    endpoint: "http://collector:4318",
    headers: { authorization: "Basic YTpi=", "x-tenant": "chat" },
    sampleRatio: 0.05,
    serviceName: "chat",
  });
  for (const wrong of ["token", "=token", "a=%zz"])
    expect(() => loadConfig({ OTEL_EXPORTER_OTLP_HEADERS: wrong })).toThrow("must be name=value,name=value");
  expect(() => loadConfig({ OTEL_TRACES_SAMPLER_ARG: "5" })).toThrow("must be a number from 0 to 1");
});

test("reads lists", () => {
  expect(
    loadConfig({
      SERVICES: " message,user, group ,gateway,user",
      NATS_URL: "nats://n",
      REDIS_URL: "redis://r",
      MONGO_URL: "mongodb://m",
      FILES_DIR: "/f",
      TOKEN_SECRET: SECRET,
    }).services,
  ).toEqual(["message", "user", "group", "gateway"]);
});

test.each([
  ["off", 0],
  ["on", 1],
  ["true", 1],
  ["2", 2],
  ["10.0.0.0/8, 2001:db8::7", ["10.0.0.0/8", "2001:db8::7"]],
])("TRUST_PROXY=%s takes a number of proxies, or networks", (TRUST_PROXY, trustProxy) => {
  expect(loadConfig({ TRUST_PROXY }).trustProxy).toEqual(trustProxy);
});

test.each(["yes please", "-1", "10.0.0.0/33", ","])("rejects TRUST_PROXY=%s", (TRUST_PROXY) => {
  expect(() => loadConfig({ TRUST_PROXY })).toThrow("TRUST_PROXY: must be on, off, the number of proxies");
});

test("SERVICES=workers means all services except the gateway", () => {
  const together = { SERVICES: "gateway,workers" };
  expect(new Set(loadConfig(together).services)).toEqual(new Set(loadConfig({}).services));
  const cluster = { NATS_URL: "nats://n", REDIS_URL: "redis://r", MONGO_URL: "mongodb://m", FILES_DIR: "/f" };
  const worker = loadConfig({ ...cluster, TOKEN_SECRET: SECRET, SERVICES: "workers,user" });
  expect([...worker.services, "gateway"].sort()).toEqual([...loadConfig({}).services].sort());
});

test.each(["abc", "1.5", "-1", "70000"])("rejects the port %s with an explanation", (port) => {
  expect(() => loadConfig({ PORT: port })).toThrow("PORT: must be a whole number from 0 to 65535");
});

test("reads further OIDC providers from JSON", () => {
  const google = {
    id: "google",
    name: "Google",
    issuer: "https://accounts.google.com",
    clientId: "chat",
    clientSecret: "hunter2",
  };
  const load = (providers: unknown, env: Record<string, string> = {}) =>
    loadConfig({ OIDC_PROVIDERS: JSON.stringify(providers), ...env });
  const defaults = { scopes: "openid email profile", groupsClaim: "groups" };
  const protocol = "oidc";
  expect(load([google], { OIDC_ONLY: "on" }).providers).toEqual([{ ...google, ...defaults, protocol }]);
  const groups = { scopes: "openid groups", groupsClaim: "roles", adminGroups: ["cn=a,dc=b"] };
  expect(load([{ ...google, ...groups }]).providers).toEqual([{ ...google, ...groups, protocol }]);
  const first = { OIDC_ISSUER: "https://login.example.org", OIDC_CLIENT_ID: "chat", OIDC_CLIENT_SECRET: "x" };
  const both = load([google], { ...first, OIDC_NAME: "Example" }).providers;
  expect(both.map(({ id, name }) => [id, name])).toEqual([
    ["default", "Example"],
    ["google", "Google"],
  ]);
  const production = { NODE_ENV: "production", TOKEN_SECRET: SECRET };
  expect(() => load([{ ...google, issuer: "http://x" }], production)).toThrow(
    /PUBLIC_URL: is required with OIDC_PROVIDERS[^]*OIDC_PROVIDERS: issuer: must start with https/,
  );
  for (const id of ["default", "google"])
    expect(load([google], { ...first, SCIM_OIDC_PROVIDER: id }).scimOidcProvider).toBe(id);
  for (const id of ["default", "other"])
    expect(() => load([google], { SCIM_OIDC_PROVIDER: id })).toThrow(
      /SCIM_OIDC_PROVIDER: must be default, with/,
    );
  for (const name of ["OIDC_NAME", "OIDC_ADMIN_GROUPS"])
    expect(() => loadConfig({ [name]: "x" })).toThrow(`OIDC_ISSUER: is required with ${name}`);
  expect(() => loadConfig({ ...first, OIDC_SCOPES: "email" })).toThrow("OIDC_SCOPES: must contain openid");
  expect(loadConfig({ ...first, OIDC_ADMIN_GROUPS: "a, b" }).providers[0]?.adminGroups).toEqual(["a", "b"]);
  expect(() => loadConfig({ ...first, OIDC_ADMIN_GROUPS: "cn=a,dc=b" })).toThrow(
    /OIDC_ADMIN_GROUPS: .*without =; adminGroups in OIDC_PROVIDERS/,
  );
  for (const [wrong, message] of [
    [google, "must be a JSON list of providers"],
    [[], "must have a provider"],
    [[google, google], "must not use an id twice"],
    [[{ ...google, id: "default" }], "0.id: must not be default"],
    [[{ ...google, id: "a/b" }], "0.id: must have 1 to 32 lower-case letters"],
    [[{ ...google, adminGroups: "a" }], /0\.adminGroups: /],
    [[google, { ...google, id: "b", issuer: "example.org" }], "1.issuer: must start with https://"],
    [[{ ...google, secret: "x" }], /0: .*secret/],
    [[{ ...google, clientSecret: undefined }], /0\.clientSecret: /],
  ] as const) {
    const attempt = () => load(wrong);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow("hunter2");
  }
  expect(() => loadConfig({ OIDC_PROVIDERS: "google" })).toThrow("must be a JSON list of providers");
});

test("reads SAML providers from JSON", () => {
  const metadata = "https://login.example.org/saml/metadata";
  const work = { id: "work", name: "Work", metadata };
  const load = (providers: unknown, env: Record<string, string> = {}) =>
    loadConfig({ SAML_PROVIDERS: JSON.stringify(providers), ...env });
  const expected = {
    id: "work",
    name: "Work",
    protocol: "saml",
    emailAttribute: "email",
    usernameAttribute: "username",
    nicknameAttribute: "displayName",
    groupsAttribute: "groups",
    idpInitiated: false,
  };
  expect(load([work], { OIDC_ONLY: "on", SCIM_OIDC_PROVIDER: "work" }).providers).toEqual([
    { ...expected, idp: metadata },
  ]);
  const pem = `-----BEGIN CERTIFICATE-----\n${CERTIFICATE.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  const values = { entityId: "https://login.example.org", ssoUrl: "https://login.example.org/sso" };
  for (const certificate of [CERTIFICATE, pem])
    expect(load([{ id: "work", name: "Work", ...values, certificates: [certificate] }]).providers).toEqual([
      { ...expected, idp: { ...values, certificates: [pem] } },
    ]);
  const google = {
    id: "work",
    name: "Google",
    issuer: "https://g.example",
    clientId: "x",
    clientSecret: "y",
  };
  for (const [wrong, message, env] of [
    [[{ ...work, metadata: "idp.xml" }], "0.metadata: must be a URL, or the XML of an EntityDescriptor"],
    [
      [{ ...work, metadata: undefined }],
      "0: must have either metadata, or entityId, ssoUrl and certificates",
    ],
    [[{ ...work, ...values }], "0: must have either metadata, or entityId, ssoUrl and certificates"],
    [[{ ...values, id: "work", name: "Work" }], "0: must have either metadata, or entityId, ssoUrl"],
    [[{ ...work, certificates: ["abc"] }], "0.certificates.0: must be a certificate in PEM format"],
    [[work, work], "must not use an id twice"],
    [[{ ...work, id: "default" }], "0.id: must not be default"],
    [[work], "must not use an id of OIDC_PROVIDERS", { OIDC_PROVIDERS: JSON.stringify([google]) }],
    [[work], "PUBLIC_URL: is required with SAML_PROVIDERS", { NODE_ENV: "production", TOKEN_SECRET: SECRET }],
    [
      [{ ...work, metadata: "http://login.example.org" }],
      "SAML_PROVIDERS: metadata: must start with https:// in production",
      { NODE_ENV: "production", TOKEN_SECRET: SECRET, PUBLIC_URL: "https://chat.example.org" },
    ],
  ] as [unknown, string, Record<string, string>?][])
    expect(() => load(wrong, env)).toThrow(message);
});

test("production accepts guests only if configured", () => {
  expect(loadConfig({}).policy.defaults.guests).toBe(true);
  const production = { NODE_ENV: "production", TOKEN_SECRET: SECRET };
  expect(loadConfig(production).policy).toMatchObject({ defaults: { guests: false }, fixed: {} });
  expect(loadConfig({ ...production, GUESTS: "on" }).policy.fixed).toEqual({ guests: true });
});

test("rejects a policy that would lock everyone out", () => {
  expect(() => loadConfig({ OIDC_ONLY: "on" })).toThrow(/OIDC_ISSUER: is required with OIDC_ONLY/);
  expect(loadConfig({ OIDC_ONLY: "off" }).policy.fixed).toEqual({ oidcOnly: false });
  const production = { NODE_ENV: "production", TOKEN_SECRET: SECRET };
  expect(() => loadConfig({ ...production, MAIL_DOMAINS: "example.org" })).toThrow(
    /SMTP_URL: is required with MAIL_DOMAINS/,
  );
  expect(() => loadConfig({ MAIL_DOMAINS: "nonsense" })).toThrow(
    /MAIL_DOMAINS: must be a domain such as example.org/,
  );
});

test("accepts a former service next to the service that replaced it, otherwise names the replacement", () => {
  expect(loadConfig({ ...cluster, SERVICES: "message,user,friend" }).services).toEqual(["message", "user"]);
  expect(() => loadConfig({ ...cluster, SERVICES: "friend" })).toThrow(
    "SERVICES: 'friend' is now part of 'user': use 'user' instead",
  );
});

test("what apps need belongs together, and in production the keys must be readable", () => {
  expect(loadConfig({}).appPush).toEqual({ content: "generic", fcm: undefined, apns: undefined });
  const pem = {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  } as const;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256", ...pem });
  const { privateKey: rsa } = generateKeyPairSync("rsa", { modulusLength: 2048, ...pem });
  const { privateKey: longer } = generateKeyPairSync("ec", { namedCurve: "P-384", ...pem });
  const apns = { APNS_KEY_ID: "ABC123DEFG", APNS_TEAM_ID: "DEF123GHIJ", APNS_TOPIC: "org.example.chat" };
  const inOneLine = { ...apns, APNS_KEY: privateKey.replaceAll("\n", String.raw`\n`) };
  const account = (more: object) =>
    JSON.stringify({
      project_id: "my-project",
      client_email: "push@my-project.example",
      private_key: rsa,
      ...more,
    });
  const FCM_SERVICE_ACCOUNT = account({});
  expect(loadConfig({ ...inOneLine, FCM_SERVICE_ACCOUNT, APNS_SANDBOX: "on" }).appPush).toMatchObject({
    fcm: { privateKey: rsa, url: "https://fcm.googleapis.com/v1/projects/my-project/messages:send" },
    apns: { key: privateKey, url: "https://api.sandbox.push.apple.com" },
  });
  for (const [given, message] of [
    [apns, "APNS_KEY: is required with the other settings APNS_*"],
    [{ ...apns, APNS_KEY: "secret" }, "APNS_KEY: must be the text of a .p8 file from Apple"],
    [
      { FCM_SERVICE_ACCOUNT: '{"project_id":"secret"}' },
      "FCM_SERVICE_ACCOUNT: must be the JSON file of a service account that can send messages",
    ],
    [
      { ...apns, NODE_ENV: "production", APNS_KEY: privateKey.replace("MI", "AA") },
      "APNS_KEY: has a private key that can't be read",
    ],
    ...[rsa, longer].map(
      (key) =>
        [
          { ...apns, NODE_ENV: "production", APNS_KEY: key },
          "APNS_KEY: must have a private key for P-256",
        ] as const,
    ),
    [
      { NODE_ENV: "production", FCM_SERVICE_ACCOUNT: account({ private_key: privateKey }) },
      "FCM_SERVICE_ACCOUNT: must have a private key for RSA",
    ],
    [
      { NODE_ENV: "production", FCM_SERVICE_ACCOUNT: account({ token_uri: "http://tokens.example" }) },
      "FCM_SERVICE_ACCOUNT: token_uri: must start with https:// in production",
    ],
  ] as const) {
    expect(() => loadConfig(given)).toThrow(message);
    expect(() => loadConfig(given)).not.toThrow("secret");
  }
});
