import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import S3rver from "s3rver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFileStorage, type FileStorage } from "../src/index.ts";

const KEY = "ab/file.raw";

let folder: string;
let server: S3rver;
let s3: NonNullable<Parameters<typeof createFileStorage>[0]["s3"]>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-storage-"));
  server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: join(folder, "s3"),
    configureBuckets: [{ name: "files", configs: [] }],
  });
  const { port } = await server.run();
  s3 = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: "files",
    region: "us-east-1",
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
  };
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const dirOf = (): string => join(folder, "local");
const open = (kind: "folder" | "bucket"): Promise<FileStorage> =>
  createFileStorage({ filesDir: dirOf(), s3: kind === "bucket" ? s3 : undefined });
const read = async (storage: FileStorage, range?: { start: number; end: number }) => {
  const found = await storage.read(KEY, range);
  return found === null ? null : { size: found.size, bytes: await buffer(found.stream) };
};

describe.each(["folder", "bucket"] as const)("storage in a %s", (kind) => {
  test("stores, reads and deletes objects", async () => {
    const storage = await open(kind);
    await storage.check();
    const bytes = randomBytes(3_000_000);
    expect([await storage.size(KEY), await read(storage)]).toEqual([null, null]);
    await storage.put(KEY, Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), bytes.length);
    expect(await storage.size(KEY)).toBe(bytes.length);
    const whole = await read(storage);
    expect([whole?.size, whole?.bytes.equals(bytes)]).toEqual([bytes.length, true]);
    const part = await read(storage, { start: 10, end: 19 });
    expect(part).toEqual({ size: bytes.length, bytes: bytes.subarray(10, 20) });
    await storage.delete(KEY);
    await storage.delete(KEY);
    expect([await storage.size(KEY), await read(storage)]).toEqual([null, null]);
    storage.close();
  });

  test("interrupted or short uploads leave nothing behind", async () => {
    const storage = await open(kind);
    const broken = new PassThrough();
    const put = storage.put(KEY, broken, 1000);
    broken.write(randomBytes(500));
    setImmediate(() => broken.destroy(new Error("gone")));
    await expect(put).rejects.toThrow(/.+/);
    await expect(storage.put(KEY, Readable.from([randomBytes(10)]), 1000)).rejects.toThrow(/.+/);
    // s3rver creates an empty object for an aborted upload, sometimes after the deletion.
    await expect
      .poll(async () => {
        const size = await storage.size(KEY);
        if (size === 0) await storage.delete(KEY);
        return size;
      })
      .toBeNull();
    storage.close();
  });
});

test("failed uploads leave no files in the folder", async () => {
  expect((await readdir(dirOf(), { recursive: true })).filter((name) => name.includes("."))).toEqual([]);
});

test("what a killed process received of an upload is deleted with the file", async () => {
  const killed = await open("folder");
  const upload = new PassThrough();
  const put = killed.put(KEY, upload, 1000);
  upload.write(randomBytes(500));
  const other = await open("folder");
  await other.put("ab/file.raw2", Readable.from([randomBytes(10)]), 10);
  const stored = async () =>
    (await readdir(dirOf(), { recursive: true })).filter((name) => name.includes("."));
  await expect.poll(stored).toHaveLength(2);
  await other.delete(KEY);
  expect(await stored()).toEqual([join("ab", "file.raw2")]);
  upload.destroy();
  await expect(put).rejects.toThrow(/.+/);
  await other.delete("ab/file.raw2");
});

test("an unusable storage is reported with the setting to change", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const inFile = await createFileStorage({ filesDir: join(file, "files"), s3: undefined });
  await expect(inFile.check()).rejects.toThrow(/FILES_DIR/);
  const missingBucket = await createFileStorage({ filesDir: dirOf(), s3: { ...s3, bucket: "none" } });
  await expect(missingBucket.check()).rejects.toThrow(/S3_BUCKET/);
});
