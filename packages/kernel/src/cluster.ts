import type { ServiceBroker } from "moleculer";
import { ESSENTIAL_SERVICES } from "@fanfare/contract";

/** State of the other processes of the cluster. */
export interface Cluster {
  /** Why the cluster cannot serve users at the moment; empty if it can. */
  faults(): string[];
  /**
   * Calls `listener` when events for this process may have been lost: its connection was interrupted, or another process crashed,
   * possibly between storing a change and publishing it.
   */
  onMissed(listener: () => void): void;
}

export interface WatchedCluster extends Cluster {
  /** Call it when publications of other processes may have been lost. */
  missed(): void;
}

const essential: ReadonlySet<string> = new Set(ESSENTIAL_SERVICES);

/** Processes often disappear together; their disappearance is reported once. */
const GATHER_MS = 200;

type NodeEvent = { node: { id: string; services?: { name: string }[] }; unexpected: boolean };

/** @param needed the services that this process can't serve users without */
export function watchCluster(
  { localBus, registry, transit }: ServiceBroker,
  needed: readonly string[],
): WatchedCluster {
  const listeners: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const missed = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const listener of listeners) listener();
    }, GATHER_MS).unref();
  };
  localBus.on("$node.disconnected", ({ node, unexpected }: NodeEvent) => {
    if (unexpected && node.services?.some(({ name }) => essential.has(name))) missed();
  });
  return {
    missed,
    onMissed: (listener: () => void) => void listeners.push(listener),
    faults(): string[] {
      if (transit === undefined) return [];
      if (!transit.tx.connected) return ["there is no connection to NATS"];
      const away = needed.filter(
        (name) => !registry.services.services.some((service) => service.name === name),
      );
      return away.length === 0 ? [] : [`no process answers for ${away.join(", ")}`];
    },
  };
}
