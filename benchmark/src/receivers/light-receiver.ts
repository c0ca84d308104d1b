import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import type { Dialect, Frame, LongPollDialect } from "../targets/plugin.ts";
import { CatchUp } from "./catch-up.ts";
import { createHandshake, LightSocket, type LightServer } from "./light-socket.ts";
import { longPollReceivers } from "./long-poll-receiver.ts";
import {
  callFrame,
  connectFrame,
  decodePacket,
  obey,
  packetKind,
  PacketKind,
  readAnswer,
  type Packet,
} from "./packet.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver, ReceiverOptions } from "./receiver.ts";
import { placeOf } from "./transport.ts";

/** A known payload with its decoded packet. */
export interface KnownPacket {
  bytes: Buffer;
  packet: Packet;
  /** What followed it on the connection that last received it: the most likely next payload of others. */
  next: KnownPacket | undefined;
}

const MAX_ENTRIES = 256;
const MAX_ENTRY_BYTES = 256 * 1024;

/**
 * In a broadcast every connection gets the same bytes, so each distinct payload is decoded once. Payloads are
 * only equal if every byte is.
 */
export class PacketCache {
  readonly #entries: KnownPacket[] = [];
  #newest = -1;

  /** @param previous what this connection received before, if anything */
  find(bytes: Buffer, start: number, end: number, previous?: KnownPacket): KnownPacket | undefined {
    const expected = previous?.next;
    if (expected && isSame(expected, bytes, start, end)) return expected;
    // Newest first: a miss of the guess above is nearly always a message that has just been added.
    for (let i = 0; i < this.#entries.length; i++) {
      const entry = this.#entries[(this.#newest - i + MAX_ENTRIES) % MAX_ENTRIES];
      if (!entry || !isSame(entry, bytes, start, end)) continue;
      if (previous) previous.next = entry;
      return entry;
    }
    return undefined;
  }

  add(bytes: Buffer, start: number, end: number, packet: Packet, previous?: KnownPacket): KnownPacket {
    const entry = { bytes: Buffer.copyBytesFrom(bytes, start, end - start), packet, next: undefined };
    if (previous) previous.next = entry;
    if (end - start <= MAX_ENTRY_BYTES) {
      this.#newest = (this.#newest + 1) % MAX_ENTRIES;
      this.#entries[this.#newest] = entry;
    }
    return entry;
  }
}

function isSame(entry: KnownPacket, bytes: Buffer, start: number, end: number): boolean {
  return (
    entry.bytes.length === end - start && bytes.compare(entry.bytes, 0, entry.bytes.length, start, end) === 0
  );
}

/** A connection with this many unsent bytes is full: what is due then is not sent. */
const MAX_WAITING_BYTES = 1024 * 1024;
const PONG = clientFrame(Opcode.text, Buffer.from("3"));

/** Of one buffer for all connections of a thread: its content is used before the next read. */
const READ_BUFFER_BYTES = 256 * 1024;

interface LightOptions<D = Dialect> extends Required<ReceiverOptions<D>> {
  /** The IP address of each server: looked up once, not once per connection. */
  addresses: readonly string[];
}

type SocketOptions = LightOptions<Exclude<Dialect, LongPollDialect>>;

/** Shared by all light receivers of a thread. */
interface Shared extends Pick<SocketOptions, "dialect" | "runId" | "onRead"> {
  serverOf: (assignment: Assignment) => LightServer;
  cache: PacketCache;
  buffer: Buffer;
}

/** Receivers on their own sockets: about a third of the cost of an official client. */
export function lightReceivers({ dialect, ...options }: LightOptions): OpenReceiver {
  if (dialect.transport === "long-poll") return longPollReceivers({ ...options, dialect });
  return lightMembers({ ...options, dialect });
}

/** Opens a receiver that can also make calls. */
export type OpenMember = (assignment: Assignment, observer: ReceiverObserver) => LightReceiver;

export function lightMembers({ urls, addresses, ...options }: SocketOptions): OpenMember {
  const { dialect } = options;
  const serverAt = (i: number, path = dialect.path, headers = {}): LightServer => {
    const whole = dialect.transport === "socket.io" ? `${path}?EIO=4&transport=websocket` : path;
    return { place: placeOf(urls[i]!, addresses[i]!), handshake: createHandshake(urls[i]!, whole, headers) };
  };
  const servers = urls.map((_, i) => serverAt(i));
  const shared: Shared = {
    ...options,
    serverOf: ({ server, credential }) => {
      if (!dialect.upgrade) return servers[server]!;
      const { path, headers } = dialect.upgrade(credential);
      return serverAt(server, path, headers);
    },
    cache: new PacketCache(),
    buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES),
  };
  return (assignment, observer) => new LightReceiver(shared, assignment, observer);
}

