import {
  createFanoutAdapter,
  Emitter,
  type EmitterOptions,
  type FanoutAdapterOptions,
  type Bus,
  type Reception,
} from "@fanfare/fanout";
import type { Logger } from "./logger.ts";
import { Counter, Gauge, type Registry } from "./metrics.ts";
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
