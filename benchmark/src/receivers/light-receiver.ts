import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import type { Dialect, Frame, LongPollDialect } from "../targets/plugin.ts";
import { CatchUp } from "./catch-up.ts";
import { lightServer, LightSocket, readBuffer, socketIoPath, type LightServer } from "./light-socket.ts";
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
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";

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
  find(
    bytes: Buffer,
    start: number,
    end: number,
    previous: KnownPacket | undefined,
  ): KnownPacket | undefined {
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

  add(
    bytes: Buffer,
    start: number,
    end: number,
    packet: Packet,
    previous: KnownPacket | undefined,
  ): KnownPacket {
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

/** Shared by all light receivers of a thread. */
interface Shared {
  serverOf: (assignment: Assignment) => LightServer;
  dialect: Exclude<Dialect, LongPollDialect>;
  runId: string;
  cache: PacketCache;
  buffer: Buffer;
  onRead: () => void;
}

export interface LightOptions<D = Dialect> {
  urls: readonly URL[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: D;
  runId: string;
  /** Called in every turn of the event loop with a read. */
  onRead: () => void;
}

/** Receivers on their own sockets: about a third of the cost of an official client. */
export function lightReceivers({ dialect, ...options }: LightOptions): OpenReceiver {
  if (dialect.transport === "long-poll") return longPollReceivers({ ...options, dialect });
  return lightMembers({ ...options, dialect });
}

/** Opens a receiver that can also make calls. */
export type OpenMember = (assignment: Assignment, observer: ReceiverObserver) => LightReceiver;

export function lightMembers(options: LightOptions<Shared["dialect"]>): OpenMember {
  const { urls, addresses, dialect, runId, onRead } = options;
  const { upgrade } = dialect;
  const open = (i: number, path = dialect.path, headers = {}) => {
    const whole = dialect.transport === "socket.io" ? socketIoPath(path) : path;
    return lightServer(urls[i]!, addresses[i]!, whole, headers);
  };
  const servers = urls.map((_, i) => open(i));
  const shared: Shared = {
    serverOf: ({ server, credential }) => {
      if (!upgrade) return servers[server]!;
      const { path, headers } = upgrade(credential);
      return open(server, path, headers);
    },
    dialect,
    runId,
    cache: new PacketCache(),
    buffer: readBuffer(),
    onRead,
  };
  return (assignment, observer) => new LightReceiver(shared, assignment, observer);
}

export class LightReceiver implements Receiver {
  readonly #shared: Shared;
  readonly #observer: ReceiverObserver;
  readonly #receiver: number;
  readonly #socket: LightSocket;
  readonly #catchUp: CatchUp | undefined;
  #credential: string | null;
  #isReady = false;
  #isOnline = false;
  #last: KnownPacket | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(shared: Shared, assignment: Assignment, observer: ReceiverObserver) {
    const { receiver, credential, localAddress, position } = assignment;
    this.#shared = shared;
    this.#observer = observer;
    this.#receiver = receiver;
    this.#credential = credential;
    const server = shared.serverOf(assignment);
    this.#socket = new LightSocket(server, localAddress, shared.buffer, this, shared.onRead);
    if (position === undefined) return;
    this.#catchUp = new CatchUp(position, {
      write: (frame) => this.#socket.write(frame),
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
    if (!this.#isReady || this.#socket.waitingBytes > MAX_WAITING_BYTES) return false;
    this.send(`42${id}${JSON.stringify([action, params])}`);
    return true;
  }

  /** Permanently stops reading, like a hung client. */
  stall(): void {
    this.#socket.stall();
  }

  close(): void {
    this.#socket.close();
  }

  destroy(): void {
    this.#stop();
    this.#socket.destroy();
  }

  opened(): void {
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

  ended(code: string): void {
    this.#stop();
    this.#observer.ended(this.#receiver, code);
  }

  text(bytes: Buffer, start: number, end: number): void {
    const receives = this.#observer.messages !== undefined;
    const kind = this.#observer.answered === undefined ? undefined : packetKind(bytes, start);
    if (kind === PacketKind.acknowledgement) return this.#answered(bytes, start, end);
    // Senders that don't receive don't decode events.
    if (kind === PacketKind.event && this.#isReady && !receives) return;
    this.#handle(this.#decode(Opcode.text, bytes, start, end));
  }

  binary(bytes: Buffer, start: number, end: number): void {
    this.#handle(this.#decode(Opcode.binary, bytes, start, end));
  }

  #answered(bytes: Buffer, start: number, end: number): void {
    const answer = readAnswer(bytes, start, end);
    if (answer) this.#observer.answered!(answer);
    else this.end("INVALID_ANSWER");
  }

  #stop(): void {
    this.#isReady = false;
    this.#catchUp?.stop();
    clearTimeout(this.#heartbeat);
  }

  end(code: string): void {
    this.#socket.end(code);
  }

  send(frame: Frame): void {
    const opcode = typeof frame === "string" ? Opcode.text : Opcode.binary;
    this.#socket.write(clientFrame(opcode, Buffer.from(frame)));
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
    switch (packet.kind) {
      case "ping":
        this.#socket.write(PONG);
        break;
      case "opened":
        this.#join();
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

  #join(): void {
    const { dialect } = this.#shared;
    if (dialect.transport === "socket.io") this.#socket.write(connectFrame(dialect, this.#credential));
  }

  #joined(): void {
    const { dialect } = this.#shared;
    if (dialect.transport === "socket.io" && dialect.hello)
      this.#socket.write(callFrame(dialect, dialect.hello));
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
