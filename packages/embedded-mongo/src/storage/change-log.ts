import type { PackedDocument } from "../values/codec.ts";
import type { PlainObject } from "../values/types.ts";

/** A change of the catalog, as the journal keeps it. Collections are known by a number that is never used again. */
export type CatalogChange =
  | { type: "create"; collection: number; db: string; name: string }
  | { type: "drop"; collection: number }
  | { type: "rename"; collection: number; db: string; name: string }
  | { type: "createIndex"; collection: number; definition: PlainObject }
  | { type: "dropIndex"; collection: number; name: string };

/** Where every change goes before it is acknowledged. */
export interface ChangeLog {
  put(collection: number, data: PackedDocument): void;
  remove(collection: number, id: string): void;
  catalogChange(change: CatalogChange): void;
}
