import type { ClientEvents, ConnectionState, FanfareClient } from "@fanfare/client";
import { useSyncExternalStore } from "react";
import { useServerCache } from "./data-context.ts";

/** Whether what is shown is live. */
export function useConnectionState(): ConnectionState {
  const { client } = useServerCache();
  return useSyncExternalStore(
    (onChange) => client.on("connection.changed", onChange),
    () => client.state,
  );
}

/** Listens to an event as long as the cache is kept up. */
export type On = <N extends keyof ClientEvents>(
  name: N,
  listener: (payload: ClientEvents[N]) => void,
) => void;

/** Resolves when the client receives events, so that none is missed after an answer. */
export function whenOnline(client: FanfareClient, signal: AbortSignal): Promise<void> {
  if (client.state === "online" || client.state === "closed") return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = client.on("connection.changed", ({ state }) => {
      if (state !== "online" && state !== "closed") return;
      end();
      resolve();
    });
    signal.addEventListener("abort", () => {
      end();
      reject(signal.reason as Error);
    });
  });
}
