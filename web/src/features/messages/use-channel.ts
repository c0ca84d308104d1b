import type { ChannelSnapshot, ChannelView } from "@fanfare/client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { errorText } from "../../shared/error-text.ts";
import { showChannel } from "./open-channels.ts";
import { useClient } from "../session/client-context.ts";
import { useConnection } from "../shell/use-connection.ts";

export interface OpenChannel {
  view: ChannelView;
  snapshot: ChannelSnapshot;
  error: string | null;
}

/** The exact copy of a channel. It stays open for a while when another one is shown: coming back shows it at once. */
export function useChannel(channelId: string): OpenChannel {
  const client = useClient();
  const view = client.channel(channelId);
  const { state } = useConnection(client);
  const snapshot = useSyncExternalStore(
    (onChange) => view.subscribe(onChange),
    () => view.snapshot,
  );
  const [error, setError] = useState<string | null>(null);
  useEffect(() => showChannel(view), [view]);
  useEffect(() => {
    if (state !== "online" || view.snapshot.status === "ready") return;
    view.load().catch((failure: unknown) => setError(errorText(failure)));
  }, [view, state]);
  return { view, snapshot, error: snapshot.status === "ready" ? null : error };
}
