import type { FanfareClient, ClientEvents } from "@fanfare/client";
import type { OwnUser } from "@fanfare/contract";
import { createContext, useContext, useEffect, useEffectEvent } from "react";

export const ClientContext = createContext<FanfareClient | null>(null);

/** The client of the user who is logged in. */
export function useClient(): FanfareClient {
  const client = useContext(ClientContext);
  if (client === null) throw new Error("useClient is for components within ClientContext.");
  return client;
}

export function useOwnUser(): OwnUser | null {
  return useClient().user;
}

/** Calls `listener` on every such event while the component is shown. */
export function useClientEvent<N extends keyof ClientEvents>(
  name: N,
  listener: (payload: ClientEvents[N]) => void,
): void {
  const client = useClient();
  const current = useEffectEvent(listener);
  useEffect(() => client.on(name, (payload) => current(payload)), [client, name]);
}
