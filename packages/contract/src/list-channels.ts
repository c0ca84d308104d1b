import type { Call } from "./actions.ts";
import type { ChannelState } from "./entities.ts";

/** Loads all pages of `channel.list`. */
export async function listChannels(call: Call, groupId: string): Promise<ChannelState[]> {
  const all: ChannelState[] = [];
  for (let afterChannelId: string | undefined; ;) {
    const page = await call("channel.list", { groupId, ...(afterChannelId && { afterChannelId }) });
    all.push(...page.channels);
    if (page.nextChannelId === null) return all;
    afterChannelId = page.nextChannelId;
  }
}
