import type { ConnectionState, FanfareClient } from "@fanfare/client";
import { useEffect, useState } from "react";

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
  const [connection, setConnection] = useState(() => connectionNow(client));
  useEffect(() => {
    const change = (next: Partial<Connection>) => setConnection((now) => ({ ...now, ...next }));
    const network = () => change({ noNetwork: !navigator.onLine });
    const ends = [
      client.on("connection.changed", ({ state }) =>
        setConnection((now) => ({
          ...now,
          state,
          lostAtMs: state === "online" ? null : (now.lostAtMs ?? Date.now()),
          draining: now.draining && state === "online",
        })),
      ),
      client.on("server.draining", () => change({ draining: true })),
      client.on("ready", () => change({ draining: false })),
    ];
    addEventListener("online", network);
    addEventListener("offline", network);
    return () => {
      for (const end of ends) end();
      removeEventListener("online", network);
      removeEventListener("offline", network);
    };
  }, [client]);
  return connection;
}

function connectionNow(client: FanfareClient): Connection {
  return {
    state: client.state,
    lostAtMs: client.state === "online" ? null : Date.now(),
    noNetwork: !navigator.onLine,
    draining: false,
  };
}
