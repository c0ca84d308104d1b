import { decodePlain, encode, pack, type PackedDocument } from "../values/codec.ts";
import { encodeKey } from "../values/key.ts";
import type { CatalogChange } from "./change-log.ts";

/**
 * Operations inside a frame (see frame.ts), in journals and snapshots alike:
 *   1 | u32 collection | BSON document            put (insert, or replace by `_id`)
 *   2 | u32 collection | u32 length | key bytes   remove the document with this encoded `_id`
 *   3 | BSON CatalogChange
 *   4                                             end of a snapshot
 * All integers are little-endian.
 */
const OpCode = { put: 1, remove: 2, catalog: 3, end: 4 } as const;

export interface OperationHandler {
  put(collection: number, id: string, data: PackedDocument): void;
  remove(collection: number, id: string): void;
  catalog(change: CatalogChange): void;
  end(): void;
}

export function encodePut(collection: number, data: PackedDocument): Buffer {
  const buffer = Buffer.allocUnsafe(5 + data.length);
  buffer[0] = OpCode.put;
  buffer.writeUInt32LE(collection, 1);
  buffer.write(data, 5, "latin1");
  return buffer;
}

export function encodeRemove(collection: number, id: string): Buffer {
  const buffer = Buffer.allocUnsafe(9 + id.length);
  buffer[0] = OpCode.remove;
  buffer.writeUInt32LE(collection, 1);
  buffer.writeUInt32LE(id.length, 5);
  buffer.write(id, 9, "latin1");
  return buffer;
}

export const encodeCatalog = (change: CatalogChange): Buffer =>
  Buffer.concat([Buffer.from([OpCode.catalog]), encode(change)]);

export const encodeEnd = (): Buffer => Buffer.from([OpCode.end]);

const OBJECT_ID_TYPE = 7;
const ID_NAME = Buffer.from("_id\0");

/** The encoded `_id` of a BSON document, without decoding the rest when it is the usual leading ObjectId. */
function idOf(bytes: Buffer): string {
  if (bytes[4] === OBJECT_ID_TYPE && bytes.compare(ID_NAME, 0, 4, 5, 9) === 0)
    return `#${bytes.toString("latin1", 9, 21)}`;
  return encodeKey(decodePlain(bytes)["_id"]);
}

/**
 * Applies the operations of one frame.
 * @throws Error when the bytes make no sense
 */
export function applyOperations(payload: Buffer, handler: OperationHandler): void {
  let at = 0;
  while (at < payload.length) {
    switch (payload[at]) {
      case OpCode.put: {
        const end = at + 5 + payload.readInt32LE(at + 5);
        const bytes = payload.subarray(at + 5, end);
        handler.put(payload.readUInt32LE(at + 1), idOf(bytes), pack(bytes));
        at = end;
        break;
      }
      case OpCode.remove: {
        const end = at + 9 + payload.readUInt32LE(at + 5);
        handler.remove(payload.readUInt32LE(at + 1), payload.toString("latin1", at + 9, end));
        at = end;
        break;
      }
      case OpCode.catalog: {
        const end = at + 1 + payload.readInt32LE(at + 1);
        handler.catalog(decodePlain(payload.subarray(at + 1, end)) as CatalogChange);
        at = end;
        break;
      }
      case OpCode.end:
        handler.end();
        at += 1;
        break;
      default:
        throw new Error(`unknown operation ${payload[at]}`);
    }
  }
}
