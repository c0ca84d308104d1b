import { createHash } from "node:crypto";
import { createNewIds, newSalt } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import { AlreadyImportedError, IMPORTS, UNFINISHED } from "./import-steps.ts";

/** What an export is of. */
export interface ImportSource {
  key: string;
  /** Those of the command that change what becomes of the export. */
  options: readonly unknown[];
  /** Recognizes the run that has completed the import. */
  runId?: string;
}

/** One run, or several runs of which only the last one isn't interrupted. */
export interface Attempt {
  salt: string;
  groupId: mongo.ObjectId;
  /** The time in the ids of new users. null: the one in the file. */
  startedAt: Date | null;
  isContinued: boolean;
}

interface ImportDocument {
  _id: string;
  salt: string;
  groupId: mongo.ObjectId;
  startedAt: Date;
  /** An interrupted import is only continued with the same channels, roles, messages and options. */
  fingerprint: string;
  /** Of the last run. */
  runId?: string;
}

export const hashOf = (values: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(values)).digest("hex");

/**
 * Finds the interrupted import of the same export, or begins one.
 * @param groupId in the file
 * @param source null: it isn't recorded, so that it can't be continued
 * @throws {ImportRefusedError} when the export was already imported
 */
export async function beginImport(
  db: mongo.Db,
  groupId: string,
  source: ImportSource | null,
  contentHash: string,
): Promise<Attempt> {
  const salt = newSalt();
  const begun = { salt, groupId: createNewIds(salt)(groupId) };
  if (source === null) return { ...begun, startedAt: null, isContinued: false };
  const imports = db.collection<ImportDocument>(IMPORTS);
  const _id = hashOf([source.key]);
  const fingerprint = hashOf([groupId, contentHash, ...source.options]);
  const before = await imports.findOne({ _id });
  // A deleted group is removed in the background.
  const made = before && (await db.collection("groups").findOne({ _id: before.groupId, deletedAt: null }));
  if (before !== null && made !== null)
    throw new AlreadyImportedError(
      before,
      `This export was already imported as group ${String(before.groupId)}. Delete that group first, or use --again to make a second one. Nothing was changed.`,
    );
  const isUnfinished =
    before !== null && (await db.collection(UNFINISHED).findOne({ groupId: before.groupId })) !== null;
  const run = source.runId === undefined ? {} : { runId: source.runId };
  if (isUnfinished && before.fingerprint === fingerprint) {
    const { salt: sameSalt, groupId: sameGroup, startedAt } = before;
    const continued = { salt: sameSalt, groupId: sameGroup, startedAt };
    await imports.replaceOne({ _id }, { ...continued, fingerprint, ...run }, { writeConcern: DURABLE });
    return { ...continued, isContinued: true };
  }
  const startedAt = new Date();
  const record = { ...begun, startedAt, fingerprint, ...run };
  await imports.replaceOne({ _id }, record, { upsert: true, writeConcern: DURABLE });
  return { ...begun, startedAt, isContinued: false };
}
