import { LIMITS } from "@fanfare/contract";
import { fraction, integer, wholeNumber } from "../cli/options.ts";
import { scenario } from "../cli/scenario.ts";
import { buildGroupScene, type GroupSize } from "../kernels/load/group-scene.ts";
import type { LoadContext } from "../kernels/load/load.ts";
import { measureSends } from "../kernels/load/send-run.ts";
import {
  countOption,
  inFlightOption,
  LOAD_METRICS,
  loadPlanOf,
  loopOf,
  MESSAGE_LOAD_OPTIONS,
  planLoad,
} from "./load.ts";

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
    "in-flight": inFlightOption("Messages in flight; default: number of senders"),
    groups: integer("Who", "Groups, with the same members", {
      default: 1,
      min: 1,
      max: LIMITS.groupsPerUser,
    }),
    members: integer("Who", "Members of each group", { default: 20, min: 2, max: MOST_MEMBERS }),
    senders: integer("Who", "Members who send, to one group after the other; default: all online members", {
      min: 1,
      max: MOST_MEMBERS,
    }),
    online: fraction(
      "Who",
      "Fraction of the members that is online, 0 to 1; always includes senders, and an observer",
      { default: 1, min: 0, max: 1 },
    ),
    rounds: integer("Load", "Messages from each sender to each group; default: 2000 ÷ members", {
      min: 1,
      max: 1_000_000,
    }),
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
    const plan = loadPlanOf(values, loop, { senders, receivers: online - senders });
    const size = { groups, members, senders, online };
    return planLoad(values, {
      title: "Group messages",
      plan,
      options: size,
      connections: online,
      deliveries: online * plan.loop.requests,
      measure: (context) => measureGroups(context, size),
    });
  },
});

export const chatroom = scenario({
  name: "chatroom",
  describe: "Many senders in one room with all users online: deliveries per second, and received ÷ expected",
  metrics: LOAD_METRICS,
  options: {
    ...MESSAGE_LOAD_OPTIONS,
    users: integer("Who", "Users in the room, all online, including senders", {
      alias: "u",
      default: 1000,
      min: 2,
      max: MOST_MEMBERS,
    }),
    senders: integer("Who", "Users who send", { default: 100, min: 1, max: MOST_MEMBERS }),
    messages: integer("Load", "Messages per sender, each waiting for the answer before the next", {
      alias: "m",
      default: 100,
      min: 1,
      max: 100_000,
    }),
  },
  examples: [
    ["$0 chatroom --users 1000 --senders 100 --messages 100", "100 senders, 1,000 members"],
    ["$0 chatroom --users 5000 --rate 20 --duration 60s", "a fixed rate of 20 per second (open loop)"],
  ],
  async plan({ users, messages, ...values }) {
    const senders = wholeNumber("senders", values.senders, 1, users);
    const loop = loopOf(values, { inFlight: senders, requests: senders * messages });
    const plan = loadPlanOf(values, loop, { senders, receivers: users - senders });
    const size = { groups: 1, members: users, senders, online: users };
    return planLoad(values, {
      title: "Chatroom",
      plan,
      options: size,
      connections: users,
      deliveries: users * loop.requests,
      measure: (context) => measureGroups(context, size),
    });
  },
});

/** Creates the groups, measures, and removes them if the server is not the run's own. */
async function measureGroups(context: LoadContext, size: GroupSize) {
  const scene = await buildGroupScene(context, size);
  try {
    return await measureSends(context, scene);
  } finally {
    if (!context.target.isThrowaway) {
      await scene.remove().catch((error: Error) => {
        process.stderr.write(`Could not delete the run's groups (${error.message}).\n`);
      });
    }
  }
}
