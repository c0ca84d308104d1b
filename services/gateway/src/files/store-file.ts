import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { type FileStorage, storageKey } from "@fanfare/files";
import type { Result } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import type { Calls } from "../calls.ts";

export interface StoreOptions {
  node: NodeContext;
  calls: Calls;
  storage: FileStorage;
}

/** The body of a request. It stays open if it isn't read to its end, because the connection is still needed for the response. */
export async function* chunksOf(raw: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
}

/**
 * Stores the bytes of an upload that was started, and finishes it. A failed one is deleted.
 * @param onStored called before the file is checked, which can take a while
 */
export async function storeFile(
  options: StoreOptions,
  fileId: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  bytes: number,
  onStored: () => void = () => undefined,
): Promise<Result<"file.finishUpload">> {
  const { node, calls, storage } = options;
  try {
    await storage.put(storageKey(fileId, "raw"), Readable.from(chunks, { objectMode: false }), bytes);
    onStored();
    return await calls.follow(() => node.services.file.finishUpload({ fileId }));
  } catch (error) {
    await abortUpload(options, fileId);
    throw error;
  }
}

export async function abortUpload({ node }: Pick<StoreOptions, "node">, fileId: string): Promise<void> {
  await node.services.file.abortUpload({ fileId }).catch((error: unknown) =>
    // It will be deleted in any case, an hour after it began.
    node.logger.warn({ err: error, fileId }, "failed upload not cleaned up"),
  );
}
