import type { Handler } from "@fanfare/kernel";
import type { PresenceDependencies } from "../presence.dependencies.ts";

export function count({ store }: PresenceDependencies): Handler<"presence.count"> {
  return async () => ({ online: await store.countConnected() });
}
