import { type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import type { CustomStatus } from "@fanfare/contract";
import { createNewIds, userLine } from "@fanfare/group-file";
import type { UserDependencies } from "./user.dependencies.ts";
import { presentOwnUser, presentUser, publishAccount, publishProfile } from "./user.presenter.ts";
import type { UserDocument } from "./user.model.ts";

/** Number of extra results read per prefix, because some can be filtered out. */
const SPARE_RESULTS = 10;

export function profileActions(dependencies: UserDependencies): Handlers {
  const { users, node, blocks } = dependencies;
  return {
    "user.me": async ({ actor }) => {
      const user = orThrow(await users.find(actor.userId), "UNAUTHENTICATED");
      return { user: presentOwnUser(user) };
    },

    "user.get": async ({ params }) => {
      const user = orThrow(await users.find(params.userId), "USER_NOT_FOUND");
      return { user: presentUser(user) };
    },

    "user.getMany": async ({ params }) => {
      const found = await users.findMany([...new Set(params.userIds)]);
      return { users: found.map(presentUser) };
    },

    "user.updateProfile": async ({ params: { nickname, bio, customStatus, locale }, actor }) => {
      const changed = await users.setProfile(actor.userId, {
        kind: actor.kind,
        ...(nickname !== undefined && { nickname }),
        ...(bio !== undefined && { bio }),
        ...(customStatus !== undefined && { customStatus: storedStatus(customStatus) }),
        ...(locale !== undefined && { locale }),
      });
      if (changed === null) throw serviceError("UNAUTHENTICATED");
      // The language is private.
      if (nickname !== undefined || bio !== undefined || customStatus !== undefined)
        publishProfile(node, changed);
      if (locale !== undefined) publishAccount(node, changed);
      return { user: presentOwnUser(changed) };
    },

    "user.setPreferences": async ({ params, actor: { userId } }) => {
      const changed = orThrow(await users.setPreferences(userId, params), "UNAUTHENTICATED");
      publishAccount(node, changed);
      return { user: presentOwnUser(changed) };
    },

    "user.setAvatar": async ({ params: { fileId }, actor, services }) => {
      const of = { type: "user", id: actor.userId } as const;
      const { url } = await services.file.usePicture({ fileId, userId: actor.userId, of });
      const changed = await show(dependencies, actor, url);
      // A picture that couldn't be removed is removed with the next change.
      await services.file.dropPictures({ of, exceptFileId: fileId }).catch(() => undefined);
      return { user: presentOwnUser(changed) };
    },

    "user.removeAvatar": async ({ actor, services }) => {
      const changed = await show(dependencies, actor, null);
      await services.file.dropPictures({ of: { type: "user", id: actor.userId } });
      return { user: presentOwnUser(changed) };
    },

    "user.search": async ({ params: { query, limit }, actor }) => {
      const [byUsername, byNickname] = await Promise.all([
        users.listByPrefix("usernameLower", query, limit + SPARE_RESULTS),
        users.listByPrefix("nicknameLower", query, limit + SPARE_RESULTS),
      ]);
      // Users found by both names are listed once.
      const found = new Map([...byUsername, ...byNickname].map((user) => [user._id, user]));
      found.delete(actor.userId);
      if (found.size === 0) return { users: [] };
      const blockers = await blocks.blockersAmong([...found.keys()], actor.userId);
      const visible = [...found].filter(([id]) => !blockers.has(id)).map(([, user]) => presentUser(user));
      return { users: visible.slice(0, limit) };
    },

    "user.findByUsername": async ({ params }) => {
      const user = orThrow(await users.findByUsername(params.username), "USER_NOT_FOUND");
      return { user: presentUser(user) };
    },
  };
}

function storedStatus(status: CustomStatus | null): UserDocument["customStatus"] {
  return status && { ...status, expiresAt: status.expiresAt === null ? null : new Date(status.expiresAt) };
}

async function show(
  { node, users }: UserDependencies,
  { userId, kind }: { userId: string; kind: UserDocument["kind"] },
  avatarUrl: string | null,
): Promise<UserDocument> {
  const changed = orThrow(await users.setProfile(userId, { kind, avatarUrl }), "UNAUTHENTICATED");
  publishProfile(node, changed);
  return changed;
}

const REMOVED_PER_BATCH = 1000;

export const nameActions = ({ users }: UserDependencies): Handlers => ({
  /** Imported authors become new guests without a session, so an import can't take over users and no one can log in as them. */
  "user.importNames": async ({ params: { groupId, salt, users: lines } }) => {
    const newId = createNewIds(salt);
    const documents = lines.map(({ id, nickname }): UserDocument => {
      const _id = newId(id);
      const createdAt = _id.getTimestamp();
      const user: UserDocument = {
        _id: String(_id),
        kind: "guest",
        nickname: nickname ?? "",
        avatarUrl: null,
        createdAt,
        importedIn: [groupId],
      };
      return nickname === null ? { ...user, deletedAt: createdAt } : user;
    });
    if (documents.length > 0) await users.insertMany(documents);
    return {};
  },

  "user.removeImported": async ({ params: { groupId } }) => {
    for (let removed = REMOVED_PER_BATCH; removed === REMOVED_PER_BATCH;)
      removed = await users.removeSomeImported(groupId, REMOVED_PER_BATCH);
    await users.keepImported(groupId);
    return {};
  },

  "user.exportNames": async ({ params: { userIds } }) => {
    const found = await users.findMany([...new Set(userIds)]);
    const alive = found.filter(({ deletedAt }) => deletedAt === undefined);
    const byId = new Map(alive.map((user) => [user._id, user]));
    return { lines: userIds.map((id) => userLine(id, byId.get(id) ?? null)) };
  },
});
