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
  /** The next login of each of these members is never answered. */
  hangs: Set<number>;
  /** These messages are not in the answers to `channel.sync` either. */
  forgotten: Set<number>;
  /** How long new access tokens say they are valid. */
  tokenMs: number;
  /** Called with each action over HTTP, and "connect" for each connection. */
  onUse: (what: string) => void;
  /** Rejects all access tokens of until now, and those that it has not issued. */
  expireTokens(): void;
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
  refreshToken?: string;
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
  /** Access tokens, by whether they are still valid. */
  const tokens = new Map<string, boolean>();
  let isAnyValid = true;
  let guests = 0;
  let proxy: FaultProxy | undefined;

  const platform: FakePlatform = {
    url: "",
    calls: [],
    hideStored: 0,
    storedAs: (content) => [content],
    refuseWith: undefined,
    hangs: new Set(),
    forgotten: new Set(),
    syncs: 0,
    tokenMs: 900_000,
    onUse: () => {},
    expireTokens: () => {
      isAnyValid = false;
      for (const token of tokens.keys()) tokens.set(token, false);
    },
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
  const isValid = (token: string) => tokens.get(token) ?? isAnyValid;
  /** @param user "owner" or "guest-7", whose tokens are "guest-7", "guest-7-2" … */
  const issue = (user: string, number = 1) => {
    const accessToken = number === 1 ? user : `${user}-${number}`;
    tokens.set(accessToken, true);
    const accessTokenExpiresAt = new Date(Date.now() + platform.tokenMs).toISOString();
    return { accessToken, accessTokenExpiresAt, refreshToken: `${user} ${number}`, user: { id: ID } };
  };
  const api: Record<string, (params: Params) => object> = {
    "user.register": () => issue("owner"),
    "user.createGuest": () => issue(`guest-${guests++}`),
    "user.refresh": ({ refreshToken }) => {
      const [user, number] = refreshToken!.split(" ");
      return issue(user!, Number(number) + 1);
    },
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
  const resultOf = (action: string, params: Params) => {
    const error = { type: "CHANNEL_NOT_FOUND", message: "This channel does not exist.", retryable: false };
    const isKnown = (params.channelId ?? ID) === ID;
    return isKnown ? { ok: true, data: api[action]!(params) } : { ok: false, error };
  };
  const server = await serveFake({
    attach: (http) => void io.attach(http),
    answer({ route, body, headers }) {
      const token = headers.authorization?.replace("Bearer ", "");
      if (token !== undefined && !isValid(token))
        return new Answer(401, {
          ok: false,
          error: { type: "TOKEN_EXPIRED", message: "", retryable: false },
        });
      const action = route.replace("POST /api/", "");
      platform.calls.push(action);
      platform.onUse(action);
      return new Answer(200, resultOf(action, body));
    },
  });
  platform.url = server.url;

  io.use(({ handshake }, next) => {
    const { token } = handshake.auth as { token: string };
    const type = platform.refuseWith ?? (isValid(token) ? undefined : "TOKEN_EXPIRED");
    next(type === undefined ? undefined : Object.assign(new Error("refused"), { data: { type } }));
  });
  io.on("connection", (socket) => {
    const { token } = socket.handshake.auth as { token: string };
    const member = memberOf(token);
    if (member !== undefined) members.set(member, socket);
    platform.onUse("connect");
    if (!platform.hangs.delete(member ?? -1)) socket.emit("ready", {});
    socket.on("channel.sync", ({ cursors }: SyncParams, acknowledge: (answer: object) => void) => {
      const { channelId, afterRev } = cursors[0];
      const changed = messages.filter(({ rev }) => rev > afterRev && !platform.forgotten.has(rev - 1));
      const head = { seq: messages.length, rev: messages.length };
      if (afterRev > 0) platform.syncs += 1;
      acknowledge({ ok: true, data: { channels: [{ channelId, status: "ok", messages: changed, head }] } });
    });
    for (const action of ["message.send", "message.list"])
      socket.on(action, (params: Params, acknowledge: (answer: object) => void) =>
        acknowledge(resultOf(action, params)),
      );
  });

  if (faultOf) {
    proxy = await FaultProxy.start(platform.url, { faultOf, memberOf });
    platform.url = proxy.url;
  }
  return platform;
}

function memberOf(token: string): number | undefined {
  return token.startsWith("owner") ? undefined : Number(token.split("-")[1]);
}
