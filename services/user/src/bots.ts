import { type Handlers, hashSecret, newId, newSecret, orThrow, serviceError } from "@fanfare/kernel";
import { isActive } from "./session.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";
import { presentUser } from "./user.presenter.ts";

/** Bot sessions don't expire. */
const NEVER = new Date("9999-01-01T00:00:00Z");

export const botActions = ({
  users,
  node,
  sessions,
  sessionRepository,
  erasures,
}: UserDependencies): Handlers => ({
  "user.createBot": async ({ params: { name } }) => {
    const user: UserDocument = {
      _id: newId(),
      nickname: name,
      avatarUrl: null,
      kind: "bot",
      createdAt: new Date(),
    };
    await users.insert(user);
    return { user: presentUser(user) };
  },

  "user.renameBot": async ({ params: { userId, name } }) => {
    await requireBot(users, userId);
    const user = orThrow(await users.setProfile(userId, { kind: "bot", nickname: name }), "USER_NOT_FOUND");
    node.broadcast("user.profileChanged", { user: presentUser(user) });
    return {};
  },

  /** Bots authenticate with their token, not with this session, but ending it also closes the bot's connections. */
  "user.openBotSession": async ({ params: { userId } }) => {
    const user = await requireBot(users, userId);
    await sessions.endAll(userId);
    const now = new Date();
    const _id = newId();
    await sessionRepository.insert({
      _id,
      userId: user._id,
      // Random secrets that no one knows: the session can't be refreshed.
      familyHash: hashSecret(newSecret()),
      currentHash: hashSecret(newSecret()),
      previousHash: null,
      graceUntil: null,
      createdAt: now,
      refreshedAt: now,
      expiresAt: NEVER,
    });
    return { sessionId: _id };
  },

  "user.hasSession": async ({ params: { userId, sessionId } }) => {
    const [user, session] = await Promise.all([users.find(userId), sessionRepository.find(sessionId)]);
    const isAlive =
      isActive(user) &&
      session?.userId === userId &&
      session.revokedAt === undefined &&
      session.expiresAt > new Date();
    return { isAlive };
  },

  "user.isActive": async ({ params: { userId } }) => {
    const user = await users.find(userId);
    return isActive(user) ? { isActive: true, kind: user.kind } : { isActive: false };
  },

  "user.deleteBot": async ({ params: { userId } }) => {
    const user = await users.find(userId);
    if (user?.kind !== "bot") return {};
    const erased = await users.erase(userId, new Date());
    await sessions.endAll(userId);
    if (erased !== null) await erasures.begin(erased);
    return {};
  },
});

async function requireBot(users: UserDependencies["users"], userId: string): Promise<UserDocument> {
  const user = await users.find(userId);
  if (user?.kind !== "bot" || user.deletedAt !== undefined) throw serviceError("USER_NOT_FOUND");
  return user;
}
