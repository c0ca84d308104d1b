import type { ClientEvents } from "@fanfare/client";

/** Listens to an event as long as the cache is kept up. */
export type On = <N extends keyof ClientEvents>(
  name: N,
  listener: (payload: ClientEvents[N]) => void,
) => void;
