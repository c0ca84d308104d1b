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
    <p className="connection-status" data-state={state}>
      {TEXTS[state]}
    </p>
  );
}

/** Says so where somebody writes while the connection is not there. */
export function ConnectionNote() {
  const state = useConnectionState();
  return (
    <p className="connection-note" role="status">
      {state !== "online" && `${TEXTS[state]} What you write is sent when the connection is back.`}
    </p>
  );
}
