import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ErrorCode, Message, WireAnswer } from "@fanfare/contract";
import { isRetryable } from "@fanfare/contract";
import { Server, type Socket } from "socket.io";
import { ModelChannel } from "./model-channel.ts";

export const CHANNEL_ID = "c".repeat(24);
const SESSION_ID = "5".repeat(24);

type Call = {
  name: string;
  params: Record<string, unknown>;
  by: "socket" | "http";
  token: string | undefined;
};

/** Simulates a gateway for one channel and one user, with configurable faults. */
export class FakeServer {
  readonly channel = new ModelChannel(CHANNEL_ID, 200);
  readonly calls: Call[] = [];
  /** Decides, per event, whether it reaches the clients. */
  loses: (message: Message) => boolean = () => false;
  /** An error to return instead of executing the call. */
  refuses: (call: Call) => { type: ErrorCode; data?: unknown } | undefined = () => undefined;
  /** Whether the result of an executed call is lost with its connection. */
  cutsAfter: (call: Call) => boolean = () => false;
  /** Delay of the result of a socket call; the call itself is executed immediately. */
  answersAfterMs = 0;
  answersRubbish = false;
  protocolVersion = 1;
  accessTokenLifetimeMs = 3_600_000;
  #tokens = 0;
  readonly #revokedTokens = new Set<string>();
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #io = new Server(this.#http, { transports: ["websocket"] });
  #port: number;

  constructor(port = 0) {
    this.#port = port;
  }

  async listen(): Promise<void> {
    this.#io.use((socket, next) => {
      const token = (socket.handshake.auth as { token?: string }).token;
      if (this.#isGood(token)) next();
      else next(Object.assign(new Error("refused"), { data: wireError("TOKEN_EXPIRED") }));
    });
    this.#io.on("connection", (socket) => this.#welcome(socket));
    await new Promise<void>((resolve) => this.#http.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get sockets(): number {
    return this.#io.sockets.sockets.size;
  }

  callsOf(name: string): Call[] {
    return this.calls.filter((call) => call.name === name);
  }

  /** Stores a message as if another user had sent it. */
  post(content: string): Message {
    const message = this.channel.create(content);
    this.publish("message.created", message);
    return message;
  }

  edit(which: number, content: string): void {
    const message = this.channel.edit(which, content);
    if (message !== undefined) this.publish("message.changed", message);
  }

  publish(name: "message.created" | "message.changed", message: Message): void {
    if (this.loses(message)) return;
    if (name === "message.changed") this.emit(name, { message });
    else this.emit(name, { channelId: CHANNEL_ID, messages: [message] });
  }

  emit(name: string, payload: unknown): void {
    this.#io.emit(name, payload);
  }

  cut(): void {
    this.#io.disconnectSockets(true);
  }

  expireTokens(): void {
    for (let i = 1; i <= this.#tokens; i++) this.#revokedTokens.add(`access${i}`);
  }

  async close(): Promise<void> {
    await this.#io.close();
  }

  #welcome(socket: Socket): void {
    socket.onAny((name: string, params: Record<string, unknown>, acknowledge: (answer: unknown) => void) => {
      const call: Call = { name, params, by: "socket", token: undefined };
      const answer = this.#answer(call);
      if (this.cutsAfter(call)) socket.disconnect(true);
      else if (this.answersAfterMs === 0) acknowledge(answer);
      else setTimeout(() => acknowledge(answer), this.answersAfterMs);
    });
    const serverTime = new Date().toISOString();
    const { protocolVersion } = this;
    socket.emit("ready", { userId: "a".repeat(24), sessionId: SESSION_ID, protocolVersion, serverTime });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = request.headers.authorization?.slice("Bearer ".length);
    const name = request.url!.slice("/api/".length);
    const params = JSON.parse(await text(request)) as Record<string, unknown>;
    const call: Call = { name, params, by: "http", token };
    const open = name === "user.createGuest" || name === "user.refresh";
    const answer = open || this.#isGood(token) ? this.#answer(call) : refusal("TOKEN_EXPIRED");
    if (this.cutsAfter(call)) request.socket.destroy();
    else response.end(this.answersRubbish ? "<html>" : JSON.stringify(answer));
  }

  #isGood(token: string | undefined): boolean {
    return token !== undefined && !this.#revokedTokens.has(token);
  }

  #answer(call: Call): WireAnswer<unknown> {
    this.calls.push(call);
    const error = this.refuses(call);
    if (error !== undefined) return refusal(error.type, error.data);
    return { ok: true, data: this.#carryOut(call) };
  }

  #carryOut({ name, params }: Call): unknown {
    switch (name) {
      case "user.createGuest":
      case "user.refresh":
        return this.#newTokens();
      case "message.list":
        return this.channel.list(params as { limit: number; before?: number });
      case "message.send":
        return { message: this.#send(params as { content: string; nonce: string; resend?: boolean }) };
      case "channel.sync": {
        const { cursors } = params as { cursors: { channelId: string; afterRev: number }[] };
        const answers = cursors.map(({ channelId, afterRev }) => ({
          ...this.channel.sync(afterRev),
          channelId,
        }));
        return { channels: answers };
      }
      case "channel.markRead":
        return { lastReadSeq: params["seq"] };
      case "channel.markUnread":
        return { lastReadSeq: Number(params["seq"]) - 1 };
      default:
        return {};
    }
  }

  #send({ content, nonce }: { content: string; nonce: string }): Message {
    const known = this.channel.messages.find((message) => message.nonce === nonce);
    if (known !== undefined) return known;
    const message = this.channel.create(content, nonce);
    this.publish("message.created", message);
    return message;
  }

  #newTokens() {
    const number = ++this.#tokens;
    const accessTokenExpiresAt = new Date(Date.now() + this.accessTokenLifetimeMs).toISOString();
    const user = { id: "a".repeat(24), nickname: "Guest", kind: "guest" };
    const tokens = { accessToken: `access${number}`, refreshToken: `refresh${number}` };
    return { user, sessionId: SESSION_ID, accessTokenExpiresAt, ...tokens };
  }
}

function wireError(type: ErrorCode, data?: unknown) {
  return { type, message: "An ordered fault.", data, retryable: isRetryable(type), requestId: "r" };
}

function refusal(type: ErrorCode, data?: unknown): WireAnswer<never> {
  return { ok: false, error: wireError(type, data) };
}

/** Waits until `condition` holds, up to the test's own timeout. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
