import { type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import type { CustomStatus } from "@fanfare/contract";
import type { UserDependencies } from "./user.dependencies.ts";
import { presentOwnUser, presentUser } from "./user.presenter.ts";
import { publishAccount, publishProfile } from "./publish.ts";
import type { UserDocument } from "./user.model.ts";

/** Number of extra results read per prefix, because some can be filtered out. */
const SPARE = 10;

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
        users.listByPrefix("usernameLower", query, limit + SPARE),
        users.listByPrefix("nicknameLower", query, limit + SPARE),
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
