import { access, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { must, createWorld } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { writeBackup } from "../src/backup/write-backup.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { mongo } from "mongoose";
import { configOf, fanfare, newFolder, whileRunning } from "./temporary-instance.ts";

let folder: string;
let source: string;
let backup: string;
let channelId: string;
let token: string;

beforeAll(async () => {
  folder = await newFolder();
  source = join(folder, "source");
  backup = join(folder, "first.backup");
  await whileRunning(source, async (url) => {
    const { channel, owner } = await createWorld(url);
    channelId = channel.id;
    token = owner.accessToken;
    for (let n = 0; n < 50; n++)
      await must(url, "message.send", { channelId, content: `Message ${n}`, nonce: `n${n}` }, token);
  });
  await mkdir(join(source, "files/ab"), { recursive: true });
  await writeFile(join(source, "files/ab/large"), Buffer.alloc(300_000, "content"));
  await writeFile(join(source, "files/empty"), "");
  await withStoppedInstance(configOf(source), async ({ db }) => {
    const { Long, Double, Int32, Decimal128, Binary, BSONRegExp, Timestamp } = mongo.BSON;
    await db.collection("everyType").insertMany([
      {
        _id: 1 as never,
        long: Long.fromString("9007199254740993"),
        double: new Double(1),
        int: new Int32(1),
      },
      {
        _id: "text" as never,
        decimal: Decimal128.fromString("1.10"),
        binary: new Binary(Buffer.from([0, 255]), 5),
      },
      {
        _id: new Double(-0.5) as never,
        regexp: new BSONRegExp("a", "i"),
        at: new Timestamp({ t: 1, i: 2 }),
      },
      { when: new Date(0), nothing: null, minKey: new mongo.BSON.MinKey(), nested: { b: [1, { a: 2 }] } },
    ]);
  });
  await writeBackup(configOf(source), backup);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("a backup of a restored instance has the same bytes", async () => {
  const target = join(folder, "target");
  expect(await restoreBackup(configOf(target), backup, false)).toEqual({ moved: [], notices: [] });
  const second = join(folder, "second.backup");
  const summary = await writeBackup(configOf(target), second);
  expect(summary.collections).toMatchObject({ messages: 51, everyType: 4, channels: 1 });
  expect((await readFile(second)).equals(await readFile(backup))).toBe(true);
  expect(await readFile(join(target, "files/ab/large"))).toHaveLength(300_000);
  expect((await readdir(target)).toSorted()).toEqual(["db", "files", "token-secret"]);
});

test("an instance runs on restored data, and existing tokens stay valid", async () => {
  const target = join(folder, "runs");
  await restoreBackup(configOf(target), backup, false);
  await whileRunning(target, async (url) => {
    const { messages } = await must(url, "message.list", { channelId, limit: 100 }, token);
    expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 51 }, (_, index) => index + 1));
    await must(url, "message.send", { channelId, content: "It goes on", nonce: "after" }, token);
  });
});

function unpacked(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes);
  } catch {
    return null;
  }
}

test("rejects a damaged or truncated backup wherever the damage is, and writes nothing", async () => {
  const bytes = await readFile(backup);
  const target = join(folder, "untouched");
  const damaged = join(folder, "damaged.backup");
  const lengths = [0, 5, 20, Math.floor(bytes.length / 2), bytes.length - 9, bytes.length - 1];
  for (const length of lengths) {
    await writeFile(damaged, bytes.subarray(0, length));
    await expect(restoreBackup(configOf(target), damaged, false), `cut at ${length}`).rejects.toThrow(
      "is not a complete backup",
    );
  }
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
    const other = Buffer.from(bytes);
    other[at]! ^= 0x10;
    // Such as the time in the gzip header, or bits that fill up a byte.
    if (unpacked(other)?.equals(unpacked(bytes)!) === true) continue;
    await writeFile(damaged, other);
    await expect(restoreBackup(configOf(target), damaged, false), `changed at ${at}`).rejects.toThrow(
      "is not a complete backup",
    );
  }
  await expect(readdir(target)).rejects.toThrow("ENOENT");
});

test("replaces an existing instance only with --force, and preserves the old data", async () => {
  const target = join(folder, "there");
  await whileRunning(target, (url) => createWorld(url));
  await expect(restoreBackup(configOf(target), backup, false)).rejects.toThrow("--force");
  const { moved } = await restoreBackup(configOf(target), backup, true);
  expect(moved.filter((path) => !path.includes("files"))).toEqual([
    join(target, "token-secret.before-restore"),
    join(target, "db.before-restore"),
  ]);
  const again = join(folder, "there.backup");
  await writeBackup(configOf(target), again);
  expect((await readFile(again)).equals(await readFile(backup))).toBe(true);
});

test("doesn't replace a running instance, and explains why", async () => {
  const target = join(folder, "running");
  await whileRunning(target, async () => {
    const restored = await fanfare(target, ["restore", backup, "--force"]);
    expect(restored).toMatchObject({ code: 1, error: expect.stringContaining("Stop it first") as string });
  });
});

test("an interrupted restore doesn't block the next one", async () => {
  const target = join(folder, "broken-off");
  await mkdir(join(target, ".restoring/db"), { recursive: true });
  await writeFile(join(target, ".restoring/token-secret"), "half");
  const run = await fanfare(target, ["restore", backup]);
  expect(run).toMatchObject({ code: 0, error: "" });
  expect((await readdir(target)).toSorted()).toEqual(["db", "files", "token-secret"]);
});

test("doesn't overwrite an existing file", async () => {
  await expect(writeBackup(configOf(source), backup)).rejects.toThrow("already exists");
});

test("doesn't write to a file that another user has created", async () => {
  const victim = join(folder, "victim");
  await writeFile(victim, "precious");
  await symlink(victim, join(folder, "linked.backup.unfinished"));
  const open = join(folder, "open.backup");
  await writeFile(`${open}.unfinished`, "", { mode: 0o666 });
  for (const file of [join(folder, "linked.backup"), open]) {
    await expect(writeBackup(configOf(source), file)).rejects.toThrow(`${file}.unfinished already exists`);
    await expect(access(file)).rejects.toThrow("ENOENT");
  }
  expect(await readFile(victim, "utf8")).toBe("precious");
});
