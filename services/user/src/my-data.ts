import { EXPORTS_USER, LIMITS } from "@fanfare/contract";
import { callOf, type Handlers, invalid, orThrow, serviceError } from "@fanfare/kernel";
import { presentSession } from "./login.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import { presentOwnUser, presentPasskey } from "./user.presenter.ts";

const serviceOf = (name: string): string => name.slice(0, name.indexOf("."));

export const myDataActions = ({
  users,
  blocks,
  sessionRepository,
  admins,
  reauthenticate,
  secondFactor,
  sessions,
  erasures,
}: UserDependencies): Handlers => ({
  /** Exports one service after the other; the cursor is the name of the service and its own cursor. */
  "user.exportMyData": async ({ params, actor: { userId }, services }) => {
    const [service = "", ...rest] = params.cursor?.split(".") ?? [];
    const index =
      params.cursor === undefined ? 0 : EXPORTS_USER.findIndex((name) => serviceOf(name) === service);
    const name = EXPORTS_USER[index];
    if (name === undefined) throw invalid("cursor", "must be a cursor of the page before");
    const inner = rest.join(".");
    const { items, nextCursor } = await callOf(services)(name, {
      userId,
      cursor: inner === "" ? null : inner,
    });
    const next = nextCursor === null ? EXPORTS_USER[index + 1] : name;
    if (next === undefined) return { items, nextCursor: null };
    const prefix = serviceOf(next);
    return { items, nextCursor: nextCursor === null ? prefix : `${prefix}.${nextCursor}` };
  },

  "user.exportUser": async ({ params: { userId } }) => {
    const user = orThrow(await users.find(userId), "USER_NOT_FOUND");
    const [living, blocked] = await Promise.all([
      sessionRepository.listLiving(userId, new Date()),
      blocks.listPage(userId, undefined, LIMITS.blockedPerUser),
    ]);
    return {
      items: [
        { kind: "profile", data: presentOwnUser(user) },
        ...(user.scim === undefined ? [] : [{ kind: "provisioning", data: user.scim }]),
        ...(user.passkeys ?? []).map((passkey) => ({ kind: "passkey", data: presentPasskey(passkey) })),
        ...living.map((session) => ({ kind: "session", data: presentSession(session, "") })),
        ...blocked.map((id) => ({ kind: "block", data: { userId: id } })),
      ],
      nextCursor: null,
    };
  },

  "user.deleteMe": async ({ params: { code, ...proof }, actor, services }) => {
    const { userId } = actor;
    const user = await users.find(userId);
    if (user === null || user.deletedAt !== undefined) throw serviceError("UNAUTHENTICATED");
    // Before the proof, because a login at the provider can be used only once.
    const { groupIds } = await services.group.listOwned({ userId });
    if (groupIds.length > 0) throw serviceError("OWNS_GROUPS", { groupIds });
    // Guests have no way to log in again.
    if (user.kind !== "guest") await reauthenticate(userId, proof, (one) => secondFactor.check(one, code));
    if (user.admin === true) await admins.revoke(userId);
    const erased = await users.erase(userId, new Date());
    // The deletion is stored and will complete even if this process dies.
    await sessions.endAll(userId);
    if (erased !== null) await erasures.begin(erased);
    return {};
  },
});
