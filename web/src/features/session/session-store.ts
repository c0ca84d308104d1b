import { FanfareClient } from "@fanfare/client";
import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { loadTokens, saveTokens } from "./token-storage.ts";

interface Session {
  /** Null when nobody is logged in. */
  client: FanfareClient | null;
  /** Why nobody is logged in any more. */
  notice: string | null;
}

let session: Session = { client: null, notice: null };
const listeners = new Set<() => void>();

/** The session of this tab: it lives as long as the tab, whatever is shown. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}

/**
 * Logs in and makes that the session of this tab.
 * @throws {FanfareError} what `work` throws
 */
export async function logIn(work: (client: FanfareClient) => Promise<unknown>): Promise<void> {
  const client = new FanfareClient({ url: location.origin });
  await work(client);
  begin(client);
}

export async function logOut(): Promise<void> {
  const { client } = session;
  if (client === null) return;
  change({ client: null, notice: null });
  saveTokens(null);
  // When the server cannot be reached the tokens are forgotten here all the same.
  await client.logout().catch(() => undefined);
}

function begin(client: FanfareClient): void {
  saveTokens(client.tokens);
  client.on("tokens.changed", (tokens) => {
    if (session.client === client) saveTokens(tokens);
  });
  client.on("connection.changed", ({ state, error }) => {
    if (state !== "closed" || session.client !== client) return;
    const outdated = error?.type === "PROTOCOL_MISMATCH";
    const notice = outdated ? i18next.t("session:updated") : i18next.t("session:sessionEnded");
    change({ client: null, notice });
  });
  change({ client, notice: null });
  // A session that ended is told by the state; anything else is tried again for ever.
  client.connect({ timeoutMs: 0 }).catch(() => undefined);
}

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const kept = loadTokens();
if (kept !== null) {
  const client = new FanfareClient({ url: location.origin });
  client.useTokens(kept);
  begin(client);
}
