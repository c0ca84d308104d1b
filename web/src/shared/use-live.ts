import type { ClientEvents, FanfareClient } from "@fanfare/client";
import { useEffect, useState } from "react";
import { errorText } from "./error-text.ts";

export type NamedEvent<N extends keyof ClientEvents> = {
  [K in N]: { name: K; payload: ClientEvents[K] };
}[N];

export interface LiveSource<S, N extends keyof ClientEvents> {
  events: readonly N[];
  load(client: FanfareClient): Promise<S>;
  /** The state after an event; the same event twice must give the same as once. */
  apply(state: S, event: NamedEvent<N>): S;
}

export interface Live<S> {
  state: S | null;
  error: string | null;
}

const NOTHING: Live<never> = { state: null, error: null };

/** More than this while loading, and it is loaded again instead. */
const MAX_EARLY_EVENTS = 500;

/**
 * State that is loaded once and kept up to date by events, and loaded again after the connection was lost. `source` must
 * keep its identity as long as it means the same.
 */
export function useLive<S, N extends keyof ClientEvents>(
  client: FanfareClient,
  source: LiveSource<S, N> | null,
): Live<S> {
  const [{ live, of }, setLive] = useState<{ live: Live<S>; of: unknown }>({ live: NOTHING, of: null });
  useEffect(() => {
    if (source === null) return undefined;
    return follow(client, source, (live) => setLive({ live, of: source }));
  }, [client, source]);
  return of === source ? live : NOTHING;
}

function follow<S, N extends keyof ClientEvents>(
  client: FanfareClient,
  source: LiveSource<S, N>,
  publish: (live: Live<S>) => void,
): () => void {
  let state: S | null = null;
  let early: NamedEvent<N>[] = [];
  let loading = false;
  /** Only the newest load counts. */
  let loads = 0;
  const load = async (): Promise<void> => {
    const number = ++loads;
    early = [];
    loading = true;
    try {
      const loaded = await source.load(client);
      if (number !== loads) return;
      if (early.length > MAX_EARLY_EVENTS) return await load();
      state = early.reduce<S>((current, event) => source.apply(current, event), loaded);
      publish({ state, error: null });
    } catch (error) {
      if (number === loads) publish({ state, error: errorText(error) });
    } finally {
      if (number === loads) loading = false;
    }
  };
  const hear = (event: NamedEvent<N>): void => {
    if (loading && early.length <= MAX_EARLY_EVENTS) early.push(event);
    if (state === null) return;
    state = source.apply(state, event);
    publish({ state, error: null });
  };
  const ends = source.events.map((name) => client.on(name, (payload) => hear({ name, payload })));
  ends.push(client.on("ready", () => void load()));
  // Before the connection is ready events may be missed: `ready` loads then.
  if (client.state === "online") void load();
  return () => {
    loads++;
    for (const end of ends) end();
  };
}
