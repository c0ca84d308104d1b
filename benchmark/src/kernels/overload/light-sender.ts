import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import { LightSocket, type LightServer } from "../../receivers/light-socket.ts";
import { readAnswer, type Answer } from "./answer-frame.ts";

/** A connection with this many unsent bytes is full: what is due then is not sent. */
const MAX_WAITING_BYTES = 1024 * 1024;
const PONG = clientFrame(Opcode.text, Buffer.from("3"));
const DIGIT = { open: 0x30, ping: 0x32, message: 0x34, connect: 0x30, event: 0x32, ack: 0x33 } as const;
const READY = Buffer.from('["ready"');

export interface LightSenderHandler {
  ready(): void;
  answered(answer: Answer): void;
  ended(code: string): void;
}

/** A connection that sends; it decodes no events, only answers to its own calls. */
export class LightSender {
  readonly #socket: LightSocket;
  readonly #handler: LightSenderHandler;
  readonly #token: string;
  #isReady = false;

  constructor(
    server: LightServer,
    buffer: Buffer,
    token: string,
    localAddress: string | undefined,
    handler: LightSenderHandler,
  ) {
    this.#handler = handler;
    this.#token = token;
    this.#socket = new LightSocket(
      server,
      localAddress,
      buffer,
      {
        opened: () => {},
        text: (bytes, start, end) => this.#text(bytes, start, end),
        ended: (code) => {
          this.#isReady = false;
          handler.ended(code);
        },
      },
      () => {},
    );
  }

  /** @returns false if it can't be sent: there is no connection, or it is full */
  send(id: number, params: object): boolean {
    if (!this.#isReady || this.#socket.waitingBytes > MAX_WAITING_BYTES) return false;
    const call = `42${id}${JSON.stringify(["message.send", params])}`;
    this.#socket.write(clientFrame(Opcode.text, Buffer.from(call)));
    return true;
  }

  /** Permanently stops reading. */
  stall(): void {
    this.#socket.stall();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #text(bytes: Buffer, start: number, end: number): void {
    switch (bytes[start]) {
      case DIGIT.open:
        this.#socket.write(
          clientFrame(Opcode.text, Buffer.from(`40${JSON.stringify({ token: this.#token })}`)),
        );
        break;
      case DIGIT.ping:
        this.#socket.write(PONG);
        break;
      case DIGIT.message:
        this.#packet(bytes, start, end);
        break;
      default:
    }
  }

  #packet(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start + 1];
    if (type === DIGIT.ack) {
      const answer = readAnswer(bytes, start, end);
      if (answer) this.#handler.answered(answer);
    } else if (type === DIGIT.event) {
      const isReady = bytes.subarray(start + 2, start + 2 + READY.length).equals(READY);
      if (!isReady || this.#isReady) return;
      this.#isReady = true;
      this.#handler.ready();
    } else if (type !== DIGIT.connect) {
      this.#socket.end("REFUSED");
    }
  }
}
