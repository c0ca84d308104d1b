import { createHmac, randomBytes } from "node:crypto";
import { fromEnvironment, running, type Call, type JsonApi } from "./json-api.ts";
import type { LongPollDialect, PollRequest } from "./plugin.ts";

const CLIENT = "/_matrix/client/v3/";
const ADMIN = "/_synapse/admin/";
const REGISTER = `${ADMIN}v1/register`;
/** A longer gap in a room's timeline makes the server leave out messages. Its filter_timeline_limit can be lower. */
const TIMELINE_EVENTS = 1000;
const PAGE_EVENTS = 500;
const HOLD_MS = 30_000;

interface TimelineEvent {
  type: string;
  content: { body?: unknown };
}

interface Sync {
  next_batch: string;
  rooms?: { join?: Record<string, { timeline?: { events: TimelineEvent[]; limited?: boolean } }> };
}

/** The client-server API 1.x: `/sync` holds until a room has a message. */
const MATRIX_DIALECT: LongPollDialect = {
  transport: "long-poll",
  path: `${CLIENT}sync`,
  hello: (token) => syncRequest(token, undefined),
  read(body, token) {
    const { next_batch, rooms } = JSON.parse(body) as Sync;
    const timelines = Object.values(rooms?.join ?? {}).flatMap(({ timeline }) => timeline ?? []);
    const texts = timelines
      .flatMap((timeline) => timeline.events)
      .filter(({ type }) => type === "m.room.message")
      .map(({ content }) => content.body);
    return [
      { kind: "ready" },
      { kind: "poll", request: syncRequest(token, next_batch) },
      { kind: timelines.some(({ limited }) => limited) ? "resync" : "other" },
      { kind: "messages", contents: texts, revs: texts.map(() => 0) },
    ];
  },
};

function syncRequest(token: string | null, since: string | undefined): PollRequest {
  const none = { types: [] };
  // The first answer only says where the timeline ends.
  const timeline = since === undefined ? none : { types: ["m.room.message"], limit: TIMELINE_EVENTS };
  const room = { timeline, state: none, ephemeral: none, account_data: none };
  const query = new URLSearchParams({
    filter: JSON.stringify({ room, presence: none, account_data: none }),
    set_presence: "offline",
    timeout: String(since === undefined ? 0 : HOLD_MS),
    ...(since === undefined ? {} : { since }),
  });
  return { path: `?${query.toString()}`, headers: as(token) };
}

function as(token: string | null): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** A running Synapse, with users that its shared secret creates and that are deactivated at the end. */
export const matrix = running({
  name: "matrix",
  product: "Matrix",
  base: "/",
  dialect: MATRIX_DIALECT,
  async open({ existing, name, newUser, openApi }) {
    const limited = "Raise rc_message in the homeserver's configuration for a test";
    const api = openApi({ advice: { HTTP_429: limited } });
    if (existing) return roomOf(api, existing.channel, existing.senderToken);
    const secret = fromEnvironment(
      "MATRIX_REGISTRATION_SECRET",
      "registration_shared_secret of the homeserver's configuration",
    );
    const unregistered = {
      HTTP_403: "Is MATRIX_REGISTRATION_SECRET right?",
      HTTP_404: "Homeservers other than Synapse need --tokens",
    };
    const registration = openApi({ advice: unregistered });
    const users: string[] = [];
    const register = async (admin: boolean) => {
      const { nonce } = await registration.call<{ nonce: string }>(REGISTER);
      const { username, password } = newUser();
      const signed = [nonce, username, password, admin ? "admin" : "notadmin"].join("\0");
      const mac = createHmac("sha1", secret).update(signed).digest("hex");
      const user = await registration.call<{ access_token: string; user_id: string }>(REGISTER, {
        body: { nonce, username, password, admin, mac },
      });
      const id = encodeURIComponent(user.user_id);
      users.push(id);
      return { token: user.access_token, id };
    };
    const owner = await register(true);
    const unlimit = (id: string) =>
      api.call(`${ADMIN}v1/users/${id}/override_ratelimit`, {
        body: { messages_per_second: 0, burst_count: 0 },
        headers: as(owner.token),
      });
    await unlimit(owner.id);
    const { room_id: roomId } = await api.call<{ room_id: string }>(`${CLIENT}createRoom`, {
      body: { preset: "public_chat", name },
      headers: as(owner.token),
    });
    return {
      ...roomOf(api, roomId, owner.token),
      async join() {
        const { token, id } = await register(false);
        await unlimit(id);
        await api.call(`${pathOf(roomId)}/join`, { body: {}, headers: as(token) });
        return token;
      },
      close: api.cleanUp("room and users", () => {
        const headers = as(owner.token);
        const room = `${ADMIN}v2/rooms/${encodeURIComponent(roomId)}`;
        const deactivation = { body: { erase: true }, headers };
        return [
          [room, { method: "DELETE", body: {}, headers }],
          ...users.toReversed().map((id): Call => [`${ADMIN}v1/deactivate/${id}`, deactivation]),
        ];
      }),
    };
  },
});

function pathOf(roomId: string): string {
  return `${CLIENT}rooms/${encodeURIComponent(roomId)}`;
}

function roomOf(api: JsonApi, roomId: string, token: string) {
  const headers = as(token);
  const transactions = randomBytes(8).toString("hex");
  let sent = 0;
  return api.channel(
    (body) => [
      `${pathOf(roomId)}/send/m.room.message/${transactions}.${sent++}`,
      { method: "PUT", body: { msgtype: "m.text", body }, headers },
    ],
    // Pages go from the newest back.
    async (from?: string) => {
      const query = new URLSearchParams({ dir: "b", limit: String(PAGE_EVENTS), ...(from && { from }) });
      const page = await api.callAgain<{ chunk: TimelineEvent[]; end?: string }>(
        `${pathOf(roomId)}/messages?${query.toString()}`,
        { headers },
      );
      return { items: page.chunk.map(({ content }) => content.body), next: page.end };
    },
  );
}
