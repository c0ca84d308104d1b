import { FanfareError } from "@fanfare/client";

/** Whether somebody does not want to be reached in this way: by what they have set, or by a block of one of the two. */
export function isNotReachable(error: unknown): boolean {
  return error instanceof FanfareError && error.type === "NOT_REACHABLE";
}
