import type { Handler } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

const BATCH = 1000;

/** What somebody has read is theirs; what they wrote stays for the others. */
export function forgetUser({ markers }: MessageDependencies): Handler<"message.forgetUser"> {
  return async ({ params: { userId } }) => {
    for (let deleted = BATCH; deleted === BATCH;) deleted = await markers.deleteSomeOf(userId, BATCH);
    return {};
  };
}
