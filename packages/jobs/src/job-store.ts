import { Schema, type Connection, Types } from "mongoose";

/** Enqueued jobs are on disk before `enqueue` resolves. */
const DURABLE = { w: "majority", j: true } as const;
/** After a power failure the job can run again, which every job must tolerate. */
const RELAXED = { writeConcern: { w: "majority", j: false } } as const;
const PAST = new Date(0);
const NEVER = new Date(8_000_000_000_000_000);

interface JobDocument {
  _id: Types.ObjectId;
  kind: string;
  key: string;
  payload: unknown;
  /** When the job is due; `NEVER` for dead jobs and remembered keys. */
  dueAt: Date;
  /** No process can lease the job before this time: the end of the current lease, or of the backoff after a failure. */
  heldUntil: Date;
  /** Fencing token, incremented with each lease: writes of earlier lease holders are rejected. */
  fence: number;
  /** Unsuccessful runs, including the current one. */
  tries: number;
  /** Number of `enqueue` calls, to detect one that happens during a run. */
  requests: number;
  createdAt: Date;
  lastError?: string;
  deadAt?: Date;
  /** When a dead job or remembered key is deleted (TTL index). */
  expiresAt?: Date;
}

/** A dead job as shown to admins, without its payload, which can contain secrets. */
export interface DeadJob {
  id: string;
  kind: string;
  key: string;
  tries: number;
  lastError: string;
  createdAt: Date;
  deadAt: Date;
}

export type LeasedJob = JobDocument;
export type JobStore = ReturnType<typeof createJobStore>;

