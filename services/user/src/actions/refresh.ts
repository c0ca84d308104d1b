import type { Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function refresh({ users, sessions }: UserDependencies): Handler<"user.refresh"> {
  return ({ params }) => sessions.refresh(params.refreshToken, users.find);
}
