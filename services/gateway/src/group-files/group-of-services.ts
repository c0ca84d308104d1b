import type { GroupSource } from "@fanfare/group-file";
import type { NodeContext } from "@fanfare/kernel";

/**
 * A group as the services know it.
 * @param before what is awaited before each page, and ends everything when it throws
 */
export function groupOfServices(
  call: NodeContext["call"],
  groupId: string,
  before: () => Promise<void>,
): GroupSource {
  const next: typeof call = async (name, params) => {
    await before();
    return call(name, params);
  };
  return {
    head: () => next("group.exportHead", { groupId }),
    async channels(channelIds) {
      const { lines } = await next("group.exportChannels", { groupId, channelIds: [...channelIds] });
      return lines;
    },
    threads: (channelId, afterId) => next("group.exportThreads", { groupId, channelId, afterId }),
    members: (afterUserId) => next("group.exportMembers", { groupId, afterUserId }),
    messages: (channelId, after) => next("message.exportChannel", { channelId, after }),
    async users(userIds) {
      const { lines } = await next("user.exportNames", { userIds: [...userIds] });
      return lines;
    },
  };
}
