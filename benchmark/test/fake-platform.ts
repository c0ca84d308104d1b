import { Server, type Socket } from "socket.io";
import { FaultProxy, type FaultPlan } from "./fault-proxy.ts";
import { Answer, serveFake } from "./serve-fake.ts";

export interface FakePlatform {
  url: string;
  /** The actions called over HTTP. */
  calls: string[];
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

interface Params {
  channelId?: string;
  content?: string;
  after?: number;
  limit?: number;
}

interface SyncParams {
  cursors: [{ channelId: string; afterRev: number }];
}

const ID = "0123456789abcdef01234567";

/** Implements as much of the platform's public protocol as the tester needs, over real sockets, behind a proxy with faults. */
export async function startFakePlatform(faultOf?: FaultPlan): Promise<FakePlatform> {
  const io = new Server({ transports: ["websocket"], serveClient: false });
  const members = new Map<number, Socket>();
  const messages: { id: string; seq: number; rev: number; content: string }[] = [];
  let guests = 0;
  let proxy: FaultProxy | undefined;

  const platform: FakePlatform = {
    url: "",
    calls: [],
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
      await server.close();
    },
  };

  const send = ({ content }: { content?: string }) => {
    const rev = messages.length + 1;
    const message = { id: ID, seq: rev, rev, content: content! };
    messages.push(message);
    for (const receiver of members.values())
      receiver.emit("message.created", { channelId: ID, messages: [message] });
    return { message };
  };
  const api: Record<string, (params: Params) => object> = {
    "user.register": () => ({ accessToken: "owner" }),
    "user.login": () => ({ accessToken: "owner" }),
    "user.createGuest": () => ({ accessToken: `guest-${guests++}`, user: { id: ID } }),
    "group.create": () => ({ group: { id: ID }, channels: [{ id: ID }] }),
    "group.delete": () => ({}),
    "invite.create": () => ({ invite: { code: "welcome" } }),
    "invite.accept": () => ({ group: { id: ID }, channels: [{ id: ID }] }),
    "channel.openDirect": () => ({ channel: { id: ID } }),
    "channel.sync": () => ({ channels: [] }),
    "message.send": send,
    "message.list": ({ after = 0, limit = 50 }) => {
      const newer = messages.slice(platform.hideStored).filter(({ seq }) => seq > after);
      const page = newer
        .slice(0, limit)
        .flatMap((each) => platform.storedAs(each.content).map((content) => ({ ...each, content })));
      return { messages: page, hasMore: newer.length > limit, head: { seq: messages.length } };
    },
  };
  const server = await serveFake({
    attach: (http) => void io.attach(http),
    answer({ route, body }) {
      const error = { type: "CHANNEL_NOT_FOUND", message: "This channel does not exist.", retryable: false };
      const isKnown = (body["channelId"] ?? ID) === ID;
      const action = route.replace("POST /api/", "");
      platform.calls.push(action);
      return new Answer(200, isKnown ? { ok: true, data: api[action]!(body) } : { ok: false, error });
    },
  });
  platform.url = server.url;

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
    socket.on("message.send", (params: Params, acknowledge: (answer: object) => void) =>
      acknowledge({ ok: true, data: send(params) }),
    );
  });

  if (faultOf) {
    proxy = await FaultProxy.start(platform.url, { faultOf, memberOf });
    platform.url = proxy.url;
  }
  return platform;
}

function memberOf(token: string): number | undefined {
  return token === "owner" ? undefined : Number(token.split("-")[1]);
}
