import { hasPermission, LIMITS } from "@fanfare/contract";
import { may, type NodeContext } from "@fanfare/kernel";
import type { BotDocument } from "./bot.model.ts";
import type { BotRepository } from "./bot.repository.ts";

type Held = Pick<BotDocument, "groupId" | "createdBy">;

/**
 * Whether who has been given a bot's token may still manage bots. Otherwise the token is good for nothing: somebody who was put
 * out would go on reading as the bot.
 */
export async function isHeld(
  { access }: Pick<NodeContext, "access">,
  { groupId, createdBy }: Held,
): Promise<boolean> {
  return may(await access.get(createdBy.toHexString(), { groupId: groupId.toHexString() }), "manageWebhooks");
}

/**
 * Disconnects the bots of a group whose holders may not manage bots any more.
 * @param userId only those that this user holds; null: all
 */
export async function disconnectUnheld(
  { call }: Pick<NodeContext, "call">,
  bots: BotRepository,
  { groupId, userId }: { groupId: string; userId: string | null },
): Promise<void> {
  const ofGroup = await bots.listOfGroup(groupId, LIMITS.botsPerGroup);
  for (const { _id, createdBy } of ofGroup) {
    const holderId = createdBy.toHexString();
    if (userId !== null && userId !== holderId) continue;
    // The access cache may hear of the same change a moment later.
    const { permissions } = await call("group.access", { userId: holderId, groupId });
    if (hasPermission(permissions, "manageWebhooks")) continue;
    const botId = _id.toHexString();
    const { sessionId } = await call("user.openBotSession", { userId: botId });
    await bots.update(groupId, botId, { sessionId });
  }
}