export class LightReceiver extends LightSocket implements Receiver {
  readonly #shared: Shared;
  readonly #observer: ReceiverObserver;
  readonly #receiver: number;
  readonly #catchUp: CatchUp | undefined;
  #credential: string | null;
  #isReady = false;
  #isOnline = false;
  #last: KnownPacket | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(shared: Shared, assignment: Assignment, observer: ReceiverObserver) {
    const { receiver, credential, localAddress, position } = assignment;
    super(shared.serverOf(assignment), localAddress, shared.buffer, shared.onRead);
    this.#shared = shared;
    this.#observer = observer;
    this.#receiver = receiver;
    this.#credential = credential;
    if (position === undefined) return;
    this.#catchUp = new CatchUp(position, {
      write: (frame) => this.write(frame),
      recovered: (indexes) => observer.messages?.(receiver, indexes, "sync", []),
      caughtUp: () => this.#goOnline(),
      failed: (code) => this.end(code),
    });
  }

  /**
   * Calls an action of the platform.
   * @param id returned with the answer
   * @returns false if it can't be sent: there is no connection, or it is full
   */
  call(id: number, action: string, params: object): boolean {
    if (!this.#isReady || this.waitingBytes > MAX_WAITING_BYTES) return false;
    this.send(`42${id}${JSON.stringify([action, params])}`);
    return true;
  }

  override destroy(): void {
    this.#isReady = false;
    this.#catchUp?.stop();
    clearTimeout(this.#heartbeat);
    super.destroy();
  }

  protected opened(): void {
    const { dialect } = this.#shared;
    if (dialect.transport !== "websocket") return;
    const { hello, heartbeat, waitsForReady } = dialect;
    if (hello) this.send(hello(this.#credential));
    if (heartbeat) {
      const beat = () => {
        this.send(heartbeat.frame);
        this.#heartbeat = setTimeout(beat, heartbeat.everyMs);
      };
      this.#heartbeat = setTimeout(beat, Math.random() * heartbeat.everyMs);
    }
    if (!waitsForReady) this.#ready();
  }

  protected ended(code: string): void {
    this.#observer.ended(this.#receiver, code);
  }

  protected text(bytes: Buffer, start: number, end: number): void {
    const receives = this.#observer.messages !== undefined;
    const kind = this.#observer.answered === undefined ? undefined : packetKind(bytes, start);
    if (kind === PacketKind.acknowledgement) return this.#answered(bytes, start, end);
    // Senders that don't receive don't decode events.
    if (kind === PacketKind.event && this.#isReady && !receives) return;
    this.#handle(this.#decode(Opcode.text, bytes, start, end));
  }

  protected binary(bytes: Buffer, start: number, end: number): void {
    this.#handle(this.#decode(Opcode.binary, bytes, start, end));
  }

  #answered(bytes: Buffer, start: number, end: number): void {
    const answer = readAnswer(bytes, start, end);
    if (answer) this.#observer.answered!(answer);
    else this.end("INVALID_ANSWER");
  }

  send(frame: Frame): void {
    const opcode = typeof frame === "string" ? Opcode.text : Opcode.binary;
    this.write(clientFrame(opcode, Buffer.from(frame)));
  }

  #decode(opcode: number, bytes: Buffer, start: number, end: number): Packet {
    const { cache, dialect, runId } = this.#shared;
    // Packets before a connection is ready are its own (session ids), so caching them is useless.
    const known = this.#isReady ? cache.find(bytes, start, end, this.#last) : undefined;
    if (known) {
      this.#last = known;
      return known.packet;
    }
    const frame = opcode === Opcode.text ? bytes.toString("utf8", start, end) : bytes.subarray(start, end);
    const packet = decodePacket(frame, dialect, runId, this.#credential);
    if (this.#isReady) this.#last = cache.add(bytes, start, end, packet, this.#last);
    return packet;
  }

  #handle(packet: Packet): void {
    const { dialect } = this.#shared;
    switch (packet.kind) {
      case "ping":
        this.write(PONG);
        break;
      case "opened":
        if (dialect.transport === "socket.io") this.write(connectFrame(dialect, this.#credential));
        break;
      case "joined":
        this.#joined();
        break;
      case "several":
        for (const each of packet.packets) this.#handle(each);
        break;
      case "ready":
        this.#ready();
        break;
      case "answer":
        this.#catchUp?.answered(packet.answer);
        break;
      default:
        obey(packet, this.#receiver, this.#observer, this);
        if (packet.kind === "messages") this.#catchUp?.received(packet.revs);
        else if (packet.kind === "resync") this.#catchUp?.start();
    }
  }

  #joined(): void {
    const { dialect } = this.#shared;
    if (dialect.transport === "socket.io" && dialect.hello) this.write(callFrame(dialect, dialect.hello));
    if (!dialect.waitsForReady) this.#ready();
  }

  #ready(): void {
    this.#isReady = true;
    this.#credential = null;
    if (this.#catchUp) this.#catchUp.start();
    else this.#goOnline();
  }

  #goOnline(): void {
    this.#isReady = true;
    if (this.#isOnline) return;
    this.#isOnline = true;
    this.#observer.online(this.#receiver);
  }
}
