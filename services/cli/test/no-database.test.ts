import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fanfare, newFolder } from "./temporary-instance.ts";

const ID = "0123456789abcdef01234567";

let folder: string;
beforeAll(async () => void (folder = await newFolder()));
afterAll(() => rm(folder, { recursive: true, force: true }));

const onExistingInstances = (): string[][] => [
  ["end-sessions", "--all"],
  ["reset-totp", "ada"],
  ["backup", join(folder, "empty.backup")],
  ["export-group", ID, join(folder, "group.jsonl")],
  ["reindex"],
  ["check"],
];

test("commands don't mistake a wrong folder for an empty instance", async () => {
  const dataDir = join(folder, "wrong");
  for (const command of onExistingInstances())
    expect(await fanfare(dataDir, command)).toMatchObject({
      code: 1,
      out: "",
      error: expect.stringContaining(`There is no database in ${dataDir}.`) as string,
    });
  expect(await readdir(folder)).toEqual([]);
});

test("commands don't create a database beside a gateway", async () => {
  const gateway = {
    SERVICES: "gateway",
    NATS_URL: "nats://127.0.0.1:4222",
    REDIS_URL: "redis://127.0.0.1:6379",
    TOKEN_SECRET: "k8Qz3vWm7Rt2Yb9Lx5Np4Hc6Jd1Fs0GaUe",
    FILES_DIR: join(folder, "files"),
  };
  const others = [["create-admin", "ada"], ["migrate"], ["restore", join(folder, "empty.backup")]];
  for (const command of [...onExistingInstances(), ...others])
    expect(await fanfare(join(folder, "gateway"), command, gateway)).toMatchObject({
      code: 1,
      out: "",
      error: expect.stringContaining("Run this command where a worker runs") as string,
    });
  expect(await readdir(folder)).toEqual([]);
});
