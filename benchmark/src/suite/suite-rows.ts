export const PROFILES = ["quick", "full"] as const;
export type Profile = (typeof PROFILES)[number];

/** One run of the tester in a suite. */
export interface SuiteRow {
  /** Also the name of its result file. */
  name: string;
  title: string;
  /** The command line for both profiles or each of them; null: the profile leaves the row out. */
  run: string | Readonly<Record<Profile, string | null>>;
  /** Programs that must be installed. */
  needs?: readonly string[];
}

const CLUSTER = ["nats-server", "redis-server"];

/** In the order they run. */
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
    title: "Next to bare Socket.IO and bare ws, 1,000 members",
    run: {
      quick: "limits --users 1000 --messages 10 --passes 2 --idle 1s",
      full: "limits --users 1000 --messages 10 --passes 4",
    },
  },
  {
    name: "limits-10000",
    title: "Next to bare Socket.IO and bare ws, 10,000 members",
    run: {
      quick: "limits --users 10000 --messages 10 --passes 2 --idle 1s",
      full: "limits --users 10000 --messages 10 --passes 5",
    },
  },
  {
    name: "limits-10000-threads-0",
    title: "Next to bare Socket.IO and bare ws, 10,000 members, without gateway threads",
    run: {
      quick: "limits --users 10000 --messages 10 --passes 2 --idle 1s --gateway-threads 0",
      full: "limits --users 10000 --messages 10 --passes 5 --gateway-threads 0",
    },
  },
  {
    name: "register",
    title: "Guests register and join one group",
    run: { quick: "register --users 2000", full: "register --users 20000" },
  },
  {
    name: "login",
    title: "Logins: connect, authenticate, join all rooms",
    run: { quick: "login -c 3000 -t 100", full: "login -c 30000 -t 100" },
  },
  {
    name: "direct",
    title: "Direct messages, each acknowledged and delivered",
    run: { quick: "direct -c 20000 -t 100", full: "direct -c 200000 -t 100" },
  },
  {
    name: "group-20",
    title: "Messages to a group of 20, half of it online",
    run: {
      quick: "group -c 10000 -t 100 --members 20 --online 0.5",
      full: "group -c 100000 -t 100 --members 20 --online 0.5",
    },
  },
  {
    name: "group-50",
    title: "Messages to a group of 50, half of it online",
    run: { quick: null, full: "group -c 100000 -t 100 --members 50 --online 0.5" },
  },
  {
    name: "direct-send",
    title: "200 senders, one receiver online; --scale 0.005 leaves 5 receivers",
    run: {
      quick: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.005",
      full: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.1",
    },
  },
  {
    name: "direct-receive",
    title: "200 senders, all receivers online; --scale 0.005 leaves 5 receivers",
    run: {
      quick: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.005 --online",
      full: "direct --senders 200 --receivers 1000 --rounds 50 --scale 0.1 --online",
    },
  },
  {
    name: "groups-100",
    title: "100 groups of 100 members, all send",
    run: {
      quick: "group --groups 100 --members 100 --senders 100 --rounds 2",
      full: "group --groups 100 --members 100 --senders 100",
    },
  },
  {
    name: "groups-200",
    title: "100 groups of 200 members, 100 send",
    run: { quick: null, full: "group --groups 100 --members 200 --senders 100" },
  },
  {
    name: "groups-1000",
    title: "100 groups of 1,000 members, 100 send",
    run: { quick: null, full: "group --groups 100 --members 1000 --senders 100" },
  },
  {
    name: "chatroom-1000",
    title: "100 senders in a chatroom of 1,000",
    run: {
      quick: "chatroom --users 1000 --senders 100 --messages 20",
      full: "chatroom --users 1000 --senders 100 --messages 100",
    },
  },
  {
    name: "chatroom-2000",
    title: "100 senders in a chatroom of 2,000",
    run: { quick: null, full: "chatroom --users 2000 --senders 100 --messages 100" },
  },
  {
    name: "chatroom-5000",
    title: "100 senders in a chatroom of 5,000",
    run: {
      quick: "chatroom --users 5000 --senders 100 --messages 10",
      full: "chatroom --users 5000 --senders 100 --messages 100",
    },
  },
  {
    name: "connect",
    title: "Connections held, and the memory of each",
    run: { quick: "connect --users 10000 --hold 5s", full: "connect --users 18000 --hold 30m" },
  },
  {
    name: "connect-500",
    title: "Resources of 500 users",
    run: "connect --users 500 --hold 2s",
  },
  {
    name: "http",
    title: "Direct messages by HTTP, as sent by ab -k",
    run: {
      quick: "http --connections 10000 --count 50000",
      full: "http --connections 10000 --count 100000",
    },
  },
  {
    name: "stages",
    title: "Send, distribute, notify, push and pull by the server's own metrics",
    run: "stages --users 500",
  },
  {
    name: "echo",
    title: "HTTP echo of 14 bytes on one thread, next to nginx if it is installed",
    run: {
      quick: "echo --connections 1,10,100,1000",
      full: "echo --connections 1,5,10,50,100,500,1000",
    },
  },
  {
    name: "cluster",
    title: "The same members on 1 and 2 gateways",
    run: {
      quick: "cluster --users 5000 --gateways 1,2 --passes 1 --messages 10 --idle 1s",
      full: "cluster --users 10000 --gateways 1,2,4 --passes 3 --messages 10",
    },
    needs: CLUSTER,
  },
  {
    name: "cluster-nodes",
    title: "The same direct messages on 1, 2, 3 and 4 nodes, which share this machine",
    run: {
      quick: "nodes --nodes 1,2 --count 20000",
      full: "nodes --nodes 1,2,3,4 --count 100000 --passes 3",
    },
    needs: CLUSTER,
  },
  {
    name: "storm",
    title: "Gateways restart and crash with members online",
    run: { quick: "storm --users 1000", full: "storm --users 10000" },
    needs: CLUSTER,
  },
  {
    name: "overload",
    title: "Twice the server's capacity",
    run: { quick: "overload --users 100 --duration 10s", full: "overload --users 100 --duration 60s" },
  },
  {
    name: "capacity",
    title: "Capacity within 200 ms",
    run: {
      quick: "capacity --limit 200ms --most-users 5000 --precision 25 --duration 2s",
      full: "capacity --limit 200ms",
    },
  },
];

/** null: the profile leaves the row out. */
export function commandLine({ run }: SuiteRow, profile: Profile): string | null {
  return typeof run === "string" ? run : run[profile];
}
