import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { existingUsers, writeTokens } from "./tokens.ts";

test("tokens are written for the options that read them, and only for their owner", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "tokens.txt");
  await writeFile(file, "formerly");
  await writeTokens(file, ["owner", "a", "b"]);
  expect(await readFile(file, "utf8")).toBe("owner\na\nb\n");
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect(await existingUsers({ tokens: file, channel: "c", url: "http://127.0.0.1:9" }, 2)).toEqual({
    senderToken: "owner",
    memberTokens: ["a", "b"],
    channel: "c",
  });
});
