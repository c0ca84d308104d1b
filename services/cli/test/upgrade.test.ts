import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeBackup } from "../src/backup/write-backup.ts";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { configOf, fanfare, newFolder, whileRunning } from "./temporary-instance.ts";
import { fill, type Known } from "./upgrade/fill.ts";
import { expectedFindings, readAsClient } from "./upgrade/read-as-client.ts";

let folder: string;

beforeAll(async () => {
  folder = await newFolder();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const fixture = (name: string): string => join(import.meta.dirname, "upgrade", name);

test(
  "the fixtures of earlier versions can be created with this version too, and everything is found",
  { tags: "long" },
  async () => {
    const dataDir = join(folder, "today");
    const known = await whileRunning(dataDir, fill);
    expect(await whileRunning(dataDir, (url) => readAsClient(url, known))).toEqual(expectedFindings(known));
  },
);

/** Restores a backup, which contains no indexes: creates one that the first version had. */
async function restore(dataDir: string, name: string): Promise<void> {
  await restoreBackup(configOf(dataDir), fixture(`${name}.backup`), false);
  await withStoppedInstance(configOf(dataDir), ({ db }) =>
    db.collection("channels").createIndex({ memberIds: 1, _id: -1 }),
  );
}

async function unpack(dataDir: string, name: string): Promise<void> {
  await mkdir(dataDir);
  execFileSync("tar", ["-xzf", fixture(`${name}.tar.gz`), "-C", dataDir]);
}

/**
 * See upgrade/README.md. The short run uses the oldest, which needs every migration, and only upgrades the newest data
 * folder.
 */
const VERSIONS = [
  { name: "before-revs", open: restore, tags: [], tagsOfRest: [] },
  { name: "before-sealed-factors", open: restore, tags: "long", tagsOfRest: "long" },
  { name: "before-migrations", open: restore, tags: "long", tagsOfRest: "long" },
  { name: "before-holds", open: unpack, tags: [], tagsOfRest: "long" },
];

for (const { name, open, tags, tagsOfRest } of VERSIONS)
  describe(`a database from ${name}`, { tags }, () => {
    let dataDir: string;
    let known: Known;

    beforeAll(async () => {
      dataDir = join(folder, name);
      known = JSON.parse(await readFile(fixture(`${name}.json`), "utf8")) as Known;
      await open(dataDir, name);
    });

    test("is migrated at startup, and clients find everything", async () => {
      expect(await whileRunning(dataDir, (url) => readAsClient(url, known))).toEqual(expectedFindings(known));
    });

    test("is consistent afterwards", { tags: tagsOfRest }, async () => {
      const checked = await fanfare(dataDir, ["check"]);
      expect(checked).toEqual({ code: 0, error: "", out: "No problems found.\n" });
    });

    test("records former members who wrote messages", { tags: tagsOfRest }, async () => {
      const former = await withStoppedInstance(configOf(dataDir), ({ db }) =>
        db.collection("formerMembers").find().toArray(),
      );
      expect(former.map(({ groupId, userId }) => [String(groupId), String(userId)])).toEqual([
        [known.groupId, known.users.gil.id],
      ]);
    });

    test("has exactly the current indexes", async () => {
      const indexes = await withStoppedInstance(configOf(dataDir), ({ db }) =>
        db.collection("channels").indexes(),
      );
      const names = indexes.map((index) => index.name);
      expect(names).toContain("memberIds_1_lastActivityAt_-1__id_-1");
      expect(names).not.toContain("memberIds_1__id_-1");
    });

    test("isn't changed again", { tags: tagsOfRest }, async () => {
      const backup = async (file: string): Promise<Buffer> => {
        // Recurring jobs are updated at every start.
        await withStoppedInstance(configOf(dataDir), ({ db }) => db.collection("jobs").deleteMany({}));
        await writeBackup(configOf(dataDir), file);
        return readFile(file);
      };
      const before = await backup(join(folder, `${name}-before`));
      await whileRunning(dataDir, async () => undefined);
      expect((await backup(join(folder, `${name}-after`))).equals(before)).toBe(true);
    });
  });
