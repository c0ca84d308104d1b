import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTokenFile, writeTokenFile } from "./token-file.ts";

const ACCESS = {
  groupId: "g",
  channelId: "c",
  owner: { username: "owner", password: "secret" },
  tokens: ["a", "b"],
  expiresAt: "2026-01-01T00:15:00.000Z",
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a file can be read back until its tokens expire", async () => {
  const file = join(folder, "tokens.json");
  await writeTokenFile(file, "http://127.0.0.1:3000", ACCESS);
  const read = await readTokenFile(file, new Date("2026-01-01T00:14:00Z"));
  expect(read).toEqual({ version: 1, url: "http://127.0.0.1:3000", ...ACCESS });
  await expect(readTokenFile(file, new Date("2026-01-01T00:15:00Z"))).rejects.toThrow(
    "pnpm bench register --url http://127.0.0.1:3000",
  );
});

test.each(["", "null", "{}", '{"version":1,"url":"x","tokens":[]}'])("rejects %j", async (text) => {
  const file = join(folder, "tokens.json");
  await writeFile(file, text);
  await expect(readTokenFile(file)).rejects.toThrow("was not written by pnpm bench register");
});
