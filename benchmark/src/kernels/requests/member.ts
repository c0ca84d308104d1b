import type { WireError } from "@fanfare/contract";
import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import { LightSocket, type LightServer } from "../../receivers/light-socket.ts";
import { decodePacket, type Packet } from "../../receivers/packet.ts";
import type { PacketCache, KnownPacket } from "../../receivers/packet-cache.ts";
import type { SocketIoDialect } from "../../targets/plugin.ts";

/** A connection with this many unsent bytes is full: what is due then is not sent. */
const MAX_WAITING_BYTES = 1024 * 1024;
const PONG = clientFrame(Opcode.text, Buffer.from("3"));
const DIGIT = { zero: 0x30, event: 0x32, ack: 0x33, message: 0x34, nine: 0x39 } as const;
const OK = Buffer.from('[{"ok":true,');

/** Shared by the members of a thread. */
export interface MemberContext {
  buffer: Buffer;
  dialect: SocketIoDialect;
  runId: string;
  cache: PacketCache;
}

export interface MemberPlace {
  server: LightServer;
  token: string;
  localAddress: string | undefined;
}

/** The answer to a call, as far as a sender needs it. */
export type Answer =
  | { id: number; ok: true }
  | { id: number; ok: false; error: Pick<WireError, "type" | "retryable" | "data"> };

/** Callbacks of a member. None is called after `ended`. */
export interface MemberHandler {
  ready(): void;
  answered?(answer: Answer): void;
  /**
   * Indexes of messages in the run, -1 for others; and the revision of each in its channel. Absent: events are
   * not decoded.
   */
  messages?(indexes: readonly number[], revs: readonly number[]): void;
  resync?(): void;
  ended(code: string): void;
}

/** A connection that sends and receives: like a receiver, it decodes each distinct event once. */
export class Member {
  readonly #socket: LightSocket;
  readonly #context: MemberContext;
  readonly #handler: MemberHandler;
  readonly #token: string;
  #isReady = false;
  #last: KnownPacket | undefined;

  constructor(context: MemberContext, { server, token, localAddress }: MemberPlace, handler: MemberHandler) {
    this.#context = context;
    this.#handler = handler;
    this.#token = token;
    const socketHandler = {
      opened: () => {},
      text: (bytes: Buffer, start: number, end: number) => this.#text(bytes, start, end),
      ended: (code: string) => {
        this.#isReady = false;
        handler.ended(code);
      },
    };
    this.#socket = new LightSocket(server, localAddress, context.buffer, socketHandler, () => {});
  }

  /**
   * @param id returned with the answer
   * @returns false if it can't be sent: there is no connection, or it is full
   */
  call(id: number, action: string, params: object): boolean {
    if (!this.#isReady || this.#socket.waitingBytes > MAX_WAITING_BYTES) return false;
    this.#write(`42${id}${JSON.stringify([action, params])}`);
    return true;
  }

  /** Permanently stops reading, like a hung client. */
  stall(): void {
    this.#socket.stall();
  }

  /** Resets the connection, without further callbacks. */
  destroy(): void {
    this.#isReady = false;
    this.#socket.destroy();
  }

  #write(packet: string): void {
    this.#socket.write(clientFrame(Opcode.text, Buffer.from(packet)));
  }

  #text(bytes: Buffer, start: number, end: number): void {
    const kind = bytes[start] === DIGIT.message ? bytes[start + 1] : undefined;
    if (kind === DIGIT.ack) {
      const answer = readAnswer(bytes, start, end);
      if (answer) this.#handler.answered?.(answer);
      else this.#socket.end("INVALID_ANSWER");
    } else if (kind !== DIGIT.event || !this.#isReady || this.#handler.messages) {
      this.#obey(this.#decode(bytes, start, end));
    }
  }

  #decode(bytes: Buffer, start: number, end: number): Packet {
    const { cache, dialect, runId } = this.#context;
    const known = this.#isReady ? cache.find(bytes, start, end, this.#last) : undefined;
    if (known) {
      this.#last = known;
      return known.packet;
    }
    const packet = decodePacket(bytes.toString("utf8", start, end), dialect, runId);
    if (this.#isReady) this.#last = cache.add(bytes, start, end, packet, this.#last);
    return packet;
  }

  #obey(packet: Packet): void {
    switch (packet.kind) {
      case "opened":
        this.#write(`40${JSON.stringify({ token: this.#token })}`);
        break;
      case "ping":
        this.#socket.write(PONG);
        break;
      case "ready":
        this.#isReady = true;
        this.#handler.ready();
        break;
      case "messages":
        this.#handler.messages?.(packet.indexes, packet.revs);
        break;
      case "resync":
        this.#handler.resync?.();
        break;
      case "refused":
      case "closed":
      case "invalid":
        this.#socket.end(packet.code);
        break;
      default:
    }
  }
}

/**
 * Reads a Socket.IO acknowledgement, `43<id>[{"ok":…}]`. The result of a success is not decoded, because a
 * sender of many messages only counts them.
 * @returns undefined if it is something else
 */
export function readAnswer(bytes: Buffer, start: number, end: number): Answer | undefined {
  let at = start + 2;
  let id = 0;
  for (; at < end && bytes[at]! >= DIGIT.zero && bytes[at]! <= DIGIT.nine; at++)
    id = id * 10 + bytes[at]! - DIGIT.zero;
  if (at === start + 2 || at + OK.length > end) return undefined;
  if (bytes.compare(OK, 0, OK.length, at, at + OK.length) === 0) return { id, ok: true };
  try {
    const [answer] = JSON.parse(bytes.toString("utf8", at, end)) as [{ ok: boolean; error: WireError }];
    return answer.ok ? { id, ok: true } : { id, ok: false, error: answer.error };
  } catch {
    return undefined;
  }
}
