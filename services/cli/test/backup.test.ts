import { access, mkdir, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { startFanfare } from "@fanfare/node";
import { must, createWorld } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { writeBackup } from "../src/backup/write-backup.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { mongo } from "mongoose";
import { configOf, fanfare, newFolder, outcomeOf, spawnFanfare, whileRunning } from "./temporary-instance.ts";

/** Users can mount file systems in their own namespace. */
const NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"];
const canMount =
  process.env["REQUIRE_ALL_TESTS"] === "1" ||
  spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), "true"]).status === 0;
if (!canMount) console.warn("Mount namespaces are not available: tests of restoring to mounts are skipped.");

/** The files of a closed database. */
const DATABASE = ["data.sqlite", "data.sqlite-synced", "engine.json"];

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
    join(target, "db/.before-restore"),
    join(target, "token-secret.before-restore"),
  ]);
  const again = join(folder, "there.backup");
  await writeBackup(configOf(target), again);
  expect((await readFile(again)).equals(await readFile(backup))).toBe(true);
});

/** Restores in a namespace of its own, after the commands of `setUp`. */
const restoreAfter = (setUp: string, target: string, env: Record<string, string> = {}) => {
  const through = [...NAMESPACE, "sh", "-ec", setUp, "sh"];
  const folders = { DB: join(target, "db"), FILES_DIR: join(target, "files") };
  return outcomeOf(spawnFanfare(target, ["restore", "--force", backup], { ...folders, ...env }, through));
};

/** Mounts a disk on each folder, one with an old file, and runs a command. Then prints the files of the disks. */
const ON_DISKS = `for disk in "$DB" "$FILES_DIR"; do
    mkdir -p "$disk"; mount -t tmpfs none "$disk"; mkdir "$disk/lost+found"
  done
  echo old > "$FILES_DIR/old"; "$@" > /dev/null; cd "$DB/.."; find db files -type f | sort`;

for (const kind of ["embedded", "MongoDB"] as const)
  test.skipIf(!canMount)(
    `restores to mounted disks, with ${kind}`,
    { tags: kind === "MongoDB" ? "long" : [] },
    async () => {
      const database = kind === "MongoDB" ? await startOwnDatabase(join(folder, "moved")) : undefined;
      const env = database && { MONGO_URL: database.url };
      const files = ["files/.before-restore/old", "files/ab/large", "files/empty"];
      const out = (database === undefined ? [...DATABASE.map((name) => `db/${name}`), ...files] : files).join(
        "\n",
      );
      try {
        const restored = await restoreAfter(ON_DISKS, join(folder, `mounted-${kind}`), env);
        expect(restored).toEqual({ code: 0, error: "", out: `${out}\n` });
      } finally {
        await database?.close();
      }
    },
  );

test("restores to folders that are links to disks, again and again", async () => {
  const target = join(folder, "linked");
  await mkdir(target);
  for (const name of ["db", "files"]) {
    const disk = join(folder, `disk-of-${name}`);
    await mkdir(join(disk, "lost+found"), { recursive: true });
    await symlink(disk, join(target, name));
  }
  expect(await restoreBackup(configOf(target), backup, false)).toEqual({ moved: [], notices: [] });
  for (const aside of [".before-restore", ".before-restore-2"]) {
    const { moved } = await restoreBackup(configOf(target), backup, true);
    expect(moved).toEqual([
      join(target, "db", aside),
      join(target, "files", aside),
      join(target, `token-secret${aside}`),
    ]);
    expect(await readdir(join(folder, "disk-of-db", aside))).toEqual(DATABASE);
    expect(await readdir(join(folder, "disk-of-files", aside))).toEqual(["ab", "empty"]);
  }
  const again = join(folder, "behind-link.backup");
  await writeBackup(configOf(target), again);
  expect((await readFile(again)).equals(await readFile(backup))).toBe(true);
});

/** Mounts the last file that is moved before the database on itself, so that it can't be moved. */
const WITH_A_MOUNT = `cd "$DB/.."; touch token-secret; mount --bind token-secret token-secret; exec "$@"`;

