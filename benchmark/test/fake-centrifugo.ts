import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import { Answer, serveFake } from "./serve-fake.ts";

const STALE_MS = 10_000;
const PONG_MS = 8000;
const MESSAGE_BYTES = 65_536;
const MOST_CHANNEL_CHARACTERS = 255;

interface Claims {
  sub: string;
  exp: number;
  channels: string[];
}

interface Command {
  id?: number;
  connect?: { token?: string };
}

/**
 * A Centrifugo server with its default settings, as far as subscribers and publishers see it: the bidirectional JSON protocol and the
 * HTTP API. Sources: centrifugal/centrifuge (disconnect.go, errors.go, client.go) and centrifugal/centrifugo (internal/api,
 * internal/jwtverify, internal/middleware).
 */
export async function startFakeCentrifugo() {
  /** With whether they have answered a ping. */
  const channels = new Map<string, Map<WebSocket, boolean>>();
  const fake = {
    url: "",
    env: { CENTRIFUGO_TOKEN_SECRET: "secret", CENTRIFUGO_API_KEY: "key" },
    /** Reject every publication with this text. */
    rejectWith: undefined as string | undefined,
    close: () => server.close(),
  };

  const methods: Record<string, (params: Record<string, unknown>) => Promise<object> | object> = {
    info: () => ({ result: { nodes: [] } }),
    async publish({ channel, data }) {
      if (typeof channel !== "string" || channel.length > MOST_CHANNEL_CHARACTERS || data === undefined)
        return { error: { code: 107, message: "bad request" } };
      if (fake.rejectWith !== undefined) return { error: { code: 100, message: fake.rejectWith } };
      const members = channels.get(channel) ?? new Map<WebSocket, boolean>();
      // Nothing is delivered to clients that are silent.
      while ([...members.values()].includes(false)) await sleep(5);
      const push = JSON.stringify({ push: { channel, pub: { data } } });
      for (const socket of members.keys()) socket.send(push);
      return { result: {} };
    },
    async batch({ commands }) {
      const replies: object[] = [];
      for (const command of commands as Record<string, Record<string, unknown>>[]) {
        const [[name, params] = ["", {}]] = Object.entries(command);
        const { result, ...failure } = (await methods[name]!(params)) as { result?: object };
        replies.push(result ? { [name]: result } : failure);
      }
      return { replies };
    },
  };

  const server = await serveFake({
    answer({ route, headers, body }) {
      if (headers["x-api-key"] !== "key") return new Answer(401, "");
      const method = methods[route.replace("POST /api/", "")];
      return method
        ? Promise.resolve(method(body)).then((answer) => new Answer(200, answer))
        : new Answer(404, "404 page not found");
    },
    socketPath: "/connection/websocket",
    frameBytes: MESSAGE_BYTES,
    connected(socket) {
      let claims: Claims | undefined;
      let timer = setTimeout(() => socket.close(3502, "stale"), STALE_MS);
      socket.on("close", () => {
        clearTimeout(timer);
        for (const channel of claims?.channels ?? []) channels.get(channel)?.delete(socket);
      });
      const pong = () => {
        clearTimeout(timer);
        for (const channel of claims!.channels) channels.get(channel)!.set(socket, true);
      };
      const connect = (id: number, token: string | undefined) => {
        claims = verified(token);
        if (!claims) return socket.close(3500, "invalid token");
        const ttl = claims.exp - Math.floor(Date.now() / 1000);
        if (ttl <= 0)
          return socket.send(JSON.stringify({ id, error: { code: 109, message: "token expired" } }));
        const subs = Object.fromEntries(claims.channels.map((channel) => [channel, {}]));
        const reply = {
          id,
          connect: { client: "9ac9de4e", version: "6.3.0", subs, expires: true, ttl, ping: 25, pong: true },
        };
        // Replies can share a frame.
        socket.send(`${JSON.stringify(reply)}\n{}`);
        clearTimeout(timer);
        timer = setTimeout(() => socket.close(3012, "no pong"), PONG_MS);
        for (const channel of claims.channels) {
          if (!channels.has(channel)) channels.set(channel, new Map());
          channels.get(channel)!.set(socket, false);
        }
      };
      socket.on("message", (data: Buffer) => {
        for (const line of data.toString().split("\n")) {
          const { id, connect: request } = JSON.parse(line) as Command;
          if (line === "{}" && claims) pong();
          else if (id !== undefined && id > 0 && request && !claims) connect(id, request.token);
          else socket.close(3501, "bad request");
        }
      });
    },
  });
  fake.url = server.url;
  return fake;
}

function verified(token: string | undefined): Claims | undefined {
  const [header = "", payload = "", signature] = (token ?? "").split(".");
  const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as object;
  const expected = createHmac("sha256", "secret").update(`${header}.${payload}`).digest("base64url");
  if (signature !== expected || (decode(header) as { alg: string }).alg !== "HS256") return undefined;
  return decode(payload) as Claims;
}
