import type { Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function adminState({ admins }: UserDependencies): Handler<"user.adminState"> {
  return async () => ({ state: await admins.state() });
}
