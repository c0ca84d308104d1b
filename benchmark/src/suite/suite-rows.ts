import type { PublishedId } from "../published/published.ts";
import type { FigureKey } from "../report/figures.ts";

export const PROFILES = ["quick", "full"] as const;
export type Profile = (typeof PROFILES)[number];

/** One run of the tester in a suite. */
export interface SuiteRow {
  /** Of its result file too. */
  name: string;
  title: string;
  /** The command line; the same for both profiles, or null where a profile leaves it out. */
  run: string | Readonly<Record<Profile, string | null>>;
  /** What others have published of the same. */
  published?: readonly PublishedId[];
  /** The figures that stand beside published ones in the README; none: it is not in that table. */
  headline?: readonly FigureKey[];
  /** Which of several things that are measured stands beside the published ones, or beside each; all, where nothing is said. */
  ours?: string | Readonly<Partial<Record<PublishedId, string>>>;
  /** Programs that must be installed. */
  needs?: readonly string[];
}

const CLUSTER = ["nats-server", "redis-server"];
const RATES: readonly FigureKey[] = ["acknowledgedPerSecond", "acknowledgedPerCpuSecond", "ackP90Ms"];
const DELIVERIES: readonly FigureKey[] = ["deliveriesPerSecond", "deliveriesPerCpuSecond"];

