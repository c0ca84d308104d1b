import type { Handler } from "@fanfare/kernel";
import type { PresenceDependencies } from "../presence.dependencies.ts";

export function setStatus({ store, statuses }: PresenceDependencies): Handler<"presence.setStatus"> {
  return async ({ params: { status }, actor: { userId } }) => {
    await statuses.set(userId, status);
    // Also where it was the same already: an earlier call may have failed in between.
    await store.noteChange(userId);
    return { status };
  };
}
