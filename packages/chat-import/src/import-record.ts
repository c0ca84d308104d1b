import { createHash } from "node:crypto";
import { createNewIds, newSalt } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { IMPORTED_PLACES, IMPORTS, UNFINISHED } from "./import-steps.ts";

/** What an export is of. */
export interface ImportSource {
  key: string;
  /** Those of the command that change what becomes of the export. */
  options: readonly unknown[];
}

/**
 * What an import makes: a group, what an interrupted one of the same export has not made yet, or what is new since an earlier export.
 */
export type AttemptKind = "new" | "continued" | "added";

/** The ids of an import: later ones of the same origin have the same. */
export interface Attempt {
  kind: AttemptKind;
  salt: string;
  groupId: mongo.ObjectId;
  /** The time in the ids of new users. null: the one in the file. */
  startedAt: Date | null;
}

interface ImportDocument {
  _id: string;
  salt: string;
  groupId: mongo.ObjectId;
  startedAt: Date;
  /** An interrupted import is only continued with the same channels, roles, messages and options. */
  fingerprint: string;
}

export const hashOf = (values: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(values)).digest("hex");

/** An id that is the same each time, at the time of another one. */
export const idAtTimeOf = (id: string, values: readonly unknown[]): mongo.ObjectId =>
  new mongo.ObjectId(id.slice(0, 8) + hashOf(values).slice(0, 16));

/**
 * Finds the earlier import of the same origin, or begins one.
 * @param groupId in the file
 * @param source null: it isn't recorded, so that it can't be continued
 */
export async function beginImport(
  db: mongo.Db,
  groupId: string,
  source: ImportSource | null,
  contentHash: string,
): Promise<Attempt> {
  const salt = newSalt();
  const begun = { salt, groupId: createNewIds(salt)(groupId) };
  if (source === null) return { ...begun, kind: "new", startedAt: null };
  const imports = db.collection<ImportDocument>(IMPORTS);
  await db.collection(IMPORTED_PLACES).createIndex({ groupId: 1 });
  const _id = hashOf([source.key]);
  const fingerprint = hashOf([groupId, contentHash, ...source.options]);
  const before = await imports.findOne({ _id });
  if (before !== null) {
    const { salt: sameSalt, groupId: sameGroup, startedAt } = before;
    const same = { salt: sameSalt, groupId: sameGroup, startedAt };
    // A deleted group is removed in the background.
    if ((await db.collection("groups").findOne({ _id: sameGroup, deletedAt: null })) !== null)
      return { ...same, kind: "added" };
    const isUnfinished = (await db.collection(UNFINISHED).findOne({ groupId: sameGroup })) !== null;
    if (isUnfinished && before.fingerprint === fingerprint) return { ...same, kind: "continued" };
    await db.collection(IMPORTED_PLACES).deleteMany({ groupId: sameGroup }, { writeConcern: DURABLE });
  }
  const startedAt = new Date();
  const record = { ...begun, startedAt, fingerprint };
  await imports.replaceOne({ _id }, record, { upsert: true, writeConcern: DURABLE });
  return { ...begun, kind: "new", startedAt };
}
