import type { NodeContext } from "@fanfare/kernel";
import type { Model } from "mongoose";
import { DUE_BATCH, DUE_INTERVAL_MS, DUE_PAUSE_MS } from "./constants.ts";

/** Waits for its time; without one it never comes. */
interface Waiting {
  dueAt?: Date;
}

interface DueQueries<D extends Waiting> {
  listDue: (now: Date) => Promise<D[]>;
  nextDueAfter: (now: Date) => Promise<Date | null>;
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
});

/**
 * Does the work of each document at its time, at least once.
 * @param work must change or remove the documents that are done, so that they are no longer due
 * @returns call it with the time of each stored document
 */
export function whenDue<D extends Waiting>(
  node: NodeContext,
  jobName: string,
  { listDue, nextDueAfter }: DueQueries<D>,
  work: (due: D[], signal: AbortSignal) => Promise<void>,
): (dueAt: Date) => Promise<void> {
  const job = node.jobs.define(jobName, {
    everyMs: DUE_INTERVAL_MS,
    run: async ({ signal }) => {
      const now = new Date();
      const due = await listDue(now);
      await work(due, signal);
      const next = due.length === DUE_BATCH ? now : await nextDueAfter(now);
      const waitMs = (next?.getTime() ?? Infinity) - Date.now();
      return { againAt: new Date(Date.now() + Math.min(Math.max(waitMs, DUE_PAUSE_MS), DUE_INTERVAL_MS)) };
    },
  });
  return (dueAt) => job.enqueue("", null, dueAt);
}
