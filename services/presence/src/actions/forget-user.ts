import type { Handler } from "@fanfare/kernel";
import type { PresenceDependencies } from "../presence.dependencies.ts";

/** Who has set nothing is as good as unknown. */
export function forgetUser({ statuses }: PresenceDependencies): Handler<"presence.forgetUser"> {
  return async ({ params: { userId } }) => {
    await statuses.set(userId, "online");
    return {};
  };
}
