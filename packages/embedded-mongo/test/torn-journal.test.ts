import fs from "node:fs";
import path from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DataFolderCorruptError, startEmbeddedMongo } from "../src/index.ts";
import { temporaryFolder } from "./targets.ts";

const COUNT = 40;
const HEADER_BYTES = 16;

/** Start offsets of the frames, and the end of the file. */
function frameStarts(journal: Buffer): number[] {
  const starts = [];
  let at = HEADER_BYTES;
  while (at < journal.length) {
    starts.push(at);
    at += 16 + journal.readUInt32LE(at);
  }
  return [...starts, at];
}

describe("a damaged journal", () => {
  let home: string;
  let journal: Buffer;
  let starts: number[];
  let attempt = 0;

  beforeAll(async () => {
    home = temporaryFolder();
    const dir = path.join(home, "original");
    const server = await startEmbeddedMongo({ dir });
    const client = await new MongoClient(server.uri).connect();
    const things = client.db("t").collection("things");
    await things.createIndex({ n: 1 }, { unique: true });
    for (let n = 0; n < COUNT; n++)
      await things.insertOne({ n, s: "x".repeat(n * 7) }, { writeConcern: { j: true } });
    await client.close();
    await server.close();
    journal = fs.readFileSync(path.join(dir, "journal-1.log"));
    starts = frameStarts(journal);
  });
  afterAll(() => fs.rmSync(home, { recursive: true }));

  /** Starts on a journal and gives the numbers found, or the error. */
  async function open(content: Buffer): Promise<number[] | Error> {
    const dir = path.join(home, `attempt-${attempt++}`);
    fs.mkdirSync(dir);
    const file = path.join(dir, "journal-1.log");
    fs.writeFileSync(file, content);
    try {
      const server = await startEmbeddedMongo({ dir });
      const client = await new MongoClient(server.uri).connect();
      const things = client.db("t").collection("things");
      const found = await things.find().sort({ n: 1 }).toArray();
      await things.insertOne({ n: -1 }, { writeConcern: { j: true } });
      await client.close();
      await server.close();
      const again = await startEmbeddedMongo({ dir });
      await again.close();
      return found.map(({ n }) => n);
    } catch (error) {
      if (!fs.readFileSync(file).equals(content))
        throw new Error("the refused file was changed", { cause: error });
      return error as Error;
    } finally {
      fs.rmSync(dir, { recursive: true });
    }
  }

  const firstOf = (count: number) => Array.from({ length: count }, (_, n) => n);
  /** The inserts are the last COUNT frames. */
  const insertStart = (n: number) => starts[starts.length - 1 - COUNT + n]!;

  it("cut anywhere in the last record loses that record only", async () => {
    const [start, end] = [insertStart(COUNT - 1), journal.length];
    for (const at of [start, start + 1, start + 4, start + 15, start + 16, start + 17, end - 100, end - 1]) {
      expect(await open(journal.subarray(0, at))).toEqual(firstOf(COUNT - 1));
    }
    expect(await open(journal)).toEqual(firstOf(COUNT));
  });

  it("cut in an earlier record keeps all before it", async () => {
    for (const n of [0, 7, 20])
      expect(await open(journal.subarray(0, insertStart(n) + 9))).toEqual(firstOf(n));
  });

  it("with garbage or zeros behind the end keeps everything", async () => {
    for (const tail of [
      Buffer.alloc(5),
      Buffer.alloc(5000),
      Buffer.from("garbage at the end of the file"),
      Buffer.alloc(3000, 255),
    ]) {
      expect(await open(Buffer.concat([journal, tail]))).toEqual(firstOf(COUNT));
    }
  });

  it("garbled in the last record loses that record only", async () => {
    const start = insertStart(COUNT - 1);
    for (const at of [start, start + 4, start + 9, start + 20, journal.length - 1]) {
      const content = Buffer.from(journal);
      content[at]! ^= 0x55;
      expect(await open(content)).toEqual(firstOf(COUNT - 1));
    }
  });

  it("garbled in the middle is refused with advice, and left as it is", async () => {
    for (const n of [0, 10, COUNT - 3]) {
      for (const offset of [0, 1, 3, 4, 8, 14, 16, 20, 40]) {
        const content = Buffer.from(journal);
        content[insertStart(n) + offset]! ^= 0x55;
        const refused = await open(content);
        expect(refused).toBeInstanceOf(DataFolderCorruptError);
        expect((refused as Error).message).toMatch(/damaged at byte \d+ .*backup/);
      }
    }
  });

  it("zeroed in the middle is refused", async () => {
    const content = Buffer.from(journal);
    content.fill(0, insertStart(5), insertStart(9));
    expect(await open(content)).toBeInstanceOf(DataFolderCorruptError);
  });

  it("with a wrong header is refused", async () => {
    const content = Buffer.from(journal);
    content[0] = 0;
    expect(await open(content)).toBeInstanceOf(DataFolderCorruptError);
  });

  it("missing between a snapshot and the next is refused", async () => {
    const dir = path.join(home, "gap");
    const server = await startEmbeddedMongo({ dir });
    await server.close();
    fs.renameSync(path.join(dir, "journal-1.log"), path.join(dir, "journal-2.log"));
    await expect(startEmbeddedMongo({ dir })).rejects.toBeInstanceOf(DataFolderCorruptError);
  });
});
