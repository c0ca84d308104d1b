import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import { readAnswer, type Answer } from "../overload/answer-frame.ts";
import { LightSocket, type LightServer } from "../../receivers/light-socket.ts";
import { decodePacket, type Packet } from "../../receivers/packet.ts";
import type { PacketCache, KnownPacket } from "../../receivers/packet-cache.ts";
import type { Dialect } from "../../targets/dialect.ts";

/** A connection with this many unsent bytes is full: what is due then is not sent. */
const MAX_WAITING_BYTES = 1024 * 1024;
const PONG = clientFrame(Opcode.text, Buffer.from("3"));
const DIGIT = { message: 0x34, ack: 0x33 } as const;

/** Shared by the members of a thread. */
export interface MemberContext {
  buffer: Buffer;
  dialect: Dialect;
  runId: string;
  cache: PacketCache;
}

export interface MemberPlace {
  server: LightServer;
  token: string;
  localAddress: string | undefined;
}

/** Callbacks of a member. None is called after `ended`. */
export interface MemberHandler {
  ready(): void;
  answered(answer: Answer): void;
  /** Indexes of messages in the run, -1 for others; and the revision of each in its channel. */
  messages(indexes: readonly number[], revs: readonly number[]): void;
  resync(): void;
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

  get isReady(): boolean {
    return this.#isReady;
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

  /** Resets the connection, without further callbacks. */
  destroy(): void {
    this.#isReady = false;
    this.#socket.destroy();
  }

  #write(packet: string): void {
    this.#socket.write(clientFrame(Opcode.text, Buffer.from(packet)));
  }

  #text(bytes: Buffer, start: number, end: number): void {
    if (bytes[start] === DIGIT.message && bytes[start + 1] === DIGIT.ack) {
      const answer = readAnswer(bytes, start, end);
      if (answer) this.#handler.answered(answer);
      else this.#socket.end("INVALID_ANSWER");
    } else {
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
        this.#handler.messages(packet.indexes, packet.revs);
        break;
      case "resync":
        this.#handler.resync();
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
