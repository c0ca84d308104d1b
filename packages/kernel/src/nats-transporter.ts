import { randomBytes } from "node:crypto";
import { Assembly, cut, type Piece } from "@fanfare/fanout";
import { Transporters, type ServiceBroker } from "moleculer";
import { Events, headers, type NatsConnection } from "nats";

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
