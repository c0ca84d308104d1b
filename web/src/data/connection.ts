import type { ConnectionState } from "@fanfare/client";
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
