import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { SECRET_NAMES } from "./environment.ts";

const SECRET = randomBytes(32).toString("hex");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileWith(content: string): Promise<string> {
  const path = join(folder, randomBytes(6).toString("hex"));
  await writeFile(path, content);
  return path;
}

test.each(["", "\n", "\r\n"])("reads a secret from a file that ends with %j", async (end) => {
  const TOKEN_SECRET_FILE = await fileWith(`${SECRET}${end}`);
  expect(loadConfig({ NODE_ENV: "production", TOKEN_SECRET_FILE }).tokenSecret).toBe(SECRET);
});

test("removes only one line break", async () => {
  const TOKEN_SECRET_FILE = await fileWith(` ${SECRET} \n\n`);
  expect(loadConfig({ TOKEN_SECRET_FILE }).tokenSecret).toBe(` ${SECRET} \n`);
});

test("every secret, and nothing else, can be read from a file", async () => {
  const path = await fileWith("");
  const variables = Object.fromEntries(SECRET_NAMES.map((name) => [`${name}_FILE`, path]));
  for (const name of SECRET_NAMES)
    expect(() => loadConfig(variables)).toThrow(`${name}_FILE: names a file that is empty: ${path}`);
  expect(loadConfig({ PORT_FILE: path }).port).toBe(3000);
});

test("rejects a secret that is given both directly and as a file", async () => {
  const both = { TOKEN_SECRET_FILE: await fileWith(SECRET), TOKEN_SECRET: SECRET };
  expect(() => loadConfig(both)).toThrow("TOKEN_SECRET_FILE: must not be set together with TOKEN_SECRET");
  expect(loadConfig({ ...both, TOKEN_SECRET: "" }).tokenSecret).toBe(SECRET);
});

test("reports an unreadable file with all other errors, without reporting its setting as missing", () => {
  const missing = join(folder, "missing");
  const load = () =>
    loadConfig({ NODE_ENV: "production", TOKEN_SECRET_FILE: missing, SMTP_URL_FILE: folder, PORT: "x" });
  for (const fault of [
    `TOKEN_SECRET_FILE: names a file that cannot be read: ENOENT: no such file or directory, open '${missing}'`,
    "SMTP_URL_FILE: names a file that cannot be read: EISDIR",
    "MAIL_FROM: is required with SMTP_URL",
    "PORT: must be",
  ]) {
    expect(load).toThrow(fault);
  }
  expect(load).not.toThrow("TOKEN_SECRET: ");
});

test.each([
  "hunter2".repeat(6),
  `/${"hunter2".repeat(6)}`,
  "/hunter2hunter2/hunter2hunter2hunter2",
  "hunter2\0",
])("a secret given instead of a path is not printed: %j", (secret) => {
  const load = () => loadConfig({ TOKEN_SECRET_FILE: secret });
  expect(load).toThrow("TOKEN_SECRET_FILE: names a file that cannot be read: E");
  expect(load).not.toThrow("hunter2");
});

test("validates the content of a file like an environment variable", async () => {
  const TOKEN_SECRET_FILE = await fileWith("short\n");
  expect(() => loadConfig({ TOKEN_SECRET_FILE })).toThrow("TOKEN_SECRET: must have at least 32 characters");
});
