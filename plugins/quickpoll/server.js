import { randomUUID } from "node:crypto";

const MAX_OPTIONS = 10;
const SHOWN = 20;

/** @type {import("@fanfare/plugins/server").CreateServerPlugin} */
export default ({ z, store, refuse }) => {
  const channelId = z.string();
  const text = z.string().trim().min(1).max(200);

  /** Keys begin with the time, so that the newest poll of a channel is the last one. */
  const pollsOf = (channel) => `poll:${channel}:`;
  const votesOf = (channel, poll = "") => `vote:${channel}:${poll && `${poll}:`}`;

  /** All values, which can be more than one page. */
  async function all(prefix) {
    const found = [];
    for (
      let page = await store.list(prefix);
      page.length > 0;
      page = await store.list(prefix, page.at(-1).key)
    )
      found.push(...page);
    return found;
  }

  async function remove(channel, { key, value: { id } }) {
    for (const vote of await all(votesOf(channel, id))) await store.delete(vote.key);
    await store.delete(key);
  }

  async function create({ channelId: channel, question, options }, call) {
    const id = `${Date.now().toString(36)}-${randomUUID().slice(0, 8)}`;
    const key = pollsOf(channel) + id;
    const lines = options.map((option, index) => `${index + 1}. ${option}`);
    const content = [`**${question}**`, ...lines, "Vote in the panel *Quick polls*."].join("\n");
    // Those that are no longer shown, because the number of values is limited.
    for (const old of (await all(pollsOf(channel))).slice(0, 1 - SHOWN)) await remove(channel, old);
    // First, so that no message announces a poll that could not be stored.
    await store.set(key, { id, question, options });
    try {
      await call("message.send", { channelId: channel, content, nonce: id });
    } catch (error) {
      await store.delete(key);
      throw error;
    }
    return { id };
  }

  function result(channel, { value: { id, question, options } }, allVotes, userId) {
    const start = votesOf(channel, id);
    const votes = allVotes.filter(({ key }) => key.startsWith(start));
    const own = votes.find(({ key }) => key === start + userId);
    return {
      id,
      question,
      options: options.map((option, index) => ({
        text: option,
        votes: votes.filter(({ value }) => value === index).length,
      })),
      own: own?.value ?? null,
    };
  }

  return {
    actions: {
      create: {
        params: z.object({ channelId, question: text, options: z.array(text).min(2).max(MAX_OPTIONS) }),
        handle: ({ params, call }) => create(params, call),
      },
      run: {
        params: z.object({ channelId, text: z.string().max(3000) }),
        async handle({ params, call }) {
          const [question, ...options] = params.text.split(";").map((part) => part.trim().slice(0, 200));
          if (question === "" || options.length < 2 || options.length > MAX_OPTIONS || options.includes(""))
            throw refuse("Write the question and 2 to 10 options: /quickpoll Lunch?; Pizza; Salad");
          await create({ channelId: params.channelId, question, options }, call);
          return { notice: "The poll is in the panel Quick polls." };
        },
      },
      vote: {
        params: z.object({ channelId, pollId: z.string().max(40), option: z.int().min(0) }),
        async handle({ params: { channelId: channel, pollId, option }, caller: { userId } }) {
          const poll = await store.get(pollsOf(channel) + pollId);
          if (poll === null || option >= poll.options.length) throw refuse("This poll has no such option.");
          await store.set(votesOf(channel, pollId) + userId, option);
          return {};
        },
      },
      list: {
        params: z.object({ channelId }),
        async handle({ params: { channelId: channel }, caller: { userId } }) {
          const [polls, votes] = await Promise.all([all(pollsOf(channel)), all(votesOf(channel))]);
          const shown = polls.slice(-SHOWN).toReversed();
          return { polls: shown.map((poll) => result(channel, poll, votes, userId)) };
        },
      },
    },
    events: {
      async "channel.emptied"({ channelIds }) {
        for (const channel of channelIds)
          for (const poll of await all(pollsOf(channel))) await remove(channel, poll);
      },
      async "user.deleted"({ userId }) {
        for (const { key } of await all("vote:")) if (key.endsWith(`:${userId}`)) await store.delete(key);
      },
    },
  };
};
