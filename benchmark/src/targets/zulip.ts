import { deletion, fromEnvironment, running, type JsonApi } from "./json-api.ts";
import type { LongPollDialect, PollRequest } from "./plugin.ts";

const PAGE_MESSAGES = 200;
const TOPIC = "bench";

/** The answer to `register`, or to `events`, which doesn't repeat the queue. */
interface Answer {
  queue_id?: string;
  last_event_id?: number;
  events?: { id: number; message?: { content: unknown } }[];
}

/** Zulip's real-time events: each member registers a queue, then `events` holds until there is one. */
const ZULIP_DIALECT: LongPollDialect = {
  transport: "long-poll",
  path: "/api/v1/",
  hello: (token) => ({
    method: "POST",
    path: "register",
    headers: { ...as(token), "content-type": "application/x-www-form-urlencoded" },
    body: String(new URLSearchParams({ event_types: '["message"]', apply_markdown: "false" })),
  }),
  read(body, token, { path }) {
    const { queue_id, last_event_id, events = [] } = JSON.parse(body) as Answer;
    const queue = queue_id ?? new URLSearchParams(path.split("?")[1]).get("queue_id")!;
    const last = events.at(-1)?.id ?? last_event_id ?? -1;
    const query = new URLSearchParams({ queue_id: queue, last_event_id: String(last) });
    const request: PollRequest = { path: `events?${query.toString()}`, headers: as(token) };
    const contents = events.flatMap(({ message }) => (message ? [message.content] : []));
    const revs = contents.map(() => 0);
    return [{ kind: "ready" }, { kind: "poll", request }, { kind: "messages", contents, revs }];
  },
};

/** @param token the user's email and API key, with a colon between them */
function as(token: string | null): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(token ?? "").toString("base64")}` };
}

const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) });

/** A running Zulip: a channel and users that an administrator's API key creates and deactivates. */
export const zulip = running({
  name: "zulip",
  product: "Zulip",
  base: "/api/v1/",
  dialect: ZULIP_DIALECT,
  async open({ existing, name, newUser, openApi }) {
    const sender =
      existing?.senderToken ??
      fromEnvironment("ZULIP_ADMIN", "email:api_key of an administrator who can create users");
    const api = openApi({
      headers: as(sender),
      advice: {
        HTTP_401: "Is ZULIP_ADMIN valid?",
        HTTP_429: "Set RATE_LIMITING = False in /etc/zulip/settings.py for a test",
      },
    });
    if (existing) return channelOf(api, existing.channel);
    const subscription = form({ subscriptions: JSON.stringify([{ name }]) });
    await api.call("users/me/subscriptions", subscription);
    const { stream_id: id } = await api.call<{ stream_id: number }>(`get_stream_id?stream=${name}`);
    const users: number[] = [];
    return {
      ...channelOf(api, String(id)),
      async join() {
        const { username: full_name, email, password } = newUser();
        const user = await api.call<{ user_id: number }>("users", form({ email, password, full_name }));
        users.push(user.user_id);
        const login = form({ username: email, password });
        const { api_key } = await api.call<{ api_key: string }>("fetch_api_key", login);
        const token = `${email}:${api_key}`;
        await api.call("users/me/subscriptions", { ...subscription, headers: as(token) });
        return token;
      },
      close: api.cleanUp("channel and users", () =>
        [`streams/${id}`, ...users.map((user) => `users/${user}`)].map(deletion),
      ),
    };
  },
});

function channelOf(api: JsonApi, id: string) {
  return api.channel(
    (content) => ["messages", form({ type: "stream", to: id, topic: TOPIC, content })],
    // Pages go from the newest back.
    async (anchor: string = "newest") => {
      const query = new URLSearchParams({
        anchor,
        include_anchor: String(anchor === "newest"),
        num_before: String(PAGE_MESSAGES),
        num_after: "0",
        apply_markdown: "false",
        narrow: JSON.stringify([{ operator: "stream", operand: Number(id) }]),
      });
      const { messages, found_oldest } = await api.callAgain<{
        messages: { id: number; content: string }[];
        found_oldest: boolean;
      }>(`messages?${query.toString()}`);
      const next = found_oldest || messages.length === 0 ? undefined : String(messages[0]!.id);
      return { items: messages.map(({ content }) => content), next };
    },
  );
}
