import { hasPermission, LIMITS } from "@fanfare/contract";
import { can, type NodeContext } from "@fanfare/kernel";
import type { BotDocument, BotRepository } from "./bot.repository.ts";

const PAGE = 100;
/** Limited, because the session of a disabled bot is never alive. */
const SESSION_TRIES = 5;
const LOWEST_ID = "0".repeat(24);

/**
 * Whether the holder of a bot's token can still manage bots. Otherwise the token is invalid, because a kicked user could keep
 * reading as the bot.
 */
export async function isHeld(
  { access, services }: Pick<NodeContext, "access" | "services">,
  { groupId, createdBy: userId }: Pick<BotDocument, "groupId" | "createdBy">,
): Promise<boolean> {
  if (!(await services.user.isActive({ userId })).isActive) return false;
  return can(await access.get(userId, { groupId }), "manageWebhooks");
}

/**
 * Disconnects bots of a group whose holders can no longer manage bots.
 * @param userId only bots held by this user; null: all
 */
export async function disconnectUnheld(
  { services }: Pick<NodeContext, "services">,
  bots: BotRepository,
  { groupId, userId }: { groupId: string; userId: string | null },
): Promise<void> {
  const ofGroup = await bots.listOfGroup(groupId, LIMITS.botsPerGroup);
  for (const { _id, createdBy: holderId } of ofGroup) {
    if (userId !== null && userId !== holderId) continue;
    // Not from the access cache, which may not be invalidated yet.
    const { permissions } = await services.group.access({ userId: holderId, groupId });
    if (hasPermission(permissions, "manageWebhooks")) continue;
    await disconnect({ services }, bots, groupId, _id);
  }
}

/** Disconnects the bots held by a user, in all groups. */
export async function disconnectHeldBy(
  node: Pick<NodeContext, "services">,
  bots: BotRepository,
  userId: string,
): Promise<void> {
  for await (const { _id, groupId } of heldBy(bots, userId)) await disconnect(node, bots, groupId, _id);
}

/** The bots held by a user, in all groups. */
export async function* heldBy(bots: BotRepository, userId: string): AsyncGenerator<BotDocument> {
  for (let after = LOWEST_ID; ;) {
    const page = await bots.listHeldBy(userId, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last._id;
  }
}

async function disconnect(
  { services }: Pick<NodeContext, "services">,
  bots: BotRepository,
  groupId: string,
  botId: string,
): Promise<void> {
  await renewSession(services, botId, (sessionId) => bots.update(groupId, botId, { sessionId }));
}

/**
 * Ends the sessions of a bot and opens another one.
 * @param store stores its ID; called again if another call has ended the session in the meantime
 * @returns what `store` has returned; null: the bot is gone
 */
export async function renewSession(
  { user }: NodeContext["services"],
  botId: string,
  store: (sessionId: string) => Promise<BotDocument | null>,
): Promise<BotDocument | null> {
  for (let left = SESSION_TRIES; ; left -= 1) {
    const { sessionId } = await user.openBotSession({ userId: botId });
    const stored = await store(sessionId);
    if (stored === null || left <= 1) return stored;
    if ((await user.hasSession({ userId: botId, sessionId })).isAlive) return stored;
  }
}
