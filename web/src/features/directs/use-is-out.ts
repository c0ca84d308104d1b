import { useEffect, useState } from "react";
import { useServerCache } from "../../data/data-context.ts";

/** Whether one was put out of a conversation, has left it, or it was deleted, while it was shown. */
export function useIsOut(channelId: string): boolean {
  const { client } = useServerCache();
  const [outOf, setOutOf] = useState<string | null>(null);
  useEffect(() => {
    const ends = [
      client.on("channel.deleted", (gone) => gone.channelId === channelId && setOutOf(channelId)),
      client.on("channel.created", ({ channel }) => channel.id === channelId && setOutOf(null)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [client, channelId]);
  return outOf === channelId;
}
