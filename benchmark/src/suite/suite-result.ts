import type { Environment } from "../environment.ts";
import type { Result } from "../report/result.ts";
import type { Profile } from "./suite-rows.ts";

export const SUITE_VERSION = 1;

/** How one row went. */
export interface RowOutcome {
  name: string;
  title: string;
  /** What was run, without where the result went. */
  command: string;
  /** The exit code; null: it took too long, or was not run. */
  code: number | null;
  durationMs: number;
  /** Whether there is a result, in a file of the row's name. */
  hasResult: boolean;
  /** Why there is none, or what the program said; null: nothing. */
  problem: string | null;
}

/** What lies beside the results as suite.json. See schema/suite.v1.json. */
export interface SuiteIndex {
  version: typeof SUITE_VERSION;
  profile: Profile;
  startedAt: string;
  durationMs: number;
  interrupted: boolean;
  environment: Environment;
  rows: RowOutcome[];
}

/** A suite with its results, by the names of their rows. */
export interface Suite {
  index: SuiteIndex;
  results: ReadonlyMap<string, Result>;
}
