import { LIMITS } from "@fanfare/contract";
import { fraction, integer, wholeNumber } from "../cli/options.ts";
import { scenario, type PlannedRun } from "../cli/scenario.ts";
import {
  buildDirectScene,
  buildGroupScene,
  measureSends,
  type GroupSize,
} from "../kernels/requests/scenes.ts";
import type { RequestLoop } from "../kernels/requests/request-threads.ts";
import {
  countOption,
  inFlightOption,
  LOAD_METRICS,
  loopOf,
  MESSAGE_LOAD_OPTIONS,
  planLoad,
  type MessageLoadValues,
} from "./load.ts";

const MOST_PEOPLE = 10_000;

const onlineOption = (who: string, share: number) =>
  fraction("Who", `Fraction of the ${who} that is online, 0 to 1; senders and an observer always are`, {
    default: share,
    min: 0,
    max: 1,
  });

export const direct = scenario({
  name: "direct",
  describe: "Direct messages per second: acknowledged, stored, and received by online users",
  metrics: LOAD_METRICS,
  options: {
    ...MESSAGE_LOAD_OPTIONS,
    count: countOption("Messages in total; default: senders × receivers × rounds × scale"),
    inFlight: inFlightOption("Messages in flight; default: number of senders"),
    senders: integer("Who", "Number of senders; default: the messages in flight, or 100", [1, MOST_PEOPLE]),
    receivers: integer("Who", "Receivers, addressed round-robin by each sender", [1, MOST_PEOPLE], {
      default: 1,
    }),
    rounds: integer("Load", "Messages from each sender to each receiver", [1, 1_000_000], { default: 50 }),
    scale: fraction("Load", "Fraction of the receivers to create, above 0 and up to 1", {
      default: 1,
      max: 1,
    }),
    online: onlineOption("receivers", 0),
  },
  examples: [
    ["$0 direct -c 500 -t 100", "kimbench's user"],
    ["$0 direct --senders 200 --receivers 1000 --scale 0.01", "10 of the 1,000 receivers"],
    ["$0 direct --senders 200 --receivers 1000 --scale 0.01 --online 1", "with all of them online"],
    ["$0 direct --rate 2000 --duration 60s", "a fixed rate of 2000 per second (open loop)"],
  ],
  async plan({ inFlight, scale, rounds, ...values }) {
    const senders = wholeNumber("senders", values.senders ?? inFlight ?? 100, 1, MOST_PEOPLE);
    const receivers = Math.max(1, Math.round(values.receivers * scale));
    const loop = loopOf(values, {
      inFlight: inFlight ?? senders,
      requests: values.count ?? senders * receivers * rounds,
    });
    // An observer besides the only receiver would be another user.
    const online = Math.max(Math.round(receivers * values.online), Math.min(1, receivers - 1));
    const size = { senders, receivers, online };
    return planLoad(values, {
      title: "Direct messages",
      loop,
      senders,
      receivers: online,
      options: { ...size, scale },
      measure: async (context) => measureSends(context, await buildDirectScene(context, size)),
    });
  },
});

const MOST_MEMBERS = 100_000;
/** Large groups get fewer rounds, so that each size has the same number of deliveries. */
const ROUNDS_TIMES_MEMBERS = 2000;

export const group = scenario({
  name: "group",
  describe: "Messages to groups per second, and deliveries to their members",
  metrics: LOAD_METRICS,
  options: {
    ...MESSAGE_LOAD_OPTIONS,
    count: countOption("Messages in total; default: senders × groups × rounds"),
    inFlight: inFlightOption("Messages in flight; default: number of senders"),
    groups: integer("Who", "Groups, with the same members", [1, LIMITS.groupsPerUser], { default: 1 }),
    members: integer("Who", "Members of each group", [2, MOST_MEMBERS], { default: 20 }),
    senders: integer("Who", "Members who send, to one group after the other; default: all online members", [
      1,
      MOST_MEMBERS,
    ]),
    online: onlineOption("members", 1),
    rounds: integer(
      "Load",
      "Messages from each sender to each group; default: 2000 ÷ members",
      [1, 1_000_000],
    ),
  },
  examples: [
    ["$0 group -c 200 -t 100 --members 20 --online 0.5", "kimbench's group"],
    ["$0 group --groups 100 --members 100 --senders 100", "100 groups of 100 members"],
    ["$0 group --members 1000 --rate 20 --duration 60s", "a fixed rate of 20 per second (open loop)"],
  ],
  async plan({ groups, members, ...values }) {
    const share = Math.max(1, Math.round(members * values.online));
    const inFlight = values.inFlight ?? values.senders ?? share;
    const senders = wholeNumber("senders", values.senders ?? Math.min(share, inFlight), 1, members);
    const observed = values.senders === undefined ? senders : Math.min(members, senders + 1);
    const online = Math.max(share, observed);
    const rounds = values.rounds ?? Math.max(1, Math.round(ROUNDS_TIMES_MEMBERS / members));
    const loop = loopOf(values, { inFlight, requests: values.count ?? senders * groups * rounds });
    return planGroups("Group messages", values, loop, { groups, members, senders, online });
  },
});

export const chatroom = scenario({
  name: "chatroom",
  describe: "Many senders in one room with all users online: deliveries per second, and received ÷ expected",
  metrics: LOAD_METRICS,
  options: {
    ...MESSAGE_LOAD_OPTIONS,
    users: integer("Who", "Users in the room, all online, including senders", [2, MOST_MEMBERS], {
      alias: "u",
      default: 1000,
    }),
    senders: integer("Who", "Users who send", [1, MOST_MEMBERS], { default: 100 }),
    messages: integer(
      "Load",
      "Messages per sender, each waiting for the answer before the next",
      [1, 100_000],
      {
        alias: "m",
        default: 100,
      },
    ),
  },
  examples: [
    ["$0 chatroom --users 1000 --senders 100 --messages 100", "100 senders, 1,000 members"],
    ["$0 chatroom --users 5000 --rate 20 --duration 60s", "a fixed rate of 20 per second (open loop)"],
  ],
  async plan({ users, messages, ...values }) {
    const senders = wholeNumber("senders", values.senders, 1, users);
    const loop = loopOf(values, { inFlight: senders, requests: senders * messages });
    return planGroups("Chatroom", values, loop, { groups: 1, members: users, senders, online: users });
  },
});

function planGroups(
  title: string,
  values: MessageLoadValues,
  loop: RequestLoop,
  size: GroupSize,
): Promise<PlannedRun> {
  const { senders, online } = size;
  return planLoad(values, {
    title,
    loop,
    senders,
    receivers: online - senders,
    options: size,
    measure: async (context) => measureSends(context, await buildGroupScene(context, size)),
  });
}
