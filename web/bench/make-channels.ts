import { FanfareClient } from "@fanfare/client";

export interface BenchPlace {
  username: string;
  password: string;
  groupId: string;
  /** The first one has all messages; the others have one page each. */
  channelIds: string[];
  middleId: string;
  newestId: string;
}

const PASSWORD = "correct horse";
const MAX_CONCURRENT = 200;
/** Up to this number, each channel has the same messages in the same order every time. */
const MAX_IN_ORDER = 200;
const TEXTS = [
  "Good point.",
  "I have looked at the **pressure** of the second tank: it holds, see https://example.org/tank?run=4.",
  "Shall we go on with the valves?\nThey are next on the list, and then\n- the pump\n- the sensors\n- the wiring",
  "> move slowly\n\nYes, and measure twice.",
  "`npm run check` is green again. The last failure was about the time zone of the machine, which no one had set; I have written down how it is done now, so that the next one does not have to search for half a day.",
  "👍",
  "```ts\nconst limit = 100;\nfor (let i = 0; i < limit; i++) step(i);\n```",
];

/** A group with one channel of that many messages and two small ones. Reused if an earlier run created it. */
export async function makeChannels(url: string, messages: number): Promise<BenchPlace> {
  const client = new FanfareClient({ url });
  const username = `bench${messages}`;
  const isNew = await client.register({ username, password: PASSWORD }).then(
    () => true,
    () => client.login({ username, password: PASSWORD }).then(() => false),
  );
  await client.connect();
  try {
    const groupId = isNew
      ? await fill(client, messages)
      : (await client.call("group.listMine", {})).groups[0]!.id;
    const { channels } = await client.call("channel.list", { groupId });
    const byName = channels.toSorted((a, b) => b.head.seq - a.head.seq);
    const channelId = byName[0]!.id;
    const around = async (seq: number) => {
      const page = await client.call("message.list", { channelId, around: seq, limit: 2 });
      return page.messages[0]!.id;
    };
    return {
      username,
      password: PASSWORD,
      groupId,
      channelIds: byName.map(({ id }) => id),
      middleId: await around(messages / 2),
      newestId: await around(messages),
    };
  } finally {
    client.close();
  }
}

async function fill(client: FanfareClient, messages: number): Promise<string> {
  const { group } = await client.call("group.create", { name: "Bench" });
  const { channels } = await client.call("channel.list", { groupId: group.id });
  const small = ["quiet", "calm"].map((name) => client.call("channel.create", { groupId: group.id, name }));
  const ids = [channels[0]!.id, ...(await Promise.all(small)).map(({ channel }) => channel.id)];
  const authors = [
    client,
    ...(await Promise.all(["Ada", "Grace", "Edsger"].map((name) => guest(client, group.id, name)))),
  ];
  for (const channelId of ids) {
    await send(authors, channelId, channelId === ids[0] ? messages : 60);
  }
  for (const author of authors) if (author !== client) author.close();
  return group.id;
}

async function guest(owner: FanfareClient, groupId: string, nickname: string): Promise<FanfareClient> {
  const client = new FanfareClient({ url: owner.url });
  await client.createGuest({ nickname });
  await client.connect();
  const { invite } = await owner.call("invite.create", { groupId });
  await client.call("invite.accept", { code: invite.code });
  return client;
}

async function send(authors: readonly FanfareClient[], channelId: string, count: number): Promise<void> {
  const concurrent = count > MAX_IN_ORDER ? MAX_CONCURRENT : 1;
  for (let from = 0; from < count; from += concurrent) {
    const batch = Array.from({ length: Math.min(concurrent, count - from) }, (_, index) => {
      const number = from + index;
      const author = authors[Math.floor(number / 3) % authors.length]!;
      const content = `${number + 1}: ${TEXTS[number % TEXTS.length]}`;
      return author.call("message.send", { channelId, content, nonce: `bench-${number}` });
    });
    await Promise.all(batch);
  }
}
