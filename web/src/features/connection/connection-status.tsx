import type { ConnectionState } from "@fanfare/client";
import { useSyncExternalStore } from "react";
import { useClient } from "../session/client-context.ts";
import "./connection-status.css";

const TEXTS: Record<ConnectionState, string> = {
  offline: "Offline",
  connecting: "Connecting…",
  online: "Online",
  reconnecting: "Reconnecting…",
  closed: "Offline",
};

export function useConnectionState(): ConnectionState {
  const client = useClient();
  return useSyncExternalStore(
    (onChange) => client.on("connection.changed", onChange),
    () => client.state,
  );
}

/** Whether what is shown is live. */
export function ConnectionStatus() {
  const state = useConnectionState();
  return (
    <p className="connection-status" role="status" data-state={state}>
      {TEXTS[state]}
    </p>
  );
}
