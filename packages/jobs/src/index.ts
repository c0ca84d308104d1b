export {
  Jobs,
  JobQueueFullError,
  PermanentError,
  type JobsOptions,
  type JobKind,
  type JobOptions,
  type RunningJob,
} from "./jobs.ts";
export type { DeadJob } from "./job-store.ts";