for (const before of ["an instance", "nothing"])
  test.skipIf(!canMount)(
    `no instance starts where a restore has replaced only a part of ${before}`,
    { tags: before === "nothing" ? "long" : [] },
    async () => {
      const target = join(folder, `part-of-${before}`);
      if (before === "nothing") await mkdir(target);
      else await restoreBackup(configOf(target), backup, false);
      const failed = await restoreAfter(WITH_A_MOUNT, target);
      expect(failed).toMatchObject({ code: 1, error: expect.stringContaining("EBUSY") as string });
      expect(await readdir(join(target, "files"))).toContain("ab");
      expect(await outcomeOf(spawnFanfare(target, ["migrate"]))).toMatchObject({
        code: 1,
        error: expect.stringContaining("data.sqlite: the file is missing") as string,
      });
      await restoreBackup(configOf(target), backup, true);
      const again = join(folder, `after-${before}.backup`);
      await writeBackup(configOf(target), again);
      expect((await readFile(again)).equals(await readFile(backup))).toBe(true);
    },
  );

test("no process starts on a database that a restore has only partly filled, nor backs it up", async () => {
  const target = join(folder, "half");
  const database = await startOwnDatabase(join(folder, "half-filled"));
  const env = { MONGO_URL: database.url };
  try {
    // A folder whose parent is a file.
    const unusable = { ...env, FILES_DIR: join(backup, "files") };
    expect(await fanfare(target, ["restore", backup], unusable)).toMatchObject({ code: 1 });
    expect(await fanfare(target, ["restore", backup], env)).toMatchObject({ code: 0, error: "" });
    await withStoppedInstance(configOf(target, env), ({ db }) =>
      db.collection("restoreUnfinished").insertOne({}),
    );
    const refusal = "run `fanfare restore` again";
    await expect(startFanfare(configOf(target, env))).rejects.toThrow(refusal);
    const half = join(folder, "half.backup");
    for (const command of [["migrate"], ["create-admin", "ada"], ["backup", half]])
      expect(await fanfare(target, command, env)).toMatchObject({
        code: 1,
        error: expect.stringContaining(refusal) as string,
      });
    expect(await fanfare(target, ["restore", backup], env)).toMatchObject({ code: 0, error: "" });
    await whileRunning(target, async () => undefined, env);
  } finally {
    await database.close();
  }
});

test("no instance starts on a folder while a backup is restored there", async () => {
  const target = join(folder, "meanwhile");
  // The backup is read twice. Both readings wait for the test.
  const [verified, applied, file] = ["verified", "applied", "piped.backup"].map((name) => join(folder, name));
  for (const pipe of [verified!, applied!]) execFileSync("mkfifo", [pipe]);
  await symlink(verified!, file!);
  const bytes = await readFile(backup);
  const restoring = restoreBackup(configOf(target), file!, false);
  const verifying = await open(verified!, "w");
  await rm(file!);
  await symlink(applied!, file!);
  await verifying.writeFile(bytes);
  await verifying.close();
  const applying = await open(applied!, "w");
  await expect(startFanfare(configOf(target))).rejects.toThrow("is in use by process");
  await applying.writeFile(bytes);
  await applying.close();
  // The instance created it before it was refused.
  const secret = "token-secret.before-restore";
  expect(await restoring).toEqual({ moved: [join(target, secret)], notices: [] });
  expect((await readdir(target)).toSorted()).toEqual(["db", "files", "token-secret", secret]);
});

test("files in S3 aren't expected in a backup", async () => {
  const dataDir = join(folder, "in-s3");
  const file = join(folder, "in-s3.backup");
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const variants = ["original"];
    await db.collection("files").insertOne({ state: "picture", variants, pictureName: new mongo.ObjectId() });
  });
  await writeBackup(configOf(dataDir), file);
  const s3 = { S3_BUCKET: "files", S3_ACCESS_KEY_ID: "key", S3_SECRET_ACCESS_KEY: "secret" };
  expect(await fanfare(folder, ["verify", file, "--restore"])).toMatchObject({ code: 2 });
  expect(await fanfare(folder, ["verify", file, "--restore"], s3)).toMatchObject({ code: 0, error: "" });
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
  for (const place of [".restoring", "db/.restoring/db", "files/.restoring"])
    await mkdir(join(target, place), { recursive: true });
  await writeFile(join(target, ".restoring/token-secret"), "half");
  await writeFile(join(target, "db/lock.sock"), "");
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
  const readable = join(folder, "open.backup");
  await writeFile(`${readable}.unfinished`, "", { mode: 0o666 });
  for (const file of [join(folder, "linked.backup"), readable]) {
    await expect(writeBackup(configOf(source), file)).rejects.toThrow(`${file}.unfinished already exists`);
    await expect(access(file)).rejects.toThrow("ENOENT");
  }
  expect(await readFile(victim, "utf8")).toBe("precious");
});
