import { chunks, type NodeContext, toServiceError } from "@fanfare/kernel";
import type { Model } from "mongoose";
import { DUE_AT_ONCE, DUE_BATCH, DUE_INTERVAL_MS, DUE_PAUSE_MS } from "./constants.ts";

/** Waits for its time; without one it never comes. */
interface Waiting {
  _id: string;
  dueAt?: Date;
}

interface DueQueries<D extends Waiting> {
  listDue: (now: Date) => Promise<D[]>;
  nextDueAfter: (now: Date) => Promise<Date | null>;
  /** Unless it was changed meanwhile. */
  postpone: (document: D, to: Date) => Promise<unknown>;
}

/** Queries of a collection with an index on `dueAt`. */
export const dueQueries = <D extends Waiting>(model: Model<D>): DueQueries<D> => ({
  listDue: (now) =>
    model
      .find({ dueAt: { $lte: now } })
      .sort({ dueAt: 1 })
      .limit(DUE_BATCH)
      .lean<D[]>(),

  nextDueAfter: async (now) => {
    const next = await model
      .findOne({ dueAt: { $gt: now } })
      .sort({ dueAt: 1 })
      .lean<D>();
    return next?.dueAt ?? null;
  },

  postpone: ({ _id, dueAt }, to) => model.updateOne({ _id, dueAt }, { $set: { dueAt: to } }),
});

/**
 * Does the work of each document at its time, at least once. If it fails it is tried again later, so that the others don't wait.
 * @param workOn of some documents, does that of each; it must change or remove the document, so that it is no longer due
 * @returns call it with the time of each stored document
 */
export function whenDue<D extends Waiting>(
  node: NodeContext,
  jobName: string,
  { listDue, nextDueAfter, postpone }: DueQueries<D>,
  workOn: (some: readonly D[]) => (document: D) => Promise<void>,
): (dueAt: Date) => Promise<void> {
  const job = node.jobs.define(jobName, {
    everyMs: DUE_INTERVAL_MS,
    run: async ({ signal }) => {
      const now = new Date();
      const due = await listDue(now);
      for (const some of chunks(due, DUE_AT_ONCE)) {
        const work = workOn(some);
        for (const document of some) {
          signal.throwIfAborted();
          try {
            await work(document);
          } catch (error) {
            // Waiting for a channel in slow mode is no failure.
            if (toServiceError(error).type !== "SLOW_MODE")
              node.logger.warn({ err: error, id: document._id }, `${jobName} failed, retrying`);
            await postpone(document, new Date(Date.now() + DUE_INTERVAL_MS));
          }
        }
      }
      const next = due.length === DUE_BATCH ? now : await nextDueAfter(now);
      const waitMs = (next?.getTime() ?? Infinity) - Date.now();
      return { againAt: new Date(Date.now() + Math.min(Math.max(waitMs, DUE_PAUSE_MS), DUE_INTERVAL_MS)) };
    },
  });
  return (dueAt) => job.enqueue("", null, dueAt);
}
