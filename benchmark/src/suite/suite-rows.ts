export const PROFILES = ["quick", "full"] as const;
export type Profile = (typeof PROFILES)[number];

/** One run of the tester in a suite. */
export interface SuiteRow {
  /** Also the name of its result file. */
  name: string;
  title: string;
  /** The command line in each profile; absent: the profile leaves the row out. */
  quick?: string;
  full: string;
  /** Programs that must be installed. */
  needs?: readonly string[];
}

const CLUSTER = ["nats-server", "redis-server"];

/** In the order they run. */
export const SUITE_ROWS: readonly SuiteRow[] = [
  {
    name: "sweep",
    title: "One message to 100 … 10,000 members online in one group",
    quick: "sweep --users 100,500,1000,2000,5000,10000 --messages 10",
    full: "sweep --users 100,500,1000,2000,5000,10000 --messages 20 --passes 4",
  },
  {
    name: "versus",
    title: "Next to bare Socket.IO and bare ws, 100 … 10,000 members",
    quick: "versus --users 100,1000,5000,10000 --messages 10 --passes 2",
    full: "versus --users 100,1000,5000,10000 --passes 4",
  },
  {
    name: "register",
    title: "Guests register and join one group",
    quick: "register --users 2000",
    full: "register --users 20000",
  },
  {
    name: "login",
    title: "Logins: connect, authenticate, join all rooms",
    quick: "login -c 3000 -t 100",
    full: "login -c 30000 -t 100",
  },
  {
    name: "direct",
    title: "Direct messages, each acknowledged and delivered",
    quick: "direct -c 20000 -t 100",
    full: "direct -c 200000 -t 100",
  },
  {
    name: "group-20",
    title: "Messages to a group of 20, half of it online",
    quick: "group -c 10000 -t 100 --members 20 --online 0.5",
    full: "group -c 100000 -t 100 --members 20 --online 0.5",
  },
  {
    name: "group-50",
    title: "Messages to a group of 50, half of it online",
    full: "group -c 100000 -t 100 --members 50 --online 0.5",
  },
  {
    name: "direct-send",
    title: "200 senders to 1,000 receivers, one of them online",
    full: "direct --senders 200 --receivers 1000 --rounds 50",
  },
  {
    name: "direct-receive",
    title: "200 senders to 1,000 receivers, all online",
    full: "direct --senders 200 --receivers 1000 --rounds 50 --online",
  },
  {
    name: "groups-100",
    title: "100 groups of 100 members, all send",
    quick: "group --groups 100 --members 100 --senders 100 --rounds 2",
    full: "group --groups 100 --members 100 --senders 100",
  },
  {
    name: "groups-200",
    title: "100 groups of 200 members, 100 send",
    full: "group --groups 100 --members 200 --senders 100",
  },
  {
    name: "groups-1000",
    title: "100 groups of 1,000 members, 100 send",
    full: "group --groups 100 --members 1000 --senders 100",
  },
  {
    name: "chatroom-1000",
    title: "100 senders in a chatroom of 1,000",
    quick: "chatroom --users 1000 --senders 100 --messages 20",
    full: "chatroom --users 1000 --senders 100 --messages 100",
  },
  {
    name: "chatroom-2000",
    title: "100 senders in a chatroom of 2,000",
    full: "chatroom --users 2000 --senders 100 --messages 100",
  },
  {
    name: "chatroom-5000",
    title: "100 senders in a chatroom of 5,000",
    quick: "chatroom --users 5000 --senders 100 --messages 10",
    full: "chatroom --users 5000 --senders 100 --messages 100",
  },
  {
    name: "connect",
    title: "Connections held, and the memory of each",
    quick: "connect --users 10000 --hold 5s",
    full: "connect --users 18000 --hold 30m",
  },
  {
    name: "connect-500",
    title: "Resources of 500 users",
    quick: "connect --users 500 --hold 2s",
    full: "connect --users 500 --hold 2s",
  },
  {
    name: "http",
    title: "Direct messages by HTTP, as sent by ab -k",
    quick: "http --connections 10000 --count 50000",
    full: "http --connections 10000 --count 100000",
  },
  {
    name: "stages",
    title: "Send, distribute, notify, push and pull by the server's own metrics",
    quick: "stages --users 500",
    full: "stages --users 500",
  },
  {
    name: "echo",
    title: "HTTP echo of 14 bytes on one thread, next to nginx if it is installed",
    quick: "echo --connections 1,10,100,1000",
    full: "echo --connections 1,5,10,50,100,500,1000",
  },
  {
    name: "cluster",
    title: "The same members on 1 and 2 gateways",
    quick: "cluster --users 5000 --gateways 1,2 --passes 1 --messages 10 --idle 1s",
    full: "cluster --users 10000 --gateways 1,2,4 --passes 3 --messages 10",
    needs: CLUSTER,
  },
  {
    name: "cluster-nodes",
    title: "The same direct messages on 1, 2, 3 and 4 nodes, which share this machine",
    quick: "nodes --nodes 1,2 --count 20000",
    full: "nodes --nodes 1,2,3,4 --count 100000 --passes 3",
    needs: CLUSTER,
  },
  {
    name: "storm",
    title: "Gateways restart and crash with members online",
    quick: "storm --users 1000",
    full: "storm --users 10000",
    needs: CLUSTER,
  },
  {
    name: "overload",
    title: "Twice the server's capacity",
    quick: "overload --users 100 --duration 10s",
    full: "overload --users 100 --duration 60s",
  },
  {
    name: "capacity",
    title: "Capacity within 200 ms",
    quick: "capacity --limit 200ms --most-users 5000 --precision 25 --duration 2s",
    full: "capacity --limit 200ms",
  },
];
