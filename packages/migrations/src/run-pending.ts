import type { mongo } from "mongoose";
import { LeaseLostError } from "./errors.ts";
import type { History } from "./history.ts";
import type { Lease } from "./lease.ts";
import type { Migration } from "./migration.ts";
import type { Report } from "./report.ts";

const REPORT_EVERY_MS = 5000;

/**
 * Runs migrations one after the other.
 * @throws {LeaseLostError} when another process has taken over
 */
export async function runPending(
  db: mongo.Db,
  pending: readonly Migration[],
  { history, lease, version, report }: { history: History; lease: Lease; version: string; report: Report },
): Promise<void> {
  for (const migration of pending) {
    const { name } = migration;
    const record = await history.begin(migration, version, lease.fence);
    let { documents, expected } = record;
    let reportedAt = performance.now();
    const isResumed = record.cursor !== undefined;
    report.log(isResumed ? "a migration goes on" : "a migration begins", { migration: name, documents });
    report.state(shownProgress(name, documents, expected));
    await migration.run({
      db,
      resumeFrom: record.cursor,
      async expect(count) {
        expected = documents + count;
        await history.expect(name, lease.fence, expected);
      },
      async reached(cursor, more) {
        if (lease.isLost()) throw new LeaseLostError();
        await history.progress(name, lease.fence, cursor, more);
        documents += more;
        report.state(shownProgress(name, documents, expected));
        if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
        reportedAt = performance.now();
        report.log("a migration is under way", { migration: name, documents, expected });
      },
    });
    await history.finish(record, lease.fence);
    const durationMs = Date.now() - record.startedAt.getTime();
    report.log("a migration is done", { migration: name, documents, durationMs });
  }
}

/** Such as `0001-message-revs (45 % of 1000000 documents)`. */
export function shownProgress(name: string, documents: number, expected: number | undefined): string {
  if (expected === undefined || expected === 0) return `${name} (${documents} documents so far)`;
  const percent = Math.min(100, Math.floor((documents / expected) * 100));
  return `${name} (${percent} % of ${expected} documents)`;
}
