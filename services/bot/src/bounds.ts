/** Callbacks that one process makes at the same time. */
export const CALLBACK_CONCURRENCY = 16;
/** Bots that wait for one; of those beyond it the next sweep sees to it. */
export const WAITING_BOTS = 10_000;
/** How often callbacks are looked for that are due: to be tried again, or what was told by nobody. */
export const SWEEP_MS = 1000;
export const BOTS_PER_SWEEP = 100;
/** A callback that works is looked after this often although nobody says that there is something: of edits nobody does. */
export const LOOK_AGAIN_MS = 10_000;
/** For so long it is remembered who has subscribed in a group; who has done so since is looked after once it is over. */
export const SUBSCRIBERS_KNOWN_MS = 1000;
/** Somebody else's lease: tried again after this long. */
export const LEASED_RETRY_MS = 500;
/** A process that dies leaves its lease behind for so long. Longer than one step takes. */
export const LEASE_MS = 60_000;

export const CALLBACK_TIMEOUT_MS = 10_000;
/** Changes of one channel that are told together. */
export const EVENTS_PER_CALLBACK = 50;
export const INVOCATIONS_PER_STEP = 20;
/** After so many failures in a row, about 5 hours, it is given up. */
export const MAX_FAILURES = 16;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60 * 60 * 1000;

/** How long to wait after so many failures in a row. */
export function retryAfterMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
}

/** Of what the other side has said: for people. */
export const ERROR_MAX_CHARS = 200;
/** An invocation that could not be told by then is forgotten: nobody waits for its answer any more. */
export const INVOCATION_LIFETIME_S = 60 * 60;
