import type { FanfareClient } from "@fanfare/client";
import type { OwnUser } from "@fanfare/contract";
import { createContext, useContext } from "react";

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
