import { expect, test } from "vitest";
import { listZip } from "../src/index.ts";
import { makeZip } from "@fanfare/testing";

const content = Buffer.from("picture ".repeat(100));
const blobOf = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]);
const listOf = (...given: Parameters<typeof makeZip>) => listZip(blobOf(makeZip(...given)));

test("lists the files of an archive, and reads stored and compressed ones", async () => {
  const files = [
    { name: "folder/", content: Buffer.alloc(0), stored: true },
    { name: "folder/stored.png", content, stored: true },
    { name: "表情.png", content },
  ];
  const entries = await listOf(files, "a comment");
  expect(entries.map(({ path, bytes }) => [path, bytes])).toEqual([
    ["folder/stored.png", content.length],
    ["表情.png", content.length],
  ]);
  for (const { read } of entries) expect(await (await read(content.length)).text()).toBe(String(content));
});

test("stops reading a file that is larger than allowed, whatever the archive says", async () => {
  const bomb = { name: "bomb.png", content: Buffer.alloc(5_000_000), statedBytes: 10 };
  const [entry] = await listOf([bomb]);
  expect(entry!.bytes).toBe(10);
  await expect(entry!.read(1000)).rejects.toThrow("larger");
});

test("encrypted and damaged files can't be read, but others of the archive can", async () => {
  const files = [
    { name: "secret.png", content, encrypted: true },
    { name: "damaged.png", content },
    { name: "fine.png", content },
  ];
  const zip = makeZip(files);
  zip.fill(255, zip.indexOf("damaged.png") + "damaged.png".length, zip.indexOf("fine.png") - 30);
  const [secret, damaged, fine] = await listZip(blobOf(zip));
  await expect(async () => secret!.read(1000)).rejects.toThrow("encrypted");
  await expect(damaged!.read(1000)).rejects.toBeInstanceOf(Error);
  expect((await fine!.read(1000)).size).toBe(content.length);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["text", Buffer.from("not an archive ".repeat(100))],
  ["the end of an archive", makeZip([{ name: "a.png", content }]).subarray(-40)],
  [
    "a false list",
    Buffer.from(
      makeZip([{ name: "a.png", content }])
        .toString("latin1")
        .replace("PK\x01", "xx\x01"),
      "latin1",
    ),
  ],
])("refuses %s", async (_, bytes) => {
  await expect(listZip(blobOf(bytes))).rejects.toBeInstanceOf(Error);
});
