import fs from "node:fs";
import { DataFolderCorruptError } from "../errors.ts";
import { type IndexSpec, parseIndexSpec } from "../index/spec.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogChange } from "./change-log.ts";
import { journalFile, listDataFiles, snapshotFile } from "./files.ts";
import { FILE_HEADER_BYTES } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import { applyOperations, type OperationHandler } from "./operations.ts";

export interface Recovered {
  /** The journal to go on with, or undefined in an empty folder. */
  readonly journal: { readonly sequence: number; readonly bytes: number } | undefined;
  /** Bytes of an unfinished write that were cut off the end of the journal. */
  readonly droppedBytes: number;
  /** Length of all journals that were replayed, in bytes. */
  readonly journalBytes: number;
}

class Replay implements OperationHandler {
  complete = false;
  readonly #catalog: Catalog;
  readonly #indexes = new Map<number, Map<string, IndexSpec>>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  put(collection: number, id: string, data: string): void {
    this.#catalog.byNumber(collection)?.restorePut(id, data);
  }

  remove(collection: number, id: string): void {
    this.#catalog.byNumber(collection)?.restoreRemove(id);
  }

  catalog(change: CatalogChange): void {
    const indexes = this.#indexes.get(change.collection) ?? new Map<string, IndexSpec>();
    this.#indexes.set(change.collection, indexes);
    if (change.type === "createIndex") {
      const spec = parseIndexSpec(change.definition);
      indexes.set(spec.name, spec);
    } else if (change.type === "dropIndex") {
      indexes.delete(change.name);
    } else {
      this.#catalog.restore(change);
    }
  }

  end(): void {
    this.complete = true;
  }

  buildIndexes(): void {
    for (const [number, specs] of this.#indexes) {
      this.#catalog.byNumber(number)?.restoreIndexes([...specs.values()]);
    }
  }
}

/** @returns the position behind the last intact frame */
function replayFile(file: string, sequence: number, replay: Replay, last: boolean): number {
  const reader = new FrameReader(file);
  try {
    if (!reader.hasHeader(sequence)) {
      if (last && reader.size < FILE_HEADER_BYTES) return 0;
      throw new DataFolderCorruptError(file, 0, "wrong file header");
    }
    let at = FILE_HEADER_BYTES;
    while (at < reader.size) {
      const frame = reader.frame(at);
      if (typeof frame === "string") {
        if (!last || reader.isDamage(at)) throw new DataFolderCorruptError(file, at, frame);
        return at;
      }
      applyFrame(file, at, frame.payload, replay);
      at += frame.bytes;
    }
    return at;
  } finally {
    reader.close();
  }
}

function applyFrame(file: string, at: number, payload: Buffer, replay: Replay): void {
  try {
    applyOperations(payload, replay);
  } catch (error) {
    throw new DataFolderCorruptError(file, at, (error as Error).message);
  }
}

/**
 * Fills an empty catalog from the newest snapshot and the journals after it. A write that a crash left unfinished at
 * the very end of the journal is cut off; it was never acknowledged as durable.
 * @throws DataFolderCorruptError when anything else is broken; the folder is left as it is
 */
export function recover(dir: string, catalog: Catalog): Recovered {
  const files = listDataFiles(dir);
  const snapshot = files.snapshots.at(-1);
  const replay = new Replay(catalog);
  const first = snapshot ?? 1;
  const journals = files.journals.filter((sequence) => sequence >= first);
  for (const [i, sequence] of journals.entries()) {
    if (sequence !== first + i)
      throw new DataFolderCorruptError(journalFile(dir, first + i), 0, "the file is missing");
  }
  if (snapshot !== undefined) {
    const file = snapshotFile(dir, snapshot);
    const end = replayFile(file, snapshot, replay, false);
    if (!replay.complete) throw new DataFolderCorruptError(file, end, "the end is missing");
    if (journals.length === 0)
      throw new DataFolderCorruptError(journalFile(dir, first), 0, "the file is missing");
  }
  let journalBytes = 0;
  let journal: Recovered["journal"];
  let droppedBytes = 0;
  for (const sequence of journals) {
    const file = journalFile(dir, sequence);
    const bytes = replayFile(file, sequence, replay, sequence === journals.at(-1));
    journal = { sequence, bytes };
    journalBytes += bytes;
    droppedBytes = fs.statSync(file).size - bytes;
  }
  replay.buildIndexes();
  removeLeftovers(dir, snapshot ?? 0);
  return { journal, droppedBytes, journalBytes };
}

/** Deletes what a finished snapshot has replaced and what an unfinished one left behind. */
export function removeLeftovers(dir: string, snapshot: number): void {
  const files = listDataFiles(dir);
  for (const sequence of files.journals) if (sequence < snapshot) fs.rmSync(journalFile(dir, sequence));
  for (const sequence of files.snapshots) if (sequence < snapshot) fs.rmSync(snapshotFile(dir, sequence));
  for (const file of files.unfinished) fs.rmSync(file);
}
