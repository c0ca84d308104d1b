import type { Result } from "@fanfare/contract";
import type { Progress } from "../../report/progress.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { explain } from "../../targets/fanfare/explain.ts";
import { registerAll } from "../../targets/registration.ts";

export interface SceneContext {
  api: Api;
  /** Concurrent calls. */
  concurrency: number;
  progress: Progress;
  signal: AbortSignal;
}

/** @returns the tokens and the user */
export function createGuest({ api, signal }: SceneContext): Promise<Result<"user.createGuest">> {
  return api.call("user.createGuest", {}, undefined, signal);
}

/** Runs a task this many times, with limited concurrency, and shows the progress. */
export async function doAll<T>(
  { concurrency, progress, signal }: SceneContext,
  label: string,
  count: number,
  work: (index: number) => Promise<T>,
): ReturnType<typeof registerAll<T>> {
  let done = 0;
  const doOne = (index: number) => {
    signal.throwIfAborted();
    return work(index);
  };
  return progress
    .during(
      label,
      count,
      () => done,
      () => registerAll(count, concurrency, doOne, () => done++),
    )
    .catch(explain);
}
