import { LIMITS, userRoom } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { GroupDependencies } from "./group.dependencies.ts";
import { presentChannel } from "./group.presenter.ts";

/** Others may come and go meanwhile. */
const MAX_ROUNDS = LIMITS.membersPerGroupDirect;

/**
 * Takes somebody out of a direct channel of several, and tells everybody concerned; with the last one it goes.
 * @returns false when the user is not in it
 */
export async function takeOutOfDirect(
  { node, channels, directs, formers, membership, purge }: GroupDependencies,
  channelId: string,
  userId: string,
): Promise<boolean> {
  const isIn = async (): Promise<boolean> => {
    const channel = await channels.find(channelId);
    return channel !== null && presentChannel(channel).memberIds.includes(userId);
  };
  if (!(await isIn())) return false;
  // First, so that nothing is left that an export does not find.
  await formers.note(channelId, userId);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const changed = await directs.removeMember(channelId, userId);
    if (changed !== null) {
      membership.forget(channelId, null);
      const channel = presentChannel(changed);
      node.publish(userRoom(userId), "channel.deleted", { groupId: null, channelId });
      node.publish(channel.memberIds.map(userRoom), "channel.updated", { channel });
      return true;
    }
    if (await directs.markDeletedBy(channelId, userId)) {
      purge.direct(channelId, [userId]);
      return true;
    }
    if (!(await isIn())) return false;
  }
  throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
}
