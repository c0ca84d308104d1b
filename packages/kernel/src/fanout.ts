import {
  BusEmitter,
  createFanoutAdapter,
  LocalFanout,
  type Emitter,
  type FanoutAdapterOptions,
  type FanoutBus,
} from "@fanfare/fanout";
import type { Logger } from "./logger.ts";
import { Counter, Gauge, type Registry } from "./metrics.ts";
import type { Tracing } from "./tracing/tracing.ts";

type SocketServer = Parameters<LocalFanout["attach"]>[0];

/** How a process reaches sockets: those of its own gateway, and in a cluster those of all the others. */
export interface Fanout extends Emitter {
  /** The adapter that the socket server of this process is to be made with. */
  createAdapter(options: FanoutAdapterOptions): ReturnType<typeof createFanoutAdapter>;
  /** From now on there is a socket server here. */
  attach(io: SocketServer): void;
  detach(): void;
}

export interface FanoutOptions {
  /** null: this process is the whole instance. */
  bus: FanoutBus | null;
  metrics: Registry;
  logger: Logger;
  /** Called when another process says that what it published may be lost. */
  onMissed: () => void;
  /** undefined: publications are not traced. */
  tracing?: Pick<Tracing, "publication" | "traceOf" | "delivered"> | undefined;
}

export function createFanout(options: FanoutOptions): Fanout {
  const { bus, tracing } = options;
  const fanout = bus === null ? new AloneFanout(tracing) : new BusFanout({ ...options, bus });
  if (tracing === undefined) return fanout;
  const emit = fanout.emit.bind(fanout);
  fanout.emit = (rooms, event, ...rest) =>
    tracing.publication(event, rooms, () => emit(rooms, event, ...rest));
  return fanout;
}

/** The spans of what this process's sockets are written, besides what the gateway wants to know. */
function traced(options: FanoutAdapterOptions, tracing: FanoutOptions["tracing"]): FanoutAdapterOptions {
  if (tracing === undefined) return options;
  return {
    ...options,
    traceOf: tracing.traceOf,
    onBroadcast(stats) {
      options.onBroadcast?.(stats);
      tracing.delivered(stats);
    },
  };
}

class AloneFanout extends LocalFanout implements Fanout {
  readonly #tracing: FanoutOptions["tracing"];

  constructor(tracing: FanoutOptions["tracing"]) {
    super();
    this.#tracing = tracing;
  }

  createAdapter(options: FanoutAdapterOptions): ReturnType<typeof createFanoutAdapter> {
    return createFanoutAdapter(traced(options, this.#tracing));
  }
}

/** Through the socket server where there is one, so that what concerns sockets of this process takes no detour. */
class BusFanout implements Fanout {
  readonly #options: FanoutOptions & { bus: FanoutBus };
  readonly #onPublished: (copies: number, bytes: number) => void;
  readonly #emitter: BusEmitter;
  readonly #local = new LocalFanout();
  #current: Emitter;

  constructor(options: FanoutOptions & { bus: FanoutBus }) {
    this.#options = options;
    const registers = [options.metrics];
    const published = new Counter({
      name: "fanfare_bus_published_total",
      help: "Messages put on the bus for sockets of any gateway.",
      registers,
    });
    const publishedBytes = new Counter({
      name: "fanfare_bus_published_bytes_total",
      help: "Size of the messages put on the bus for sockets of any gateway.",
      registers,
    });
    this.#onPublished = (copies, bytes) => {
      published.inc(copies);
      publishedBytes.inc(bytes);
    };
    this.#emitter = new BusEmitter(options.bus, {
      onPublished: this.#onPublished,
      traceOf: options.tracing?.traceOf,
    });
    this.#current = this.#emitter;
  }

  createAdapter(options: FanoutAdapterOptions): ReturnType<typeof createFanoutAdapter> {
    const { bus, metrics, logger, onMissed, tracing } = this.#options;
    const registers = [metrics];
    const received = new Counter({
      name: "fanfare_bus_received_total",
      help: "Messages of the bus that came to this gateway, by whether it had sockets to give them to ('members').",
      labelNames: ["reception"],
      registers,
    });
    const receivedBytes = new Counter({
      name: "fanfare_bus_received_bytes_total",
      help: "Size of the messages of the bus that came to this gateway.",
      registers,
    });
    const subscriptions = new Gauge({
      name: "fanfare_bus_rooms",
      help: "Rooms that this gateway listens to.",
      registers,
    });
    return createFanoutAdapter({
      ...traced(options, tracing),
      bus,
      onPublished: this.#onPublished,
      onReceived(reception, bytes) {
        received.inc({ reception });
        receivedBytes.inc(bytes);
      },
      onSubscriptions: (count) => subscriptions.set(count),
      onBusError: (error) => logger.error({ err: error }, "a message of the bus could not be read"),
      onResync(sockets) {
        // Of its own interruption a process hears in any case.
        if (sockets === null) onMissed();
        else for (const socket of sockets) socket.emit("resync", {});
      },
    });
  }

  attach(io: SocketServer): void {
    this.#local.attach(io);
    this.#current = this.#local;
  }

  detach(): void {
    this.#current = this.#emitter;
    this.#local.detach();
  }

  emit(rooms: string | readonly string[], event: string, payload: unknown, except?: readonly string[]): void {
    try {
      this.#current.emit(rooms, event, payload, except);
    } catch (error) {
      // Too large for the bus: then everybody has to fetch it.
      this.#options.logger.error({ err: error, event }, "an event could not be published");
      this.#current.emit(rooms, "resync", {}, except);
    }
  }

  socketsJoin(...args: Parameters<Emitter["socketsJoin"]>): void {
    this.#current.socketsJoin(...args);
  }

  socketsLeave(...args: Parameters<Emitter["socketsLeave"]>): void {
    this.#current.socketsLeave(...args);
  }

  disconnectSockets(room: string): void {
    this.#current.disconnectSockets(room);
  }

  publishResync(): void {
    this.#current.publishResync();
  }
}
