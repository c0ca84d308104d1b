import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { Environment, SETTING_NAMES, SECRET_NAMES } from "./environment.ts";
import { SETTINGS, THEMES, type SettingName } from "./settings/index.ts";
import { notes } from "./values.ts";
import { configurationPage, envExample } from "./documents.ts";

const page = configurationPage();
const example = envExample();
const row = (name: string): string => page.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";

test("every setting has notes, one topic, one table row and one line in .env.example", () => {
  expect(SETTING_NAMES.filter((name) => notes.get(SETTINGS[name]) === undefined)).toEqual([]);
  expect(Object.values(THEMES).flatMap(Object.keys)).toEqual(SETTING_NAMES);
  for (const name of SETTING_NAMES) {
    expect([name, page.split(`\n| \`${name}\` `).length]).toEqual([name, 2]);
    expect([name, example.split(`\n#${name}=`).length]).toEqual([name, 2]);
  }
});

test("a row shows the default, the allowed values, when it is required, and the variable for a file", () => {
  expect(row("PORT")).toMatch(/from 0 to 65535\. \| `3000` \| `3100` \|$/);
  expect(row("FILE_MAX_BYTES")).toContain("`26214400` (25 MiB)");
  expect(row("LINK_PREVIEWS")).toContain("| `on` | `off` |");
  expect(row("TOKEN_SECRET")).toContain("| `TOKEN_SECRET` or `TOKEN_SECRET_FILE` |");
  expect(row("TOKEN_SECRET")).toContain("**Required** in production");
});

test("every table row has all cells", () => {
  const cells = page
    .split("\n")
    .filter((line) => /^\| `[A-Z0-9_]+`( or `[A-Z0-9_]+`)? \|/.test(line))
    .map((line) => line.split(" | ").length);
  expect(new Set(cells)).toEqual(new Set([4]));
});

test(".env.example sets nothing, and is valid in development with every # removed", () => {
  expect(parseEnv(example)).toEqual({});
  const all = parseEnv(example.replaceAll(/^#(?=[A-Z0-9_]+=)/gm, ""));
  expect(Object.keys(all).toSorted()).toEqual(SETTING_NAMES.toSorted());
  expect(loadConfig({ ...all, GATEWAY_THREADS: "", SERVICES: "" })).toMatchObject({
    port: 3000,
    linkPreviews: true,
  });
});

test("values shown there are the defaults, if there are any", () => {
  const all = parseEnv(example.replaceAll(/^#(?=[A-Z0-9_]+=)/gm, ""));
  const parsed: Record<string, unknown> = Environment.parse(all);
  const without: Record<string, unknown> = Environment.parse({});
  const simple = SETTING_NAMES.filter(
    (name) => without[name] !== undefined && notes.get(SETTINGS[name])!.defaultText === undefined,
  );
  for (const name of simple) expect([name, parsed[name]]).toEqual([name, without[name]]);
});

test("every example is valid", () => {
  for (const name of SETTING_NAMES)
    expect([name, SETTINGS[name].safeParse(notes.get(SETTINGS[name])!.example).error]).toEqual([
      name,
      undefined,
    ]);
});

test("production rejects every example of a secret", () => {
  const unsafe = SECRET_NAMES.filter((name) => name !== "TOKEN_SECRET_PREVIOUS");
  const given = Object.fromEntries(unsafe.map((name) => [name, notes.get(SETTINGS[name])!.example]));
  for (const name of unsafe)
    expect(() => loadConfig({ NODE_ENV: "production", ...given })).toThrow(
      new RegExp(`  ${name}: is (the example of the documentation|a placeholder)`),
    );
});

/** Configurations that make other settings required. */
const INCOMPLETE: Record<string, string>[] = [
  { NODE_ENV: "production", SMTP_URL: "smtp://m" },
  { MAIL_FROM: "a@b" },
  { NATS_URL: "nats://n" },
  { SERVICES: "gateway" },
  { S3_BUCKET: "b" },
  { LDAP_URL: "ldaps://l" },
  { LDAP_BASE_DN: "dc=d" },
  { LDAP_BIND_DN: "cn=c" },
  { LDAP_BIND_PASSWORD: "p" },
  { S3_ACCESS_KEY_ID: "k" },
  { OIDC_CLIENT_ID: "x" },
  { OIDC_CLIENT_SECRET: "x" },
  { LIVEKIT_URL: "wss://livekit.example.org" },
  { LIVEKIT_KEY: "k" },
  { APNS_TOPIC: "org.example.chat" },
  { APNS_KEY_ID: "ABC123DEFG" },
];

test("the documentation says when a setting is required, if and only if it can be", () => {
  const required = INCOMPLETE.flatMap((given) => {
    try {
      loadConfig(given);
    } catch (error) {
      return [...(error as Error).message.matchAll(/^ {2}(\w+): is required/gm)].map(
        ([, name]) => name as SettingName,
      );
    }
    throw new Error(`Nothing is required with ${Object.keys(given).join()}.`);
  });
  const documented = SETTING_NAMES.filter((name) => notes.get(SETTINGS[name])!.required !== undefined);
  // Either this or S3 is required: the fault is reported for the bucket.
  expect(new Set([...required, "FILES_DIR"])).toEqual(new Set(documented));
});
