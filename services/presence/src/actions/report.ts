import type { Handler } from "@fanfare/kernel";
import type { PresenceDependencies } from "../presence.dependencies.ts";

export function report({ store }: PresenceDependencies): Handler<"presence.report"> {
  return async ({ params }) => ({ known: await store.report(params) });
}
