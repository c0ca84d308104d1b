import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@fanfare/testing";

/** As Matterbridge's source encodes it: `bridge/config/config.go`. */
export interface Message {
  text: string;
  channel: string;
  username: string;
  userid: string;
  avatar: string;
  account: string;
  event: string;
  protocol: string;
  gateway: string;
  parent_id: string;
  timestamp: string;
  id: string;
  Extra: Record<string, unknown[]> | null;
}

export interface Received {
  nick: string;
  text: string;
  avatar: string;
}

const EMPTY: Message = {
  text: "",
  channel: "",
  username: "",
  userid: "",
  avatar: "",
  account: "",
  event: "",
  protocol: "",
  gateway: "",
  parent_id: "",
  timestamp: "",
  id: "",
  Extra: null,
};
/** How often a stream looks for a message. */
const STREAM_MS = 100;

/**
 * The API of Matterbridge 1.26, after `bridge/api/api.go` and `gateway/gateway.go`, with one gateway to another network. Messages for
 * the API wait in a ring that each stream takes them from.
 */
export class FakeMatterbridge {
  readonly token = "a token of the API";
  readonly gateway = "irc";
  /** What the other network received. */
  readonly received: Received[] = [];
  onReceived: (received: Received) => void = () => undefined;
  readonly #port: number;
  readonly #buffer: number;
  #ring: Message[] = [];
  #server: Server | null = null;

  private constructor(port: number, buffer: number) {
    this.#port = port;
    this.#buffer = buffer;
  }

  /** @param buffer the length of the ring */
  static async start(buffer = 1000): Promise<FakeMatterbridge> {
    const fake = new FakeMatterbridge(await freePort(), buffer);
    await fake.start();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
  }

  /** As when its process ends: the ring is lost. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.#ring = [];
    server?.closeAllConnections();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** A message of the other network. */
  write(message: Partial<Message>): void {
    const { gateway } = this;
    const from = { channel: "#dev", account: "irc.libera", protocol: "irc", username: "ada", gateway };
    this.#ring.push({ ...EMPTY, ...from, timestamp: new Date().toISOString(), ...message });
    if (this.#ring.length > this.#buffer) this.#ring.shift();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const [, key] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (key === undefined) return void send(400, { message: "missing key in request header" });
    if (key !== this.token) return void send(401, { message: "Unauthorized" });
    switch (`${request.method} ${request.url}`) {
      case "GET /api/health":
        return void response.writeHead(200).end("OK");
      case "GET /api/stream":
        return this.#stream(response);
      case "POST /api/message":
        if (request.headers["content-type"] !== "application/json")
          return void send(415, { message: "Unsupported Media Type" });
        try {
          return void send(200, this.#post((await json(request)) as Partial<Message>));
        } catch (error) {
          return void send(400, { message: String(error) });
        }
      default:
        send(404, { message: "Not Found" });
    }
  }

  async #stream(response: ServerResponse): Promise<void> {
    const write = (message: Message) => response.write(`${JSON.stringify(message)}\n`);
    response.writeHead(200, { "content-type": "application/json" });
    write({ ...EMPTY, event: "api_connected", timestamp: new Date().toISOString() });
    while (!response.destroyed) {
      const message = this.#ring.shift();
      if (message !== undefined) write(message);
      await delay(STREAM_MS);
    }
  }

  #post(given: Partial<Message>): Message {
    const fixed = { channel: "api", protocol: "api", account: "api.fanfare", id: "" };
    const message = { ...EMPTY, ...given, ...fixed, timestamp: new Date().toISOString() };
    for (const name of Object.keys(EMPTY) as (keyof Message)[])
      if (name !== "Extra" && typeof message[name] !== "string")
        throw new Error(`cannot unmarshal ${typeof message[name]} into field ${name} of type string`);
    const isIgnored = message.text === "" || message.gateway !== this.gateway;
    // The other network has no edits and no deletions.
    if (!isIgnored && message.event !== "msg_delete") {
      const { username: nick, text, avatar } = message;
      this.received.push({ nick, text, avatar });
      this.onReceived({ nick, text, avatar });
    }
    return message;
  }
}
