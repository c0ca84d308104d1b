import fs from "node:fs/promises";
import path from "node:path";
import type { Catalog } from "./catalog.ts";
import { snapshotFile, syncFolder } from "./files.ts";
import { encodeFileHeader, encodeFrame } from "./frame.ts";
import { encodeCatalog, encodeEnd, encodePut } from "./operations.ts";

/** Bytes per frame: small enough that the event loop goes on in between. */
const CHUNK_BYTES = 256 * 1024;

/** The state of all collections at one instant. Documents are shared, not copied: stored ones never change. */
export type SnapshotView = readonly {
  header: Buffer[];
  number: number;
  data: readonly string[];
  footer: Buffer[];
}[];

/** Takes a view in one go; costs one reference per document. */
export function viewOf(catalog: Catalog): SnapshotView {
  return catalog.collections().map((collection) => ({
    number: collection.number,
    header: [
      encodeCatalog({
        type: "create",
        collection: collection.number,
        db: collection.db,
        name: collection.name,
      }),
    ],
    data: Array.from(collection.records(), (record) => record.data),
    footer: collection.specs
      .filter(({ name }) => name !== "_id_")
      .map(({ definition }) =>
        encodeCatalog({ type: "createIndex", collection: collection.number, definition }),
      ),
  }));
}

function* frames(view: SnapshotView): Generator<Buffer> {
  for (const { number, header, data, footer } of view) {
    let chunk = [...header];
    let bytes = 0;
    for (const document of data) {
      chunk.push(encodePut(number, document));
      bytes += document.length;
      if (bytes >= CHUNK_BYTES) {
        yield encodeFrame(chunk, 0);
        chunk = [];
        bytes = 0;
      }
    }
    chunk.push(...footer);
    if (chunk.length > 0) yield encodeFrame(chunk, 0);
  }
  yield encodeFrame([encodeEnd()], 0);
}

/**
 * Writes a snapshot beside running commands. The file appears under its name only when it is whole and on disk.
 * @param sequence of the first journal that is not in the view
 */
export async function writeSnapshot(dir: string, sequence: number, view: SnapshotView): Promise<void> {
  const file = snapshotFile(dir, sequence);
  const temporary = `${file}.tmp`;
  const handle = await fs.open(temporary, "w", 0o600);
  try {
    await handle.writeFile(encodeFileHeader(sequence));
    for (const frame of frames(view)) await handle.writeFile(frame);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await fs.rename(temporary, file);
  syncFolder(path.resolve(dir));
}
