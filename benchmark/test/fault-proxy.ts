import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** What happens to a message on its way to a member; undefined: normal delivery. */
export type Fault =
  | "drop"
  | "duplicate"
  | "hold until the next"
  /** Instead of the message, the connection ends: closed, reset, or with half a packet. */
  | "close"
  | "reset"
  | "broken packet"
  | { delayMs: number }
  | { content: (content: string) => string }
  | undefined;

/** Members count from 0 in the order they registered; messages in sending order. */
export type FaultPlan = (member: number, message: number) => Fault;

export interface RoundCounts {
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
}

export interface FaultProxyOptions {
  faultOf?: FaultPlan;
  /** The number of the member with a token; undefined: not a member. Default: guests who registered through the proxy. */
  memberOf?: (token: string) => number | undefined;
}

/** Stands between the tester and a server, injects faults, and keeps an account of what it has delivered. */
export class FaultProxy {
  url = "";
  faultOf: FaultPlan;
  /** How long each request to the API is delayed. */
  requestDelayMs = 0;
  delayedRequests = 0;
  /** Members whose connection it has ended. */
  ended = 0;
  /** By its text, the number of each message that the server has sent. */
  readonly #messages = new Map<string, number>();
  /** The texts that each member got, in order. */
  readonly #delivered = new Map<number, string[]>();
  readonly #tokens: string[] = [];
  readonly #links = new Set<Link>();
  readonly #server: Server;
  readonly #memberOf: (token: string) => number | undefined;

