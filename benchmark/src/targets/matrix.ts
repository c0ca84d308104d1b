import { createHmac, randomBytes } from "node:crypto";
import { fromEnvironment, JsonApi } from "./json-api.ts";
import type { LongPollDialect, PollRequest, ServerEvent, TargetPlugin } from "./plugin.ts";

const CLIENT = "/_matrix/client/v3/";
const ADMIN = "/_synapse/admin/";
/** A longer gap in a room's timeline makes the server leave out messages. */
const TIMELINE_EVENTS = 1000;
const HOLD_MS = 30_000;
/** Synapse hashes each member's password. */
const MOST_REGISTRATIONS = 8;

interface Session {
  token: string;
  roomId: string;
}

interface TimelineEvent {
  type: string;
  content: { body?: unknown };
}

interface Sync {
  next_batch: string;
  rooms?: { join?: Record<string, { timeline?: { events: TimelineEvent[]; limited?: boolean } }> };
}

/** The client-server API 1.x: `/sync` holds until the room has a message. */
const MATRIX_DIALECT: LongPollDialect = {
  transport: "long-poll",
  path: `${CLIENT}sync`,
  hello: (credential) => syncRequest(JSON.parse(credential!) as Session, undefined),
  read(body, credential) {
    const session = JSON.parse(credential!) as Session;
    const { next_batch, rooms } = JSON.parse(body) as Sync;
    const timeline = rooms?.join?.[session.roomId]?.timeline;
    const texts = (timeline?.events ?? [])
      .filter(({ type }) => type === "m.room.message")
      .map(({ content }) => content.body);
    const events: ServerEvent[] = [
      { kind: "ready" },
      { kind: "poll", request: syncRequest(session, next_batch) },
    ];
    if (timeline?.limited === true) events.push({ kind: "resync" });
    if (texts.length > 0) events.push({ kind: "messages", contents: texts, revs: texts.map(() => 0) });
    return events;
  },
};

function syncRequest({ token, roomId }: Session, since: string | undefined): PollRequest {
  const none = { types: [] };
  // The first answer only says where the timeline ends.
  const timeline = since === undefined ? none : { types: ["m.room.message"], limit: TIMELINE_EVENTS };
  const room = { rooms: [roomId], timeline, state: none, ephemeral: none, account_data: none };
  const query = new URLSearchParams({
    filter: JSON.stringify({ room, presence: none, account_data: none }),
    set_presence: "offline",
    timeout: String(since === undefined ? 0 : HOLD_MS),
    ...(since === undefined ? {} : { since }),
  });
  return { path: `?${String(query)}`, headers: { authorization: `Bearer ${token}` } };
}

/** A running Synapse, with users that its shared secret creates and that are deactivated at the end. */
export const matrix: TargetPlugin = {
  name: "matrix",
  dialect: MATRIX_DIALECT,
  mostRegistrations: MOST_REGISTRATIONS,
  async open({ url, onError, signal }) {
    if (url === undefined) throw new Error("set the address of the homeserver with --url");
    const secret = fromEnvironment(
      "MATRIX_REGISTRATION_SECRET",
      "registration_shared_secret of the homeserver's configuration",
    );
    const open = (stop: AbortSignal) => new JsonApi({ product: "Synapse", base: url, onError, signal: stop });
    const api = open(signal);
    const run = `bench-${randomBytes(5).toString("hex")}`;
    const users: string[] = [];
    const register = async (isAdmin: boolean) => {
      const { nonce } = await api.call<{ nonce: string }>(`${ADMIN}v1/register`);
      const [username, password] = [`${run}-${users.length}`, randomBytes(18).toString("base64url")];
      users.push("");
      const parts = [nonce, username, password, isAdmin ? "admin" : "notadmin"];
      const mac = createHmac("sha1", secret).update(parts.join("\0")).digest("hex");
      const body = { nonce, username, password, admin: isAdmin, mac };
      const user = await api.call<{ access_token: string; user_id: string }>(`${ADMIN}v1/register`, { body });
      users[users.indexOf("")] = user.user_id;
      return { token: user.access_token, id: user.user_id };
    };
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const owner = await register(true);
    const unlimit = (id: string) =>
      api.call(`${ADMIN}v1/users/${encodeURIComponent(id)}/override_ratelimit`, {
        body: { messages_per_second: 0, burst_count: 0 },
        headers: as(owner.token),
      });
    await unlimit(owner.id);
    const { room_id: roomId } = await api.call<{ room_id: string }>(`${CLIENT}createRoom`, {
      body: { preset: "public_chat", name: run },
      headers: as(owner.token),
    });
    const room = `${CLIENT}rooms/${encodeURIComponent(roomId)}`;
    let sent = 0;
    let isClosed = false;
    return {
      urls: [url],
      async join() {
        const { token, id } = await register(false);
        await unlimit(id);
        await api.call(`${room}/join`, { body: {}, headers: as(token) });
        return JSON.stringify({ token, roomId } satisfies Session);
      },
      openSender: async () => ({
        send: async (body) => {
          const path = `${room}/send/m.room.message/${run}.${sent++}`;
          await api.call(path, {
            method: "PUT",
            body: { msgtype: "m.text", body },
            headers: as(owner.token),
          });
        },
        close: () => {},
      }),
      async countStored(isMeasured) {
        let stored = 0;
        for (let from = ""; ;) {
          const path = `${room}/messages?dir=b&limit=500${from === "" ? "" : `&from=${encodeURIComponent(from)}`}`;
          const page = await api.callAgain<{ chunk: TimelineEvent[]; end?: string }>(path, {
            headers: as(owner.token),
          });
          stored += page.chunk.filter(
            ({ content }) => typeof content.body === "string" && isMeasured(content.body),
          ).length;
          if (page.end === undefined) return stored;
          from = page.end;
        }
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        const last = open(AbortSignal.timeout(60_000));
        const headers = as(owner.token);
        try {
          await last.call(`${ADMIN}v2/rooms/${encodeURIComponent(roomId)}`, {
            method: "DELETE",
            body: {},
            headers,
          });
          for (const id of users.filter(Boolean).toReversed())
            await last.call(`${ADMIN}v1/deactivate/${encodeURIComponent(id)}`, {
              body: { erase: true },
              headers,
            });
        } catch (error) {
          process.stderr.write(`Could not delete the run's room and users (${(error as Error).message}).\n`);
        }
      },
    };
  },
};
