import type { Environment } from "../report/environment.ts";
import type { Result } from "../report/result.ts";
import type { Profile } from "./suite-rows.ts";

export const SUITE_VERSION = 1;

/** The outcome of one row. */
export interface RowOutcome {
  name: string;
  title: string;
  /** The command line, without the result's path. */
  command: string;
  /** The exit code; null: it timed out, or was not run. */
  code: number | null;
  durationMs: number;
  /** Whether there is a result, in a file with the row's name. */
  hasResult: boolean;
  /** Why there is none, or the program's message; null: nothing. */
  problem: string | null;
}

/** suite.json, next to the results. See schema/suite.v1.json. */
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
