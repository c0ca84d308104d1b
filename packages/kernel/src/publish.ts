import { DOMAIN_EVENTS, type DomainEventName, type DomainEvents } from "@fanfare/contract";
import {
  type Bus,
  createFanoutAdapter,
  Emitter,
  type EmitterOptions,
  type FanoutAdapterOptions,
  type Reception,
} from "@fanfare/fanout";
import type { ServiceBroker } from "moleculer";
import type { Logger } from "./logger.ts";
import { Counter, Gauge, type Registry } from "./metrics.ts";
import { currentScope } from "./request-scope.ts";
import type { Tracing } from "./tracing/tracing.ts";

interface FanoutOptions {
  /** null in a single-process instance. */
  bus: Bus | null;
  metrics: Registry;
  logger: Logger;
  /** Called when another process reports that its publications may be lost. */
  onMissed: () => void;
  /** undefined: publications are not traced. */
  tracing?: Pick<Tracing, "publication" | "traceOf" | "delivered"> | undefined;
}

export function createFanout(options: FanoutOptions): Fanout {
  const { bus, metrics, tracing } = options;
  const onPublished = bus === null ? undefined : countPublished(metrics);
  const fanout = new Fanout(options, onPublished);
  if (tracing === undefined) return fanout;
  const emit = fanout.emit.bind(fanout);
  fanout.emit = (rooms, event, ...rest) =>
    tracing.publication(event, rooms, () => emit(rooms, event, ...rest));
  return fanout;
}

/** Publishes to the sockets of this process's gateway and, in a cluster, of all other gateways. */
export class Fanout extends Emitter {
  readonly #options: FanoutOptions;
  readonly #onPublished: EmitterOptions["onPublished"];

  constructor(options: FanoutOptions, onPublished: EmitterOptions["onPublished"]) {
    super({ bus: options.bus, onPublished, traceOf: options.tracing?.traceOf });
    this.#options = options;
    this.#onPublished = onPublished;
  }

  /** The adapter for the Socket.IO server of this process. */
  createAdapter(options: FanoutAdapterOptions): ReturnType<typeof createFanoutAdapter> {
    const { bus, metrics, tracing, logger, onMissed } = this.#options;
    const traced = tracing === undefined ? options : withTracing(options, tracing);
    if (bus === null) return createFanoutAdapter(traced);
    return createFanoutAdapter({
      ...traced,
      ...countReceived(metrics),
      bus,
      onPublished: this.#onPublished,
      onBusError: (error) => logger.error({ err: error }, "invalid bus message"),
      onResync(sockets) {
        // Interruptions of this process's connection are reported by the bus.
        if (sockets === null) onMissed();
        else for (const socket of sockets) socket.emit("resync", {});
      },
    });
  }

  override emit(...[rooms, event, payload, except]: Parameters<Emitter["emit"]>): void {
    try {
      super.emit(rooms, event, payload, except);
    } catch (error) {
      if (this.#options.bus === null) throw error;
      // Too large for the bus: clients have to fetch it.
      this.#options.logger.error({ err: error, event }, "event not published");
      super.emit(rooms, "resync", {}, except);
    }
  }
}

/** Adds spans for writes to this process's sockets. */
function withTracing(
  options: FanoutAdapterOptions,
  tracing: NonNullable<FanoutOptions["tracing"]>,
): FanoutAdapterOptions {
  return {
    ...options,
    traceOf: tracing.traceOf,
    onBroadcast(stats) {
      options.onBroadcast?.(stats);
      tracing.delivered(stats);
    },
  };
}

function countPublished(metrics: Registry): NonNullable<EmitterOptions["onPublished"]> {
  const registers = [metrics];
  const published = new Counter({
    name: "fanfare_bus_published_total",
    help: "Messages published to the bus.",
    registers,
  });
  const publishedBytes = new Counter({
    name: "fanfare_bus_published_bytes_total",
    help: "Bytes of messages published to the bus.",
    registers,
  });
  return (copies, bytes) => {
    published.inc(copies);
    publishedBytes.inc(bytes);
  };
}

function countReceived(metrics: Registry) {
  const registers = [metrics];
  const received = new Counter({
    name: "fanfare_bus_received_total",
    help: "Bus messages received by this gateway, by whether it had sockets for them ('members').",
    labelNames: ["reception"],
    registers,
  });
  const receivedBytes = new Counter({
    name: "fanfare_bus_received_bytes_total",
    help: "Bytes of bus messages received by this gateway.",
    registers,
  });
  const subscriptions = new Gauge({
    name: "fanfare_bus_rooms",
    help: "Rooms that this gateway is subscribed to.",
    registers,
  });
  return {
    onReceived(reception: Reception, bytes: number) {
      received.inc({ reception });
      receivedBytes.inc(bytes);
    },
    onSubscriptions: (count: number) => subscriptions.set(count),
  };
}

export type Broadcast = <N extends DomainEventName>(name: N, payload: DomainEvents[N]) => void;

const LISTENERS_CACHE_MS = 100;

const subjectOf = (name: string): string => `fanfare.event.${name}`;

/**
 * Broadcasts events to the services of this process, synchronously, and to all other processes over the bus: also to those that
 * Moleculer considers dead at the moment, because they would keep using stale data.
 * @param bus null in a single-process instance
 * @param headersOf trace headers of an event; undefined without tracing
 */
export function createBroadcast(
  broker: ServiceBroker,
  bus: Bus | null,
  headersOf?: Tracing["headersOf"],
): Broadcast {
  interface BroadcastMessage {
    from: string;
    payload: unknown;
  }
  for (const [name, { delivery }] of Object.entries(DOMAIN_EVENTS)) {
    if (delivery !== "everyProcess") continue;
    bus?.subscribe(subjectOf(name), (message) => {
      const { from, payload } = JSON.parse(Buffer.from(message).toString()) as BroadcastMessage;
      if (from !== broker.nodeID) void broker.broadcastLocal(name, payload);
    });
  }
  const listenerCache = new Map<string, { has: boolean; untilMs: number }>();
  /** Cached for events that are emitted very often. */
  const hasListeners = (name: string): boolean => {
    const nowMs = Date.now();
    let known = listenerCache.get(name);
    if (known === undefined || nowMs > known.untilMs) {
      known = { has: broker.registry.events.getGroups(name).length > 0, untilMs: nowMs + LISTENERS_CACHE_MS };
      listenerCache.set(name, known);
    }
    return known.has;
  };
  return (name, payload) => {
    if (DOMAIN_EVENTS[name].delivery === "oneProcess") {
      if (!hasListeners(name)) return;
      // A handler in another process runs as part of the same request.
      const scope = currentScope();
      const meta = scope === undefined ? {} : { requestId: scope.requestId };
      const headers = scope === undefined ? undefined : headersOf?.(scope);
      void broker.emit(name, payload, { meta, ...(headers && { headers }) });
      return;
    }
    void broker.broadcastLocal(name, payload);
    const message: BroadcastMessage = { from: broker.nodeID, payload };
    bus?.publish(subjectOf(name), Buffer.from(JSON.stringify(message)));
  };
}
