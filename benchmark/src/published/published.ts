/** What somebody has published of a server of his own, on a machine of his own. */
export interface PublishedRow {
  product: string;
  /** What was done there. */
  what: string;
  hardware: string;
  /** Where it can be read. */
  source: string;
  /** By the keys that our own figures have (report/figures.ts); a pair is the range from … to. */
  figures: Readonly<Record<string, number | readonly [from: number, to: number]>>;
}

const TAILCHAT = {
  product: "Tailchat",
  hardware: "Intel Core i7-8700K, one instance",
  source: "https://tailchat.msgbyte.com/blog/benchmark-report",
};
const WILDFIRE = {
  product: "WildfireChat (professional)",
  hardware: "Tencent Cloud S6, 8 cores and 32 GB, with MySQL on 8 cores and 16 GB: 16 cores counted",
  source: "https://docs.wildfirechat.cn/performance_test/",
};
const KIM = {
  product: "KIM",
  hardware: "not said",
  source: "https://github.com/klintcheng/kim",
};
const QUEUE = {
  product: "a direct-message service in front of a queue",
  source: "published with ab's output, keep-alive, random senders and receivers",
};
const ECHO = {
  hardware: "not said; one thread",
  source: "published with hydrogen, an HTTP echo of 14 bytes",
};

/** Messages per second. */
const WILDFIRE_ONE_NODE = 6537;

function tailchat(users: number, from: number, to: number): PublishedRow {
  return {
    ...TAILCHAT,
    what: `one message to ${users} members online in one group`,
    figures: { p100Ms: [from, to] },
  };
}

function wildfireGroup(members: number, messages: number, deliveriesPerCore: number): PublishedRow {
  return {
    ...WILDFIRE,
    what: `messages to groups of ${members}, a row stored for each recipient`,
    figures: {
      acknowledgedPerSecond: messages,
      deliveriesPerSecond: messages * members,
      deliveriesPerCpuSecond: deliveriesPerCore,
    },
  };
}

function wildfireChatroom(users: number, deliveriesPerCore: number): PublishedRow {
  return {
    ...WILDFIRE,
    what: `100 senders in a chatroom of ${users}, which may lose messages`,
    figures: { deliveriesPerCpuSecond: deliveriesPerCore },
  };
}

function wildfireCluster(nodes: number, messages: number): PublishedRow {
  return {
    ...WILDFIRE,
    hardware: "as many such machines as nodes",
    what: `the same load on ${nodes} nodes`,
    figures: {
      acknowledgedPerSecond: messages,
      scalingEfficiency: messages / (nodes * WILDFIRE_ONE_NODE),
    },
  };
}

function echo(product: string, least: number, most: number): PublishedRow {
  return { ...ECHO, product, what: "1 to 1,000 at the same time", figures: { echoPerSecond: [least, most] } };
}

/** "Per CPU second" of the others is their figure divided by their number of cores, for they had them all to themselves. */
export const PUBLISHED = {
  "tailchat-100": tailchat(100, 89, 420),
  "tailchat-500": tailchat(500, 403, 752),
  "tailchat-1000": tailchat(1000, 733, 2194),
  "tailchat-2000": tailchat(2000, 244, 248),
  "tailchat-5000": tailchat(5000, 644, 933),
  "tailchat-10000": tailchat(10_000, 1089, 1232),
  "tailchat-connect": {
    ...TAILCHAT,
    what: "100 to 500 users connect",
    figures: { rssGrowthBytes: [3 * 1024 * 1024, 33 * 1024 * 1024] },
  },
  "kim-login": {
    ...KIM,
    what: "kimbench login -c 300 -t 100",
    figures: { acknowledgedPerSecond: 2891, ackP90Ms: 43.8 },
  },
  "kim-direct": {
    ...KIM,
    what: "kimbench user -c 500 -t 100",
    figures: { acknowledgedPerSecond: 1509, ackP90Ms: 81.9 },
  },
  "kim-group": {
    ...KIM,
    what: "kimbench group -c 200 -t 100, groups of 20, half of them online",
    figures: { acknowledgedPerSecond: 622, ackP90Ms: 183.7 },
  },
  "kim-group-50": {
    ...KIM,
    what: "kimbench group, groups of 50",
    figures: { acknowledgedPerSecond: 106 },
  },
  "wildfire-connect": {
    ...WILDFIRE,
    hardware: "Tencent Cloud S6, 16 cores and 32 GB, with MySQL on 4 cores and 8 GB",
    what: "a million connections held for 30 minutes, none dropped",
    figures: { connectsPerSecond: [833, 1111], rssPerConnectionBytes: 26 * 1024, dropped: 0 },
  },
  "wildfire-direct-send": {
    ...WILDFIRE,
    what: "200 senders, 1,000 receivers of whom one is online, 10 million messages",
    figures: { acknowledgedPerSecond: 19_646, acknowledgedPerCpuSecond: 1227, unstored: 0 },
  },
  "wildfire-direct-receive": {
    ...WILDFIRE,
    what: "200 senders, 1,000 receivers online, 10 million messages",
    figures: { acknowledgedPerSecond: 13_908, acknowledgedPerCpuSecond: 869, unstored: 0 },
  },
  "wildfire-group-100": wildfireGroup(100, 1340, 8375),
  "wildfire-group-200": wildfireGroup(200, 686, 8573),
  "wildfire-group-1000": wildfireGroup(1000, 140, 8750),
  "wildfire-chatroom-1000": wildfireChatroom(1000, 32_000),
  "wildfire-chatroom-2000": wildfireChatroom(2000, 25_773),
  "wildfire-chatroom-5000": wildfireChatroom(5000, 13_440),
  "wildfire-cluster-1": wildfireCluster(1, WILDFIRE_ONE_NODE),
  "wildfire-cluster-2": wildfireCluster(2, 9459),
  "wildfire-cluster-3": wildfireCluster(3, 13_400),
  "wildfire-cluster-4": wildfireCluster(4, 16_080),
  "wildfire-stages": {
    ...WILDFIRE,
    what: "pulling after a notification",
    figures: { pullsPerCpuSecond: 2978 },
  },
  "queue-8c16g": {
    ...QUEUE,
    hardware: "8 cores, 16 GB",
    what: "ab -k -c 10000 -n 100000",
    figures: {
      acknowledgedPerSecond: 11_486,
      ackP50Ms: 722,
      ackP100Ms: 2825,
      storedPerSecond: 5000,
      bytesPerMillion: 300e6,
    },
  },
  "queue-4c8g": {
    ...QUEUE,
    hardware: "4 cores, 8 GB",
    what: "ab -k -c 10000 -n 100000",
    figures: { acknowledgedPerSecond: 7405, storedPerSecond: 2000, bytesPerMillion: 300e6 },
  },
  "echo-hydrogen": echo("hydrogen", 10_129, 29_397),
  "echo-nginx": echo("nginx", 9365, 22_129),
} as const satisfies Record<string, PublishedRow>;

export type PublishedId = keyof typeof PUBLISHED;

/** The row of this id, where there is one. */
export function published(id: string): PublishedRow | undefined {
  return (PUBLISHED as Record<string, PublishedRow>)[id];
}
