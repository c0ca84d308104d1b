import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, type Socket } from "socket.io";

/** What happens to a message on its way to a member; undefined: normal delivery. */
export type Fault =
  | "drop"
  | "duplicate"
  | "hold until the next"
  | { delayMs: number }
  | { content: (content: string) => string }
  | undefined;

/** Members count from 0 in the order they registered; messages in sending order. */
export type FaultPlan = (member: number, message: number) => Fault;

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

/**
 * Implements as much of the platform's public protocol as the tester needs, over real sockets, with injected
 * faults.
 */
export async function startFakePlatform(faultOf: FaultPlan = () => undefined): Promise<FakePlatform> {
  const http = createServer();
  const io = new Server(http, { transports: ["websocket"], serveClient: false });
  const members = new Map<number, Socket>();
  const messages: { id: string; seq: number; rev: number; content: string }[] = [];
  const held = new Map<number, object[]>();
  let guests = 0;

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
    close: () => new Promise((resolve) => void io.close(() => resolve())),
  };

  const api: Record<string, (params: { after?: number; limit?: number }) => object> = {
    "user.register": () => ({ accessToken: "owner" }),
    "user.createGuest": () => ({ accessToken: `guest ${guests++}` }),
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
    const data = action(JSON.parse(await bodyOf(request)) as object);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ok: true, data }));
  });

  const deliver = (
    member: number,
    socket: Socket,
    payload: object,
    fault: Exclude<Fault, { content: unknown }>,
  ) => {
    const send = () => socket.emit("message.created", payload);
    const late = held.get(member) ?? [];
    held.delete(member);
    if (fault === "hold until the next") held.set(member, [...late, payload]);
    else if (typeof fault === "object") setTimeout(send, fault.delayMs);
    else if (fault !== "drop") send();
    if (fault === "duplicate") send();
    if (fault !== "hold until the next") for (const old of late) socket.emit("message.created", old);
  };

  io.use((_, next) => {
    if (platform.refuseWith === undefined) return next();
    next(Object.assign(new Error("refused"), { data: { type: platform.refuseWith } }));
  });
  io.on("connection", (socket) => {
    const { token } = socket.handshake.auth as { token: string };
    if (token !== "owner") members.set(Number(token.split(" ")[1]), socket);
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
      const number = Number(content.split(" ")[2]);
      for (const [member, receiver] of members) {
        const fault = faultOf(member, number);
        const isChanged = typeof fault === "object" && "content" in fault;
        const text = isChanged ? fault.content(content) : content;
        const payload = { channelId: ID, messages: [{ ...message, content: text }] };
        deliver(member, receiver, payload, isChanged ? undefined : fault);
      }
      acknowledge({ ok: true, data: { message } });
    });
  });

  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  platform.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return platform;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
