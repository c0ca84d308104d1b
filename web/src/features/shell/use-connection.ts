import type { ConnectionState, FanfareClient } from "@fanfare/client";
import { useState, useSyncExternalStore } from "react";

export interface Connection {
  state: ConnectionState;
  /** When it was lost, or since when it is tried for the first time; null while it is there. */
  lostAtMs: number | null;
  /** Whether the browser says that the device has no network. */
  noNetwork: boolean;
  /** Whether the server is going away: the connection moves by itself. */
  draining: boolean;
}

/** How the connection is, with what the server and the browser say about it. */
export function useConnection(client: FanfareClient): Connection {
  const [watch] = useState(() => watchConnection(client));
  return useSyncExternalStore(watch.subscribe, watch.get);
}

function watchConnection(client: FanfareClient) {
  let connection: Connection = { state: "offline", lostAtMs: null, noNetwork: false, draining: false };
  const look = (draining: boolean): void => {
    const { state } = client;
    const lostAtMs = state === "online" ? null : (connection.lostAtMs ?? Date.now());
    connection = { state, lostAtMs, noNetwork: !navigator.onLine, draining: draining && state === "online" };
  };
  look(false);
  return {
    get: () => connection,
    subscribe: (onChange: () => void): (() => void) => {
      const lookAgain = (draining = connection.draining) => {
        look(draining);
        onChange();
      };
      const network = () => lookAgain();
      // It may have changed since the first look.
      look(connection.draining);
      const ends = [
        client.on("connection.changed", () => lookAgain()),
        client.on("server.draining", () => lookAgain(true)),
        client.on("ready", () => lookAgain(false)),
      ];
      addEventListener("online", network);
      addEventListener("offline", network);
      return () => {
        for (const end of ends) end();
        removeEventListener("online", network);
        removeEventListener("offline", network);
      };
    },
  };
}
