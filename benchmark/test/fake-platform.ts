import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, type Socket } from "socket.io";
import { FaultProxy, type FaultPlan } from "./fault-proxy.ts";

export interface FakePlatform {
  url: string;
  /** The API's answer to `message.list` omits this many messages. */
  hideStored: number;
  /** The contents that it has instead of that of a message. */
  storedAs: (content: string) => readonly string[];
  /** Reject every connection with this code. */
  refuseWith: string | undefined;
  /** These messages are not in the answers to `channel.sync` either. */
  forgotten: Set<number>;
  /** How often members who had messages called `channel.sync`. */
  syncs: number;
  /** Ends the connections of all members, like a crashed server. */
  cutAll(): void;
  close(): Promise<void>;
}

interface SyncParams {
  cursors: [{ channelId: string; afterRev: number }];
}

const ID = "0123456789abcdef01234567";

/** Implements as much of the platform's public protocol as the tester needs, over real sockets, behind a proxy with faults. */
export async function startFakePlatform(faultOf?: FaultPlan): Promise<FakePlatform> {
  const http = createServer();
  const io = new Server(http, { transports: ["websocket"], serveClient: false });
  const members = new Map<number, Socket>();
  const messages: { id: string; seq: number; rev: number; content: string }[] = [];
  let guests = 0;
  let proxy: FaultProxy | undefined;

  const platform: FakePlatform = {
    url: "",
    hideStored: 0,
    storedAs: (content) => [content],
    refuseWith: undefined,
    forgotten: new Set(),
    syncs: 0,
    cutAll: () => {
      for (const member of members.values()) member.conn.close();
    },
    close: async () => {
      await proxy?.close();
      await new Promise<void>((resolve) => void io.close(() => resolve()));
    },
  };

  const api: Record<string, (params: { channelId?: string; after?: number; limit?: number }) => object> = {
    "user.register": () => ({ accessToken: "owner" }),
    "user.createGuest": () => ({ accessToken: `guest-${guests++}` }),
    "group.create": () => ({ group: { id: ID }, channels: [{ id: ID }] }),
    "group.delete": () => ({}),
    "invite.create": () => ({ invite: { code: "welcome" } }),
    "invite.accept": () => ({ group: { id: ID }, channels: [{ id: ID }] }),
    "message.list": ({ after = 0, limit = 50 }) => {
      const newer = messages.slice(platform.hideStored).filter(({ seq }) => seq > after);
      const page = newer
        .slice(0, limit)
        .flatMap((each) => platform.storedAs(each.content).map((content) => ({ ...each, content })));
      return { messages: page, hasMore: newer.length > limit };
    },
  };
  http.on("request", async (request, response) => {
    if (!request.url?.startsWith("/api/")) return;
    const action = api[request.url.slice("/api/".length)]!;
    const params = JSON.parse(await bodyOf(request)) as { channelId?: string };
    const error = { type: "CHANNEL_NOT_FOUND", message: "This channel does not exist.", retryable: false };
    const isKnown = (params.channelId ?? ID) === ID;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isKnown ? { ok: true, data: action(params) } : { ok: false, error }));
  });

  io.use((_, next) => {
    if (platform.refuseWith === undefined) return next();
    next(Object.assign(new Error("refused"), { data: { type: platform.refuseWith } }));
  });
  io.on("connection", (socket) => {
    const { token } = socket.handshake.auth as { token: string };
    const member = memberOf(token);
    if (member !== undefined) members.set(member, socket);
    socket.emit("ready", {});
    socket.on("channel.sync", ({ cursors }: SyncParams, acknowledge: (answer: object) => void) => {
      const { channelId, afterRev } = cursors[0];
      const changed = messages.filter(({ rev }) => rev > afterRev && !platform.forgotten.has(rev - 1));
      const head = { seq: messages.length, rev: messages.length };
      if (afterRev > 0) platform.syncs += 1;
      acknowledge({ ok: true, data: { channels: [{ channelId, status: "ok", messages: changed, head }] } });
    });
    socket.on("message.send", ({ content }: { content: string }, acknowledge: (answer: object) => void) => {
      const rev = messages.length + 1;
      const message = { id: ID, seq: rev, rev, content };
      messages.push(message);
      for (const receiver of members.values())
        receiver.emit("message.created", { channelId: ID, messages: [message] });
      acknowledge({ ok: true, data: { message } });
    });
  });

  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  platform.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  if (faultOf) {
    proxy = await FaultProxy.start(platform.url, { faultOf, memberOf });
    platform.url = proxy.url;
  }
  return platform;
}

function memberOf(token: string): number | undefined {
  return token === "owner" ? undefined : Number(token.split("-")[1]);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
