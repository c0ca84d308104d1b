import { ACTIONS, LIMITS, type ActionName } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { presentSession } from "../session.presenter.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentOwnUser } from "../user.presenter.ts";

type Exports = Extract<ActionName, `${string}.exportUser`>;
const EXPORTING = Object.keys(ACTIONS).filter((name): name is Exports => name.endsWith(".exportUser"));

/** One service after the other: a cursor is the service's name, and the cursor that it gave. */
export function exportMyData(): Handler<"user.exportMyData"> {
  return async ({ params, actor: { userId }, call }) => {
    const [service = "", ...rest] = params.cursor?.split(".") ?? [];
    const index =
      params.cursor === undefined ? 0 : EXPORTING.findIndex((name) => name === `${service}.exportUser`);
    const name = EXPORTING[index];
    if (name === undefined) {
      const issues = [{ path: "cursor", message: "must be a cursor of the page before" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    const inner = rest.join(".");
    const { items, nextCursor } = await call(name, { userId, cursor: inner === "" ? null : inner });
    const next = nextCursor === null ? EXPORTING[index + 1] : name;
    if (next === undefined) return { items, nextCursor: null };
    const prefix = next.slice(0, next.indexOf("."));
    return { items, nextCursor: nextCursor === null ? prefix : `${prefix}.${nextCursor}` };
  };
}

export function exportUser(dependencies: UserDependencies): Handler<"user.exportUser"> {
  const { users, blocks, sessionRepository } = dependencies;
  return async ({ params: { userId } }) => {
    const user = await users.find(userId);
    if (user === null) throw serviceError("USER_NOT_FOUND");
    const [living, blocked] = await Promise.all([
      sessionRepository.listLiving(userId, new Date()),
      blocks.listPage(userId, undefined, LIMITS.blockedPerUser),
    ]);
    return {
      items: [
        { kind: "profile", data: presentOwnUser(user) },
        ...living.map((session) => ({ kind: "session", data: presentSession(session, "") })),
        ...blocked.map((id) => ({ kind: "block", data: { userId: id } })),
      ],
      nextCursor: null,
    };
  };
}
