import { randomUUID } from "node:crypto";
import { DURABLE } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import { ImportRefusedError, IMPORTS, isDuplicateKey } from "./import-steps.ts";

/** Other imports wait for this long after a process was killed. */
const LEASE_MS = 60_000;
const RENEW_MS = 10_000;
const ID = "running";

interface LeaseDocument {
  _id: string;
  owner: string;
  heldUntil: Date;
}

/** Another import is running, here or in another process. */
export class ImportRunningError extends ImportRefusedError {
  constructor() {
    super(
      "Another import is running, or was interrupted less than a minute ago. Nothing was changed. Try again when it is complete.",
    );
  }
}

export interface ImportLease {
  /** Aborted when the lease is lost, or the import is stopped. */
  signal: AbortSignal;
  /** Also renews it. */
  isHeld(): Promise<boolean>;
}

/**
 * Runs imports one at a time, because each removes what interrupted ones left.
 * @throws {ImportRunningError} when another import has the lease
 */
export async function withImportLease<T>(
  db: mongo.Db,
  stopped: AbortSignal | undefined,
  work: (lease: ImportLease) => Promise<T>,
): Promise<T> {
  const leases = db.collection<LeaseDocument>(IMPORTS);
  const owner = randomUUID();
  const until = (ms: number): Date => new Date(Date.now() + ms);
  const lost = new AbortController();
  const signal = stopped === undefined ? lost.signal : AbortSignal.any([stopped, lost.signal]);
  await leases
    .updateOne(
      { _id: ID, heldUntil: { $lte: new Date() } },
      { $set: { owner, heldUntil: until(LEASE_MS) } },
      { upsert: true, writeConcern: DURABLE },
    )
    .catch((error: unknown) => {
      throw isDuplicateKey(error) ? new ImportRunningError() : error;
    });
  const renew = async (): Promise<void> => {
    const change = { $set: { heldUntil: until(LEASE_MS) } };
    const { matchedCount } = await leases.updateOne({ _id: ID, owner }, change, { writeConcern: DURABLE });
    if (matchedCount === 0) lost.abort(new Error("another import has started"));
  };
  const isHeld = async (): Promise<boolean> => {
    const isRenewed = await renew().then(
      () => true,
      () => false,
    );
    return isRenewed && !signal.aborted;
  };
  const renewing = setInterval(() => void isHeld(), RENEW_MS);
  try {
    return await work({ signal, isHeld });
  } finally {
    clearInterval(renewing);
    // If this fails, it ends by itself.
    await leases.deleteOne({ _id: ID, owner }).catch(() => undefined);
  }
}
