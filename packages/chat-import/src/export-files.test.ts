import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderFiles } from "./export-files.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-export-files-"));
  for (const name of ["data", ".ssh", "other/data", "media"])
    await mkdir(join(folder, name), { recursive: true });
  for (const name of ["export.jsonl", "data/a", ".ssh/key", "other/data/b", "media/c"])
    await writeFile(join(folder, name), name);
  await symlink(join(folder, ".ssh"), join(folder, "data/link"));
});
afterAll(() => rm(folder, { recursive: true }));

test("in the folder of an export, only its folders with files are read", async () => {
  const files = await folderFiles([join(folder, "media")], { folders: [folder], named: /^data$/ });
  const found = async (...paths: string[]) => (await files.find(paths)) !== null;
  expect(await found("data/a")).toBe(true);
  expect(await found("nothing", "media/c")).toBe(true);
  expect(await found("c")).toBe(true);
  for (const path of [".ssh/key", "export.jsonl", "other/data/b", "data/../.ssh/key", "data/link/key"])
    expect({ path, found: await found(path) }).toEqual({ path, found: false });
  expect(await found(join(folder, ".ssh/key"))).toBe(false);
});
