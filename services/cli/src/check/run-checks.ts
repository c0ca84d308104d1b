import type { mongo } from "mongoose";

interface CheckResult {
  found: number;
  repaired: number;
}

/** @param report called with each fault and whether it was repaired */
export async function runChecks(
  db: mongo.Db,
  checks: readonly Check[],
  repair: boolean,
  report: (line: string) => void,
): Promise<CheckResult> {
  const result: CheckResult = { found: 0, repaired: 0 };
  for (const check of checks) {
    for await (const fault of check(db)) {
      result.found += 1;
      if (!repair || fault.repair === undefined) {
        report(fault.repair === undefined ? `${fault.description} (not repairable)` : fault.description);
        continue;
      }
      await fault.repair();
      result.repaired += 1;
      report(`${fault.description}: repaired`);
    }
  }
  return result;
}

/** An inconsistency in the data. */
export interface Finding {
  description: string;
  /** Absent when a person must decide. */
  repair?: () => Promise<unknown>;
}

export type Check = (db: mongo.Db) => AsyncGenerator<Finding>;

/** Ids of the documents that match `filter`. */
export async function idsOf(
  db: mongo.Db,
  collection: string,
  filter: mongo.Filter<mongo.Document> = {},
): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { _id } of db.collection(collection).find(filter, { projection: { _id: 1 } }))
    ids.add(String(_id));
  return ids;
}
