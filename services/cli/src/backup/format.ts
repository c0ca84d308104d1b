import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { CliError } from "../command.ts";

/** Reads values with their exact BSON types, so that writing them again produces the same bytes. */
const AS_STORED = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Data that the search derives from the messages. It isn't backed up: part of it is not in a collection, and a restored instance
 * rebuilds it.
 */
export const SEARCH_COLLECTIONS: readonly string[] = [
  "searchEntries",
  "searchProgress",
  "searchGroupProgress",
];

/** Sorted by name. */
export async function listCollections(db: mongo.Db): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("system."))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** A document as BSON with the name of its collection. Documents are grouped by collection. */
export interface StoredDocument {
  collection: string;
  bytes: Uint8Array;
}

/** All documents, sorted by collection and id. */
export async function* readInOrder(db: mongo.Db): AsyncGenerator<StoredDocument> {
  for (const collection of await listCollections(db)) {
    const cursor = db.collection(collection).find({}, AS_STORED).sort({ _id: 1 });
    for await (const document of cursor) yield { collection, bytes: mongo.BSON.serialize(document) };
  }
}

/**
 * Opens a snapshot of all acknowledged documents of an embedded database, as of the moment this resolves. Read it without delay:
 * a cursor that isn't read is closed after ten minutes.
 */
export async function openEverything(db: mongo.Db): Promise<AsyncGenerator<StoredDocument>> {
  const command = { fanfareEverything: 1, readConcern: { level: "majority" } };
  // Building a response blocks all other clients.
  const cursor = db.runCursorCommand(command, AS_STORED).setBatchSize(BATCH_DOCUMENTS);
  // This sends the command.
  await cursor.hasNext();
  return readEverything(cursor);
}

async function* readEverything(cursor: mongo.RunCommandCursor): AsyncGenerator<StoredDocument> {
  let collection = "";
  let left = 0;
  for await (const document of cursor) {
    if (left === 0) {
      // Values that aren't promoted are BSON types.
      collection = String(document["collection"]);
      left = Number(document["documents"]);
      continue;
    }
    left -= 1;
    yield { collection, bytes: mongo.BSON.serialize(document) };
  }
}

/** Collects documents and stores them in batches. */
export class DocumentWriter {
  readonly #db: mongo.Db;
  #collection: mongo.Collection | null = null;
  #batch: mongo.Document[] = [];
  #bytes = 0;

  constructor(db: mongo.Db) {
    this.#db = db;
  }

  /** Further documents belong to this collection. */
  async begin(name: string): Promise<void> {
    await this.flush();
    this.#collection = this.#db.collection(name);
  }

  async add(bytes: Uint8Array): Promise<void> {
    this.#batch.push(mongo.BSON.deserialize(bytes, AS_STORED));
    this.#bytes += bytes.length;
    if (this.#batch.length >= BATCH_DOCUMENTS || this.#bytes >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    await this.#collection!.insertMany(this.#batch, { writeConcern: DURABLE, forceServerObjectId: true });
    this.#batch = [];
    this.#bytes = 0;
  }
}

/**
 * A backup is one gzip stream of frames: a letter, the length of the payload (uint32, little endian), and the payload.
 *
 * - H: header (JSON)
 * - C: name of the collection of the following documents
 * - D: a document (BSON)
 * - F: path and length of a file (JSON)
 * - B: a part of that file
 * - E: counts, and the SHA-256 of everything before (JSON)
 */
type FrameKind = "H" | "C" | "D" | "F" | "B" | "E";

export interface Frame {
  kind: FrameKind;
  payload: Buffer;
}

export const FORMAT = "fanfare-backup";
export const FORMAT_VERSION = 1;
const HEAD_BYTES = 5;
/** The maximum size of a MongoDB document plus some margin. */
const MAX_PAYLOAD_BYTES = 17 * 1024 * 1024;
const KINDS: ReadonlySet<string> = new Set<FrameKind>(["H", "C", "D", "F", "B", "E"]);

export class BackupDamagedError extends CliError {
  constructor(file: string, reason: string) {
    super(`${file} is not a complete backup: ${reason}. Nothing was changed.`);
  }
}

export function encodeHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.write(kind, 0, "latin1");
  head.writeUInt32LE(length, 1);
  return head;
}

export const encodeFrame = (kind: FrameKind, payload: Uint8Array): Buffer =>
  Buffer.concat([encodeHead(kind, payload.length), payload]);

export const encodeJson = (kind: FrameKind, value: unknown): Buffer =>
  encodeFrame(kind, Buffer.from(JSON.stringify(value)));

/** @throws {Error} when the stream is invalid or truncated */
export async function* decodeFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let size = 0;
  let needed = HEAD_BYTES;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    const bytes = Buffer.concat(parts);
    let at = 0;
    needed = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      const kind = bytes.toString("latin1", at, at + 1);
      const length = bytes.readUInt32LE(at + 1);
      if (!KINDS.has(kind) || length > MAX_PAYLOAD_BYTES) throw new Error("it is not a Fanfare backup");
      needed = HEAD_BYTES + length;
      if (bytes.length - at < needed) break;
      yield { kind: kind as FrameKind, payload: bytes.subarray(at + HEAD_BYTES, at + needed) };
      at += needed;
      needed = HEAD_BYTES;
    }
    parts = at === bytes.length ? [] : [bytes.subarray(at)];
    size = bytes.length - at;
  }
  if (size > 0) throw new Error("it is truncated");
}
