import { mkdtemp, rm, statfs } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDiskReader } from "./operations.ts";

const OTHER_DISK = "/dev/shm";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-disk-"));
});
afterAll(() => rm(folder, { recursive: true }));

const totalOf = async (path: string) => {
  const { blocks, bsize, bavail } = await statfs(path);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
};

test("the free space is that of a folder, and unknown for one that doesn't exist", async () => {
  const { totalBytes } = await totalOf(folder);
  expect(await createDiskReader([folder])()).toMatchObject({ totalBytes });
  expect(await createDiskReader([join(folder, "missing")])()).toBeNull();
  expect(await createDiskReader([join(folder, "missing"), folder])()).toMatchObject({ totalBytes });
});

test.runIf(existsSync(OTHER_DISK))("of several disks, the one with the least free space counts", async () => {
  const disks = await Promise.all([folder, OTHER_DISK].map(totalOf));
  const least = disks.toSorted((one, other) => one.freeBytes - other.freeBytes)[0]!;
  for (const folders of [
    [folder, OTHER_DISK],
    [OTHER_DISK, folder],
  ])
    expect(await createDiskReader(folders)()).toMatchObject({ totalBytes: least.totalBytes });
});
