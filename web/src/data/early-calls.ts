import { type FanfareClient, NEWEST_MESSAGES } from "@fanfare/client";
import { hasSaved } from "./read-saved.ts";

/**
 * Asks for a channel's messages, and for what is shown with them, while the application is still loading. After an earlier visit, those are
 * stored. Returns a function that cancels it.
 * @param isLoaded whether the application is loaded, which asks by itself
 */
export function askEarly(client: FanfareClient, isLoaded: () => boolean): () => void {
  const end = client.on("ready", () => {
    end();
    void askUnlessSaved(client, isLoaded);
  });
  return end;
}

async function askUnlessSaved(client: FanfareClient, isLoaded: () => boolean): Promise<void> {
  if ((await hasSaved()) || isLoaded() || client.state !== "online") return;
  const place = /^\/groups\/([0-9a-f]{24})\/channels\/([0-9a-f]{24})$/.exec(location.pathname);
  const [groupId, channelId] = place?.slice(1) ?? [];
  if (groupId === undefined || channelId === undefined) return;
  client.callEarly("group.listMine", {});
  client.callEarly("channel.list", { groupId });
  client.callEarly("message.list", { channelId, limit: NEWEST_MESSAGES, withUsers: true });
}
