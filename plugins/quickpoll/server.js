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

  /** The poll or vote is stored, so its action succeeds even if panels show it later. */
  const tryPublish = (work) => work().catch((error) => console.error("could not publish", error));

  async function create({ channelId: channel, question, options }, call, publish) {
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
    await tryPublish(() => publish("created", { id }));
    return { id };
  }

  /** Of each option. */
  const countVotes = ({ options }, votes) =>
    options.map((_, index) => votes.filter(({ value }) => value === index).length);

  function result(channel, poll, allVotes, userId) {
    const start = votesOf(channel, poll.id);
    const votes = allVotes.filter(({ key }) => key.startsWith(start));
    const own = votes.find(({ key }) => key === start + userId);
    const counts = countVotes(poll, votes);
    const options = poll.options.map((text, index) => ({ text, votes: counts[index] }));
    return { ...poll, options, own: own?.value ?? null };
  }

  let counted = Promise.resolve();
  /** Counts one after the other: otherwise an older result could be the last one that is published. */
  const publishResult = (channel, poll, publish) => {
    const count = async () => {
      const votes = countVotes(poll, await all(votesOf(channel, poll.id)));
      await publish(poll.id, { id: poll.id, votes });
    };
    counted = counted.then(() => tryPublish(count));
    return counted;
  };

  return {
    actions: {
      create: {
        params: z.object({ channelId, question: text, options: z.array(text).min(2).max(MAX_OPTIONS) }),
        handle: ({ params, call, publish }) => create(params, call, publish),
      },
      run: {
        params: z.object({ channelId, text: z.string().max(3000) }),
        async handle({ params, call, publish }) {
          const [question, ...options] = params.text.split(";").map((part) => part.trim().slice(0, 200));
          if (question === "" || options.length < 2 || options.length > MAX_OPTIONS || options.includes(""))
            throw refuse("Write the question and 2 to 10 options: /quickpoll Lunch?; Pizza; Salad");
          await create({ channelId: params.channelId, question, options }, call, publish);
          return { notice: "The poll is in the panel Quick polls." };
        },
      },
      vote: {
        params: z.object({ channelId, pollId: z.string().max(40), option: z.int().min(0) }),
        async handle({ params: { channelId: channel, pollId, option }, caller: { userId }, publish }) {
          const poll = await store.get(pollsOf(channel) + pollId);
          if (poll === null || option >= poll.options.length) throw refuse("This poll has no such option.");
          await store.set(votesOf(channel, pollId) + userId, option);
          await publishResult(channel, poll, publish);
          return {};
        },
      },
      list: {
        params: z.object({ channelId }),
        async handle({ params: { channelId: channel }, caller: { userId } }) {
          const [polls, votes] = await Promise.all([all(pollsOf(channel)), all(votesOf(channel))]);
          const shown = polls.slice(-SHOWN).toReversed();
          return { polls: shown.map(({ value }) => result(channel, value, votes, userId)) };
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
