import { checkFiles } from "./check-files.ts";
import { checkMemberCounts, checkOwners } from "./check-groups.ts";
import { checkLog } from "./check-log.ts";
import { checkOrphans } from "./check-orphans.ts";
import type { Check } from "./fault.ts";

/** The exit code when there are faults that were not repaired. */
export const FAULTS_LEFT = 2;

/** The orphans first: what belongs to nobody is not to be counted. @param filesDir undefined: they lie in S3 */
export const allChecks = (filesDir: string | undefined): Check[] => [
  checkOrphans,
  checkLog,
  checkMemberCounts,
  checkOwners,
  checkFiles(filesDir),
];
