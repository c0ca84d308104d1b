import { type Bus, natsBus } from "@fanfare/fanout";
import { connect, Events, type NatsConnection } from "nats";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Transport } from "./broker.ts";
import { unreachable } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { NatsTransporter } from "./nats-transporter.ts";

/** Reconnects without limit, and detects a hung server within three seconds. */
const OPTIONS = {
  timeout: 3000,
  pingInterval: 1000,
  maxPingOut: 2,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  maxReconnectAttempts: -1,
  // By default the client gives up after two authentication errors, which can be temporary while a password is changed.
  ignoreAuthErrorAbort: true,
};

/**
 * Connects to NATS.
 * @param url `nats://[user:password@]host[:port]`, or several, separated by commas
 * @throws {StartError}
 */
export async function connectNats(url: string, name: string): Promise<NatsConnection> {
  const urls = url.split(",").map((one) => new URL(one.trim()));
  const { username, password } = urls[0]!;
  const user = decodeURIComponent(username);
  const credentials = user === "" ? {} : { user, pass: decodeURIComponent(password) };
  const servers = urls.map(({ host }) => host);
  try {
    return await connect({ ...OPTIONS, ...credentials, servers, name });
  } catch (error) {
    throw unreachable("NATS", servers.join(", "), error, "Start it, or correct NATS_URL.");
  }
}

/** Broker options for a cluster of processes. */
export function natsTransport(connection: NatsConnection): Transport {
  return { transporter: new NatsTransporter(connection), hasHeartbeats: true };
}

/**
 * The bus for publications and events on a connection.
 * @param onInterrupted called when publications of other processes may have been lost
 */
export function createBus(
  connection: NatsConnection,
  { logger, metrics }: { logger: Logger; metrics: Registry },
  onInterrupted: () => void,
): Bus {
  void watchNats(connection, { logger, metrics });
  const dropped = new Counter({
    name: "fanfare_bus_dropped_total",
    help: "Publications dropped because NATS was unavailable for too long. Clients receive `resync`.",
    registers: [metrics],
  });
  const bus = natsBus(connection, {
    onDropped: () => dropped.inc(),
    onError: (error) => logger.error({ err: error }, "NATS error"),
  });
  bus.onInterrupted(() => {
    logger.warn("NATS reconnected");
    onInterrupted();
  });
  return bus;
}

const TRAFFIC = [
  { name: "fanfare_nats_received_bytes_total", help: "Bytes received from NATS.", of: "inBytes" },
  { name: "fanfare_nats_sent_bytes_total", help: "Bytes sent to NATS.", of: "outBytes" },
  { name: "fanfare_nats_received_messages_total", help: "Messages received from NATS.", of: "inMsgs" },
  { name: "fanfare_nats_sent_messages_total", help: "Messages sent to NATS.", of: "outMsgs" },
] as const;

/** Logs a disconnect once, and each reason for which NATS rejects the connection, such as `AUTHORIZATION_VIOLATION`. */
async function watchNats(
  connection: NatsConnection,
  { logger, metrics }: { logger: Logger; metrics: Registry },
): Promise<void> {
  const registers = [metrics];
  const connected = new Gauge({
    name: "fanfare_nats_connected",
    help: "1 if connected to NATS, otherwise 0.",
    registers,
  });
  connected.set(1);
  const reconnects = new Counter({
    name: "fanfare_nats_reconnects_total",
    help: "Reconnections to NATS.",
    registers,
  });
  for (const { name, help, of } of TRAFFIC) {
    const counter = new Counter({
      name,
      help,
      registers,
      collect() {
        counter.reset();
        counter.inc(connection.stats()[of]);
      },
    });
  }
  let said = new Set<string>();
  const sayOnce = (reason: string, message: string): void => {
    if (said.has(reason)) return;
    said.add(reason);
    logger.warn({ reason }, message);
  };
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect) {
      connected.set(0);
      sayOnce("disconnected", "there is no connection to NATS");
    }
    if (type === Events.Reconnect) {
      connected.set(1);
      reconnects.inc();
      said = new Set();
    }
    if (type === Events.Error && typeof data === "string") sayOnce(data, "NATS refuses something");
  }
  connected.set(0);
}