/** In the order in which they run. Another row is another entry here. */
export const SUITE_ROWS: readonly SuiteRow[] = [
  {
    name: "sweep",
    title: "One message to 100 … 10,000 members online in one group",
    run: {
      quick: "sweep --users 100,500,1000,2000,5000,10000 --messages 10",
      full: "sweep --users 100,500,1000,2000,5000,10000 --messages 20 --passes 4",
    },
  },
  {
    name: "limits-1000",
    title: "Beside bare Socket.IO and bare ws, 1,000 members",
    run: {
      quick: "limits --users 1000 --messages 10 --passes 2 --idle 1000",
      full: "limits --users 1000 --messages 10 --passes 4",
    },
  },
  {
    name: "limits-10000",
    title: "Beside bare Socket.IO and bare ws, 10,000 members",
    run: {
      quick: "limits --users 10000 --messages 10 --passes 2 --idle 1000",
      full: "limits --users 10000 --messages 10 --passes 5",
    },
  },
  {
    name: "register",
    title: "Guests register and join one group",
    run: { quick: "register --users 2000", full: "register --users 20000" },
  },
  {
    name: "login",
    title: "Logins: connect, authenticate, everything joined",
    run: { quick: "login -c 3000 -t 100", full: "login -c 30000 -t 100" },
    published: ["kim-login"],
    headline: RATES,
  },
  {
    name: "direct",
    title: "Direct messages, each acknowledged and delivered",
    run: { quick: "direct -c 20000 -t 100", full: "direct -c 200000 -t 100" },
    published: ["kim-direct"],
    headline: RATES,
  },
  {
    name: "group-20",
    title: "Messages to a group of 20, half of it online",
    run: {
      quick: "group -c 10000 -t 100 --members 20 --online 0.5",
      full: "group -c 100000 -t 100 --members 20 --online 0.5",
    },
    published: ["kim-group"],
    headline: RATES,
  },
  {
    name: "group-50",
    title: "Messages to a group of 50, half of it online",
    run: { quick: null, full: "group -c 100000 -t 100 --members 50 --online 0.5" },
    published: ["kim-group-50"],
    headline: RATES,
  },
  {
    name: "direct-send",
    title: "200 senders, 1,000 receivers of whom one is online (a part of it)",
    run: {
      quick: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.005",
      full: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.1",
    },
    published: ["wildfire-direct-send"],
    headline: RATES,
  },
  {
    name: "direct-receive",
    title: "200 senders, 1,000 receivers online (a part of it)",
    run: {
      quick: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.005 --online",
      full: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.1 --online",
    },
    published: ["wildfire-direct-receive"],
    headline: RATES,
  },
  {
    name: "groups-100",
    title: "100 groups of 100 members, 50 send",
    run: {
      quick: "group --groups 100 --members 100 --senders 50 --rounds 2",
      full: "group --groups 100 --members 100 --senders 50",
    },
    published: ["wildfire-group-100"],
    headline: DELIVERIES,
  },
  {
    name: "groups-200",
    title: "100 groups of 200 members, 50 send",
    run: { quick: null, full: "group --groups 100 --members 200 --senders 50" },
    published: ["wildfire-group-200"],
    headline: DELIVERIES,
  },
  {
    name: "groups-1000",
    title: "100 groups of 1,000 members, 50 send",
    run: { quick: null, full: "group --groups 100 --members 1000 --senders 50" },
    published: ["wildfire-group-1000"],
    headline: DELIVERIES,
  },
  {
    name: "chatroom-1000",
    title: "100 senders in a chatroom of 1,000",
    run: {
      quick: "chatroom --users 1000 --senders 100 --messages 20",
      full: "chatroom --users 1000 --senders 100 --messages 100",
    },
    published: ["wildfire-chatroom-1000"],
    headline: DELIVERIES,
  },
  {
    name: "chatroom-2000",
    title: "100 senders in a chatroom of 2,000",
    run: { quick: null, full: "chatroom --users 2000 --senders 100 --messages 100" },
    published: ["wildfire-chatroom-2000"],
    headline: DELIVERIES,
  },
  {
    name: "chatroom-5000",
    title: "100 senders in a chatroom of 5,000",
    run: {
      quick: "chatroom --users 5000 --senders 100 --messages 10",
      full: "chatroom --users 5000 --senders 100 --messages 100",
    },
    published: ["wildfire-chatroom-5000"],
    headline: DELIVERIES,
  },
  {
    name: "connect",
    title: "Connections held, and what each takes",
    run: { quick: "connect --users 10000 --hold 5s", full: "connect --users 18000 --hold 30m" },
    published: ["wildfire-connect"],
    headline: ["connectsPerSecond", "rssPerConnectionBytes", "dropped"],
  },
  {
    name: "connect-500",
    title: "What 500 users take",
    run: "connect --users 500 --hold 2s",
    published: ["tailchat-connect"],
  },
  {
    name: "http",
    title: "Direct messages by HTTP, as ab -k sends them",
    run: {
      quick: "http --concurrency 10000 --requests 50000",
      full: "http --concurrency 10000 --requests 100000",
    },
    published: ["queue-8c16g", "queue-4c8g"],
    headline: ["acknowledgedPerSecond", "ackP50Ms", "ackP100Ms", "storedPerSecond", "bytesPerMillion"],
  },
  {
    name: "stages",
    title: "Send, distribute, notify, push and pull by the server's own metrics",
    run: "stages --users 500",
    published: ["wildfire-stages"],
    headline: ["pullsPerCpuSecond"],
  },
  {
    name: "echo",
    title: "HTTP echo of 14 bytes on one thread, beside nginx",
    run: {
      quick: "echo --concurrency 1,10,100,1000 --duration 1s",
      full: "echo --concurrency 1,5,10,50,100,500,1000",
    },
    published: ["echo-hydrogen", "echo-nginx"],
    headline: ["echoPerSecond"],
    ours: "echo, fastify",
  },
  {
    name: "cluster",
    title: "The same members on 1 and 2 gateways",
    run: {
      quick: "cluster --users 5000 --gateways 1,2 --passes 1 --messages 10 --idle 1000",
      full: "cluster --users 10000 --gateways 1,2,4 --passes 3 --messages 10",
    },
    needs: CLUSTER,
  },
  {
    name: "cluster-nodes",
    title: "The same direct messages on 1, 2, 3 and 4 nodes, which share this machine",
    run: {
      quick: "cluster --nodes 1,2 --count 20000",
      full: "cluster --nodes 1,2,3,4 --count 100000 --passes 3",
    },
    published: ["wildfire-cluster-1", "wildfire-cluster-2", "wildfire-cluster-3", "wildfire-cluster-4"],
    headline: ["acknowledgedPerSecond", "acknowledgedPerCpuSecond", "scalingEfficiency"],
    ours: {
      "wildfire-cluster-1": "cluster-nodes, 1 node",
      "wildfire-cluster-2": "cluster-nodes, 2 nodes",
      "wildfire-cluster-3": "cluster-nodes, 3 nodes",
      "wildfire-cluster-4": "cluster-nodes, 4 nodes",
    },
    needs: CLUSTER,
  },
  {
    name: "storm",
    title: "Gateways restart and die under members who are online",
    run: { quick: "storm --users 1000", full: "storm --users 10000" },
    needs: CLUSTER,
  },
  {
    name: "overload",
    title: "Twice as many messages as the server can take",
    run: { quick: "overload --users 100 --seconds 10", full: "overload --users 100 --seconds 60" },
  },
  {
    name: "capacity",
    title: "How much it holds within a p100 of 200 ms",
    run: {
      quick: "capacity --p100 200 --most-users 5000 --precision 25 --seconds 2",
      full: "capacity --p100 200",
    },
  },
];

/** null: the profile leaves the row out. */
export function commandLine({ run }: SuiteRow, profile: Profile): string | null {
  return typeof run === "string" ? run : run[profile];
}
