import { randomBytes } from "node:crypto";
import { type Bus, natsBus, Assembly, cut, type Piece } from "@fanfare/fanout";
import { connect, Events, type NatsConnection, headers } from "nats";
import { Counter, Gauge, type Registry } from "prom-client";
import { Transporters, type ServiceBroker } from "moleculer";
import type { Transport } from "./broker.ts";
import { unreachable } from "./errors.ts";
import type { Logger } from "./logger.ts";

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

type Packet = Parameters<Transporters.NATS["prepublish"]>[0];
interface Peer {
  id: string;
  metadata: { connections?: number } | null;
}

const REQUEST = "REQ";
/** Header of one piece of a split message: `<message> <index> <count>`. */
const PART = "Fanfare-Part";
/** Default max_payload of nats-server, and the part reserved for headers. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;
const HEADER_BYTES = 1024;

/**
 * Moleculer's NATS transporter with handling of interruptions. The original lets calls time out; this one fails new and pending
 * calls immediately while disconnected, and notifies the other nodes after reconnecting, so that they fail their calls to this node.
 * Messages larger than NATS accepts are split.
 */
export class NatsTransporter extends Transporters.NATS {
  #connections = 0;
  readonly #connectionsOf = new WeakMap<Peer, number>();

  readonly #connection: NatsConnection;
  readonly #pieces = new Assembly();
  #maxBytes = DEFAULT_MAX_PAYLOAD - HEADER_BYTES;

  /** @param connection stays open when the broker stops: its creator closes it */
  constructor(connection: NatsConnection) {
    super({});
    this.#connection = connection;
  }

  override async connect(): Promise<void> {
    this.client = this.#connection;
    this.#maxBytes = (this.#connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD) - HEADER_BYTES;
    void this.#watchConnection();
    this.#watchPeers(this.broker);
    await this.onConnected();
  }

  override async subscribe(command: string, nodeId?: string): Promise<void> {
    this.#connection.subscribe(this.getTopicName(command, nodeId), {
      callback: (error, { data, headers: labels }) => {
        if (error !== null) return;
        const label = labels?.get(PART);
        const whole = label === undefined ? asBuffer(data) : this.#pieces.add(readLabel(label), data);
        if (whole !== null) void this.receive(command, whole);
      },
    });
  }

  override async send(topic: string, data: Buffer): Promise<void> {
    if (data.length <= this.#maxBytes) {
      this.#connection.publish(topic, data);
      return;
    }
    const message = randomBytes(9).toString("base64url");
    for (const [{ id, index, count }, piece] of cut(message, data, this.#maxBytes)) {
      const labels = headers();
      labels.set(PART, `${id} ${index} ${count}`);
      this.#connection.publish(topic, piece, { headers: labels });
    }
  }

  override async disconnect(): Promise<void> {
    // A flush would wait for the connection.
    if (this.connected) await this.#connection.flush();
    this.connected = false;
  }

  override prepublish(packet: Packet): Promise<void> {
    // Moleculer doesn't remove a request that could not be sent.
    if (!this.connected && packet.type === REQUEST) this.transit.removePendingRequest(packet.payload.id);
    return super.prepublish(packet);
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === Events.Disconnect && this.connected) this.#lost();
      if (type === Events.Reconnect && !this.connected) await this.#regained();
    }
  }

  #lost(): void {
    this.connected = false;
    this.#pieces.clear();
    for (const node of this.broker.registry.nodes.toArray()) {
      if (!node.local) this.transit.removePendingRequestByNodeID(node.id);
    }
    void this.broker.broadcastLocal("$transporter.disconnected", { graceFul: false });
  }

  async #regained(): Promise<void> {
    this.#connections += 1;
    const { nodes } = this.broker.registry;
    if (nodes.localNode !== undefined) nodes.localNode.metadata = { connections: this.#connections };
    if (this.broker.started) this.broker.registry.regenerateLocalRawInfo(true);
    await this.onConnected(true);
  }

  #watchPeers({ localBus }: ServiceBroker): void {
    const note = ({ node }: { node: Peer }): void => {
      const connections = node.metadata?.connections ?? 0;
      if (connections !== (this.#connectionsOf.get(node) ?? 0))
        this.transit.removePendingRequestByNodeID(node.id);
      this.#connectionsOf.set(node, connections);
    };
    localBus.on("$node.connected", note);
    localBus.on("$node.updated", note);
  }
}

function readLabel(label: string): Piece {
  const [id = "", index, count] = label.split(" ");
  return { id, index: Number(index), count: Number(count) };
}

/** Not copied, because it is read immediately. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
