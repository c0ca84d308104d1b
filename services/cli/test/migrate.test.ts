import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startFanfare } from "@fanfare/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { configOf, fanfare, fanfareProcess, newFolder, whileRunning } from "./temporary-instance.ts";

let folder: string;

beforeAll(async () => {
  folder = await newFolder();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function restoreOld(name: string): Promise<string> {
  const dataDir = join(folder, name);
  await restoreBackup(configOf(dataDir), join(import.meta.dirname, "upgrade/before-revs.backup"), false);
  return dataDir;
}

test("lists pending migrations, runs them, and reports the result", async () => {
  const dataDir = await restoreOld("by-hand");
  const wouldDo = await fanfare(dataDir, ["migrate", "--dry-run"]);
  expect(wouldDo).toMatchObject({ code: 0, error: "" });
  expect(wouldDo.out).toMatch(
    /^pending migration: 0001-message-revs\npending migration: 0002-direct-activity\n/,
  );
  expect(wouldDo.out).toContain("missing index: messages.channel_revs\n");
  expect(await fanfare(dataDir, ["migrate", "--dry-run"])).toEqual(wouldDo);

  const done = await fanfare(dataDir, ["migrate"]);
  expect(done).toMatchObject({ code: 0, error: "" });
  expect(done.out).toContain("migration finished: migration 0001-message-revs, documents 66");
  expect(done.out).toMatch(/\nThe database is up to date.\n$/);

  const { out } = await fanfare(dataDir, ["migrate", "--status"]);
  expect(out).toMatch(
    /^0001-message-revs: started \S+Z by \d+\.\d+\.\d+, finished in \d+ ms, 66 documents\n/,
  );
  expect(out).toMatch(/\nThere is nothing to do.\n$/);
  expect((await fanfare(dataDir, ["migrate"])).out).toBe("The database is up to date.\n");
});

test(
  "with MIGRATE_ON_START=off, an instance refuses to start until it is migrated",
  { tags: "long" },
  async () => {
    const dataDir = await restoreOld("not-at-start");
    const config = { ...configOf(dataDir), migrateOnStart: false };
    await expect(startFanfare(config)).rejects.toThrow("Make a backup, then run `fanfare migrate`");
    await fanfare(dataDir, ["migrate"]);
    await (await startFanfare(config)).stop();
  },
);

test(
  "a version that is too old for its database doesn't start and changes nothing",
  { tags: "long" },
  async () => {
    const dataDir = join(folder, "newer");
    await whileRunning(dataDir, async () => undefined);
    await withStoppedInstance(configOf(dataDir), ({ db }) =>
      db.collection<{ _id: string }>("migrations").insertOne({
        _id: "9999-of-the-future",
        state: "done",
        version: "999.1.0",
        oldestProgram: "999.0.0",
      } as never),
    );
    await expect(startFanfare(configOf(dataDir))).rejects.toThrow(
      "Start 999.0.0 or newer, or restore a backup",
    );
    for (const command of [["migrate"], ["create-admin", "ada"]]) {
      const refused = await fanfareProcess(dataDir, command, "correct horse\n");
      expect(refused).toMatchObject({
        code: 1,
        out: "",
        error: expect.stringMatching(/^Fanfare 999.1.0 has changed/) as string,
      });
    }
  },
);

test(
  "the lease of a dead process is ignored where no other process can exist",
  { tags: "long" },
  async () => {
    const dataDir = await restoreOld("left");
    await withStoppedInstance(configOf(dataDir), ({ db }) =>
      db
        .collection<{ _id: string }>("migrationLease")
        .insertOne({ _id: "lease", fence: 7, beat: 3, holder: "dead:1" } as never),
    );
    await whileRunning(dataDir, async () => undefined);
    const records = await withStoppedInstance(configOf(dataDir), ({ db }) =>
      db.collection("migrations").find().toArray(),
    );
    expect(new Set(records.map(({ state, fence }) => `${state} ${fence}`))).toEqual(new Set(["done 8"]));
  },
);
