import { createHmac, randomBytes } from "node:crypto";
import { fromEnvironment, JsonApi } from "./json-api.ts";
import type { ServerEvent, TargetPlugin, WebSocketDialect } from "./plugin.ts";

const TOKEN_SECONDS = 86_400;

interface Reply {
  id?: number;
  error?: { code: number; message: string };
  connect?: object;
  push?: { pub?: { data?: { text?: unknown } } };
}

/** Centrifugo's JSON protocol: one or several replies in a frame, one a line; an empty one is a ping. */
export const CENTRIFUGO_DIALECT: WebSocketDialect = {
  transport: "websocket",
  path: "/connection/websocket",
  hello: (token) => JSON.stringify({ id: 1, connect: { token } }),
  waitsForReady: true,
  read: (frame) => String(frame).trim().split("\n").map(readReply),
};

function readReply(line: string): ServerEvent {
  const { error, connect, push, id } = JSON.parse(line) as Reply;
  if (error) return { kind: "refused", code: `${error.code}: ${error.message}` };
  if (connect) return { kind: "ready" };
  if (push?.pub) return { kind: "messages", contents: [push.pub.data?.text], revs: [0] };
  return id === undefined && !push ? { kind: "send", frame: "{}" } : { kind: "other" };
}

/** A running Centrifugo. Members are JSON Web Tokens that subscribe to the run's channel; nothing is created. */
export const centrifugo: TargetPlugin = {
  name: "centrifugo",
  dialect: CENTRIFUGO_DIALECT,
  async open({ url, onError, signal }) {
    if (url === undefined) throw new Error("set the address of the server with --url");
    const secret = fromEnvironment(
      "CENTRIFUGO_TOKEN_SECRET",
      "client.token.hmac_secret_key of the server's configuration",
    );
    const key = fromEnvironment("CENTRIFUGO_API_KEY", "http_api.key of the server's configuration");
    const api = new JsonApi({
      product: "Centrifugo",
      base: new URL("/api/", url),
      headers: { "x-api-key": key },
      onError,
      signal,
    });
    const call = async (method: string, body: object) => {
      const answer = await api.call<{ result?: unknown; error?: { message: string } }>(method, { body });
      if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    };
    const channel = `bench-${randomBytes(6).toString("hex")}`;
    let members = 0;
    return {
      urls: [url],
      join: async () => memberToken(`${channel}-${members++}`, channel, secret),
      openSender: async () => ({
        send: (text) => call("publish", { channel, data: { text } }),
        close: () => {},
      }),
      close: async () => {},
    };
  },
};

function memberToken(user: string, channel: string, secret: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: user, channels: [channel], exp })}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