const schema = new Schema<JobDocument>(
  {
    kind: { type: String, required: true },
    key: { type: String, default: "" },
    payload: Schema.Types.Mixed,
    dueAt: { type: Date, required: true },
    heldUntil: { type: Date, required: true },
    fence: { type: Number, required: true },
    tries: { type: Number, required: true },
    requests: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    lastError: String,
    deadAt: Date,
    expiresAt: Date,
  },
  { collection: "jobs", writeConcern: DURABLE, versionKey: false, minimize: false },
);
schema.index({ kind: 1, key: 1 }, { unique: true });
schema.index({ kind: 1, dueAt: 1 });
schema.index({ deadAt: 1, _id: 1 }, { sparse: true });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** All queries of the `jobs` collection. */
export function createJobStore(connection: Connection) {
  const jobs = connection.model<JobDocument>("Job", schema);
  const due = (now: Date) => ({ dueAt: { $lte: now }, heldUntil: { $lte: now } });
  const leased = ({ _id, fence }: LeasedJob) => ({ _id, fence });
  const isDead = { deadAt: { $gt: PAST } };
  const again = { heldUntil: PAST, tries: 0 };

  return {
    /** @param isOnce leaves an existing job unchanged @returns whether the job is new */
    async put(kind: string, key: string, payload: unknown, dueAt: Date, isOnce: boolean): Promise<boolean> {
      const fresh = { heldUntil: PAST, fence: 0, tries: 0, createdAt: new Date() };
      const update = isOnce
        ? { $setOnInsert: { ...fresh, payload, dueAt, requests: 1 } }
        : { $setOnInsert: fresh, $set: { payload }, $min: { dueAt }, $inc: { requests: 1 } };
      return (await jobs.updateOne({ kind, key }, update, { upsert: true })).upsertedCount === 1;
    },

    /** The kinds of at most `limit` due jobs. Without mongoose, because it runs every second. */
    listDueKinds: async (kinds: readonly string[], limit: number): Promise<string[]> => {
      const filter = { kind: { $in: [...kinds] }, ...due(new Date()) };
      const found = jobs.collection.find(filter, { projection: { kind: 1, _id: 0 }, limit });
      return (await found.toArray()).map(({ kind }) => kind);
    },

    /** Leases the job that has been due longest. @param running this process's jobs, excluded because a clock jump can make them due */
    claim: (
      kind: string,
      running: readonly LeasedJob["_id"][],
      leaseMs: number,
    ): Promise<LeasedJob | null> => {
      const now = new Date();
      const lease = { $set: { heldUntil: new Date(now.getTime() + leaseMs) }, $inc: { fence: 1, tries: 1 } };
      return jobs
        .findOneAndUpdate(
          { kind, ...due(now), ...(running.length > 0 && { _id: { $nin: running } }) },
          lease,
          {
            ...RELAXED,
            sort: { dueAt: 1 },
            returnDocument: "after",
          },
        )
        .lean();
    },

    /** @returns false if the lease was lost, as do all methods below that take a job */
    async renew(job: LeasedJob, leaseMs: number): Promise<boolean> {
      const heldUntil = new Date(Date.now() + leaseMs);
      return (await jobs.updateOne(leased(job), { $set: { heldUntil } }, RELAXED)).matchedCount === 1;
    },

    /** Ends a successful run. @param next when to run again, or how long to remember the key; null deletes the job */
    async finish(job: LeasedJob, next: { dueAt: Date } | { rememberUntil: Date } | null): Promise<boolean> {
      const unchanged = { ...leased(job), requests: job.requests };
      const update =
        next !== null && "dueAt" in next
          ? { $set: { ...again, dueAt: next.dueAt }, $unset: { lastError: 1 } }
          : {
              $set: { dueAt: NEVER, heldUntil: NEVER, expiresAt: next?.rememberUntil },
              $unset: { payload: 1, lastError: 1 },
            };
      const isFinished =
        next === null
          ? (await jobs.deleteOne(unchanged, RELAXED)).deletedCount === 1
          : (await jobs.updateOne(unchanged, update, RELAXED)).matchedCount === 1;
      if (isFinished) return true;
      // The job was enqueued again during the run.
      return (await jobs.updateOne(leased(job), { $set: again }, RELAXED)).matchedCount === 1;
    },

    /** Ends a failed run. */
    async retryAt(job: LeasedJob, at: Date, lastError: string): Promise<boolean> {
      const update = { $set: { heldUntil: at, dueAt: at, lastError } };
      return (await jobs.updateOne(leased(job), update, RELAXED)).matchedCount === 1;
    },

    /** Releases the lease of a job when its process stops; the try doesn't count. */
    async release(job: LeasedJob): Promise<void> {
      await jobs.updateOne(leased(job), { $set: { heldUntil: PAST }, $inc: { tries: -1 } }, RELAXED);
    },

    async bury(job: LeasedJob, lastError: string, expiresAt: Date): Promise<boolean> {
      const set = { dueAt: NEVER, heldUntil: NEVER, deadAt: new Date(), lastError, expiresAt };
      return (await jobs.updateOne(leased(job), { $set: set })).matchedCount === 1;
    },

    /** Unfinished jobs by kind: due, running, scheduled or waiting for a retry. */
    live: (kinds: readonly string[]): Promise<{ _id: string; count: number }[]> =>
      jobs.aggregate([
        // A dead job that is enqueued again gets a time, but stays dead.
        { $match: { kind: { $in: kinds }, dueAt: { $lt: NEVER }, heldUntil: { $lt: NEVER } } },
        { $group: { _id: "$kind", count: { $sum: 1 } } },
      ]),

    /** The due time of the oldest runnable job, by kind. */
    oldest: (kinds: readonly string[]): Promise<{ _id: string; dueAt: Date }[]> =>
      jobs.aggregate([
        { $match: { kind: { $in: kinds }, ...due(new Date()) } },
        { $group: { _id: "$kind", dueAt: { $min: "$dueAt" } } },
      ]),

    dead: (): Promise<{ _id: string; count: number }[]> =>
      jobs.aggregate([{ $match: isDead }, { $group: { _id: "$kind", count: { $sum: 1 } } }]),

    /** Newest first. @param before the last job on the previous page; it may be gone */
    async listDead(limit: number, before?: Pick<DeadJob, "id" | "deadAt">): Promise<DeadJob[]> {
      const older =
        before === undefined
          ? {}
          : {
              $or: [
                { deadAt: { $lt: before.deadAt } },
                { deadAt: before.deadAt, _id: { $lt: new Types.ObjectId(before.id) } },
              ],
            };
      const page = jobs.find({ ...isDead, ...older }, { payload: 0 });
      const found = await page.sort({ deadAt: -1, _id: -1 }).limit(limit).lean();
      return found.map(({ _id, kind, key, tries, lastError = "", createdAt, deadAt = PAST }) => ({
        id: _id.toHexString(),
        kind,
        key,
        tries,
        lastError,
        createdAt,
        deadAt,
      }));
    },

    /** Makes a dead job due with a reset try count. @returns its kind, or null if there is no such dead job */
    async revive(of: { _id: string } | { kind: string; key: string }): Promise<string | null> {
      const update = {
        $set: { ...again, dueAt: new Date() },
        $unset: { deadAt: 1, expiresAt: 1, lastError: 1 },
      };
      return (await jobs.findOneAndUpdate({ ...of, ...isDead }, update).lean())?.kind ?? null;
    },

    deleteDead: async (id: string): Promise<boolean> =>
      (await jobs.deleteOne({ _id: id, ...isDead })).deletedCount === 1,
  };
}