  static async start(serverUrl: string, options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(Number(new URL(serverUrl).port), options);
    await new Promise<void>((resolve) => void proxy.#server.listen(0, "127.0.0.1", resolve));
    proxy.url = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  private constructor(port: number, { faultOf = () => undefined, memberOf }: FaultProxyOptions) {
    this.faultOf = faultOf;
    this.#memberOf = memberOf ?? ((token) => indexIn(this.#tokens, token));
    this.#server = createServer({ noDelay: true }, (client) => {
      const link = new Link(this, client, port);
      this.#links.add(link);
      client.once("close", () => this.#links.delete(link));
    });
  }

  registered(token: string): void {
    this.#tokens.push(token);
  }

  memberOf(token: string): number | undefined {
    return this.#memberOf(token);
  }

  fromServer(content: string, message: number): void {
    this.#messages.set(content, message);
  }

  delivered(member: number, content: string): void {
    this.#delivered.set(member, [...(this.#delivered.get(member) ?? []), content]);
  }

  /** What a tester must report for each message that was sent. */
  rounds(members: number, messages: number): RoundCounts[] {
    const rounds = Array.from({ length: messages }, () => {
      return { received: 0, lost: members, duplicates: 0, outOfOrder: 0 };
    });
    for (const contents of this.#delivered.values()) {
      const before = new Set<number>();
      for (const message of contents.map((content) => this.#messages.get(content))) {
        if (message === undefined) continue;
        const round = rounds[message]!;
        if (before.has(message)) {
          round.duplicates++;
          continue;
        }
        round.received++;
        round.lost--;
        if ([...before].some((earlier) => earlier > message)) round.outOfOrder++;
        before.add(message);
      }
    }
    return rounds;
  }

  /** The same for the whole run. */
  counts(members: number, messages: number): RoundCounts & { corrupted: number; dropped: number } {
    const rounds = this.rounds(members, messages);
    const sum = (of: keyof RoundCounts) => rounds.reduce((total, round) => total + round[of], 0);
    return {
      received: sum("received"),
      lost: sum("lost"),
      duplicates: sum("duplicates"),
      outOfOrder: sum("outOfOrder"),
      corrupted: [...this.#delivered.values()].flat().filter((content) => !this.#messages.has(content))
        .length,
      dropped: this.ended,
    };
  }

  async close(): Promise<void> {
    for (const link of this.#links) link.destroy();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }
}

interface Payload {
  messages: { content: string }[];
}

/** One connection of the tester, and the one to the server that belongs to it. */
class Link {
  readonly #proxy: FaultProxy;
  readonly #client: Socket;
  readonly #server: Socket;
  #isWebSocket: boolean | undefined;
  #registersGuest = false;
  #member: number | undefined;
  #fromServer: Buffer = Buffer.alloc(0);
  #fromClient: Buffer | undefined = Buffer.alloc(0);
  #hasHead = false;
  #held: (() => void)[] = [];

  constructor(proxy: FaultProxy, client: Socket, port: number) {
    this.#proxy = proxy;
    this.#client = client;
    this.#server = connect({ port, host: "127.0.0.1", noDelay: true });
    client.on("data", (chunk: Buffer) => this.#request(chunk));
    this.#server.on("data", (chunk: Buffer) => this.#response(chunk));
    for (const [from, to] of [
      [client, this.#server],
      [this.#server, client],
    ] as const) {
      from.on("end", () => to.end());
      from.on("close", (hadError) => (hadError ? to.resetAndDestroy() : to.destroySoon()));
      from.on("error", () => {});
    }
  }

  destroy(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #request(chunk: Buffer): void {
    const head = chunk.toString("latin1", 0, 100);
    this.#isWebSocket ??= head.startsWith("GET /socket.io/");
    if (this.#isWebSocket) {
      this.#findToken(chunk);
      this.#server.write(chunk);
      return;
    }
    const action = /^POST \/api\/(\S+)/.exec(head)?.[1];
    if (action !== undefined) this.#registersGuest = action === "user.createGuest";
    const { requestDelayMs } = this.#proxy;
    if (requestDelayMs === 0) return void this.#server.write(chunk);
    if (action !== undefined) this.#proxy.delayedRequests++;
    setTimeout(() => this.#server.write(chunk), requestDelayMs);
  }

  /** The client's first WebSocket frame is the Socket.IO CONNECT with its token. */
  #findToken(chunk: Buffer): void {
    if (!this.#fromClient) return;
    this.#fromClient = Buffer.concat([this.#fromClient, chunk]);
    const headEnd = this.#fromClient.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const frame = readFrame(this.#fromClient.subarray(headEnd + 4));
    if (!frame) return;
    this.#fromClient = undefined;
    const text = frame.payload.toString();
    if (!text.startsWith("40{")) return;
    const { token } = JSON.parse(text.slice(2)) as { token: string };
    this.#member = this.#proxy.memberOf(token);
  }

  #response(chunk: Buffer): void {
    if (!this.#isWebSocket) {
      this.#client.write(chunk);
      this.#findRegistration(chunk);
      return;
    }
    this.#fromServer = Buffer.concat([this.#fromServer, chunk]);
    if (!this.#hasHead) {
      const headEnd = this.#fromServer.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      this.#hasHead = true;
      this.#client.write(this.#fromServer.subarray(0, headEnd + 4));
      this.#fromServer = this.#fromServer.subarray(headEnd + 4);
    }
    for (let frame; (frame = readFrame(this.#fromServer));) {
      this.#fromServer = this.#fromServer.subarray(frame.bytes.length);
      this.#frame(frame);
    }
  }

  #findRegistration(chunk: Buffer): void {
    if (!this.#registersGuest) return;
    this.#fromServer = Buffer.concat([this.#fromServer, chunk]);
    const token = /"accessToken":"([^"]+)"/.exec(this.#fromServer.toString("latin1"))?.[1];
    if (token === undefined) return;
    this.#proxy.registered(token);
    this.#registersGuest = false;
    this.#fromServer = Buffer.alloc(0);
  }

  #frame({ bytes, payload }: Frame): void {
    const text = payload.toString();
    if (this.#member === undefined || !text.startsWith('42["message.created",'))
      return void this.#client.write(bytes);
    const [event, batch] = JSON.parse(text.slice(2)) as [string, Payload];
    for (const message of batch.messages) {
      const content = (changed: string) =>
        textFrame(`42${JSON.stringify([event, { ...batch, messages: [{ ...message, content: changed }] }])}`);
      this.#message(message.content, content);
    }
  }

  #message(content: string, frameOf: (content: string) => Buffer): void {
    const member = this.#member!;
    const message = Number(content.split(" ")[2]);
    this.#proxy.fromServer(content, message);
    const fault = this.#proxy.faultOf(member, message);
    const send = (changed = content) => {
      if (!this.#client.writable) return;
      this.#client.write(frameOf(changed));
      this.#proxy.delivered(member, changed);
    };
    if (fault === "hold until the next") return void this.#held.push(send);
    if (fault === "close" || fault === "reset" || fault === "broken packet") return this.#end(fault);
    if (fault === undefined) send();
    else if (fault === "duplicate") for (let copies = 0; copies < 2; copies++) send();
    else if (typeof fault === "object" && "delayMs" in fault) setTimeout(send, fault.delayMs);
    else if (typeof fault === "object") send(fault.content(content));
    const held = this.#held;
    this.#held = [];
    for (const late of held) late();
  }

  #end(how: "close" | "reset" | "broken packet"): void {
    this.#proxy.ended++;
    if (how === "reset") this.#client.resetAndDestroy();
    else if (how === "close") this.#client.end();
    else this.#client.write(textFrame('42["message.created",{'));
    if (how !== "broken packet") this.#server.destroy();
  }
}

function indexIn(tokens: readonly string[], token: string): number | undefined {
  const index = tokens.indexOf(token);
  return index === -1 ? undefined : index;
}

interface Frame {
  /** The frame as it was sent. */
  bytes: Buffer;
  payload: Buffer;
}

/** The first WebSocket frame (RFC 6455 section 5.2); undefined: incomplete. */
function readFrame(buffer: Buffer): Frame | undefined {
  if (buffer.length < 2) return undefined;
  const short = buffer[1]! & 127;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const mask = buffer[1]! & 128 ? buffer.subarray(2 + lengthBytes, 6 + lengthBytes) : undefined;
  const start = 2 + lengthBytes + (mask ? 4 : 0);
  if (buffer.length < start) return undefined;
  const length =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? buffer.readUInt16BE(2)
        : Number(buffer.readBigUInt64BE(2));
  if (buffer.length < start + length) return undefined;
  const payload = Buffer.from(buffer.subarray(start, start + length));
  if (mask) for (let i = 0; i < length; i++) payload[i] = payload[i]! ^ mask[i % 4]!;
  return { bytes: buffer.subarray(0, start + length), payload };
}

function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, payload.length < 126 ? payload.length : 126]);
  if (payload.length < 126) return Buffer.concat([head, payload]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(payload.length);
  return Buffer.concat([head, length, payload]);
}
