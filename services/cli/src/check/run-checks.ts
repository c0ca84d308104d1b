import type { mongo } from "mongoose";
import type { Check } from "./fault.ts";

export interface CheckResult {
  found: number;
  repaired: number;
}

/** @param say is told each fault, and what became of it */
export async function runChecks(
  db: mongo.Db,
  checks: readonly Check[],
  repair: boolean,
  say: (line: string) => void,
): Promise<CheckResult> {
  const result: CheckResult = { found: 0, repaired: 0 };
  for (const check of checks) {
    for await (const fault of check(db)) {
      result.found += 1;
      if (!repair || fault.repair === undefined) {
        say(fault.repair === undefined ? `${fault.what} (not repairable)` : fault.what);
        continue;
      }
      await fault.repair();
      result.repaired += 1;
      say(`${fault.what}: repaired`);
    }
  }
  return result;
}
