import { createHmac } from "node:crypto";
import { fromEnvironment, running, type JsonApi } from "./json-api.ts";
import type { Sender, ServerEvent } from "./plugin.ts";

const TOKEN_SECONDS = 86_400;

interface Failure {
  code: number;
  message: string;
}

interface Reply {
  id?: number;
  error?: Failure;
  connect?: object;
  push?: { pub?: { data?: { text?: unknown } } };
}

/** An empty reply is a ping. */
function readReply(line: string): ServerEvent {
  const { error, connect, push, id } = JSON.parse(line) as Reply;
  if (error) return { kind: "refused", code: codeOf(error) };
  if (connect) return { kind: "ready" };
  if (push?.pub) return { kind: "messages", contents: [push.pub.data?.text], revs: [0] };
  return id === undefined && !push ? { kind: "send", frame: "{}" } : { kind: "other" };
}

function codeOf({ code, message }: Failure): string {
  return `${code}: ${message}`;
}

/** A running Centrifugo. Members are JSON Web Tokens that subscribe to the run's channel; nothing is created. */
export const centrifugo = running({
  name: "centrifugo",
  product: "Centrifugo",
  base: "/api/",
  dialect: {
    transport: "websocket",
    path: "/connection/websocket",
    hello: (token) => JSON.stringify({ id: 1, connect: { token } }),
    waitsForReady: true,
    // A frame has one or several replies, one a line.
    read: (frame) => String(frame).trim().split("\n").map(readReply),
  },
  async open({ existing, name, newUser, openApi }) {
    const secret = existing
      ? ""
      : fromEnvironment(
          "CENTRIFUGO_TOKEN_SECRET",
          "client.token.hmac_secret_key of the server's configuration",
        );
    const key = fromEnvironment("CENTRIFUGO_API_KEY", "http_api.key of the server's configuration");
    const advice = { HTTP_401: "Is CENTRIFUGO_API_KEY the server's http_api.key?" };
    const api = openApi({ headers: { "x-api-key": key }, advice });
    // A wrong address or key ends the run before the members connect.
    await api.call("info", { body: {} });
    const channel = existing?.channel ?? name;
    return {
      join: async () => memberToken(newUser().username, channel, secret),
      openSender: async () => batchSender(api, channel),
    };
  },
});

/** Messages that wait for an answer go together in the next request, which publishes them in order. */
function batchSender(api: JsonApi, channel: string): Sender {
  let last: Promise<unknown> = Promise.resolve();
  let next: { commands: object[]; replies: Promise<Reply[]> } | undefined;
  const openBatch = () => {
    const commands: object[] = [];
    const replies = last.then(async () => {
      next = undefined;
      return (await api.call<{ replies: Reply[] }>("batch", { body: { commands } })).replies;
    });
    last = replies.catch(() => {});
    return { commands, replies };
  };
  return {
    async send(text) {
      next ??= openBatch();
      const { commands, replies } = next;
      const index = commands.push({ publish: { channel, data: { text } } }) - 1;
      const error = (await replies)[index]?.error;
      if (error) throw new Error(codeOf(error));
    },
    close: () => {},
  };
}

function memberToken(user: string, channel: string, secret: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: user, channels: [channel], exp })}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
