import { LIMITS } from "@fanfare/contract";
import type { Argv } from "yargs";
import { wholeNumber } from "../cli/options.ts";
import { scenario } from "../cli/scenario.ts";
import { usageError } from "../cli/exit.ts";
import { buildGroupScene, type GroupSize } from "../kernels/load/group-scene.ts";
import type { LoadContext, LoadMeasurement } from "../kernels/load/load.ts";
import { measureSends } from "../kernels/load/send-run.ts";
import type { Api } from "../targets/fanfare/api.ts";
import { LOAD_METRICS, loadPlanOf, loopOf, messageLoadOptions, planLoad } from "./load.ts";

const MOST_MEMBERS = 100_000;
/** Large groups get fewer rounds, so that each size has the same number of deliveries. */
const ROUNDS_TIMES_MEMBERS = 2000;

export const group = scenario({
  name: "group",
  describe: "Messages to groups per second, and deliveries to their members",
  metrics: LOAD_METRICS,
  options: (yargs: Argv) =>
    messageLoadOptions(yargs)
      .option("count", {
        group: "Load:",
        alias: "c",
        type: "number",
        describe: "Messages in total; default: senders × groups × rounds",
      })
      .option("in-flight", {
        group: "Load:",
        alias: "t",
        type: "number",
        describe: "Messages in flight; default: number of senders",
      })
      .option("groups", {
        group: "Who:",
        type: "number",
        default: 1,
        describe: "Groups, with the same members",
      })
      .option("members", { group: "Who:", type: "number", default: 20, describe: "Members of each group" })
      .option("senders", {
        group: "Who:",
        type: "number",
        describe: "Members who send, to one group after the other; default: all online members",
      })
      .option("online", {
        group: "Who:",
        type: "number",
        default: 1,
        describe: "Fraction of the members that is online, 0 to 1; always includes senders, and an observer",
      })
      .option("rounds", {
        group: "Load:",
        type: "number",
        describe: "Messages from each sender to each group; default: 2000 ÷ members",
      })
      .example("$0 group -c 200 -t 100 --members 20 --online 0.5", "kimbench's group")
      .example("$0 group --groups 100 --members 100 --senders 100", "100 groups of 100 members")
      .example(
        "$0 group --members 1000 --rate 20 --duration 60s",
        "a fixed rate of 20 per second (open loop)",
      ),
  async plan(args) {
    const groups = wholeNumber("groups", args.groups, 1, LIMITS.groupsPerUser);
    const members = wholeNumber("members", args.members, 2, MOST_MEMBERS);
    if (!(args.online >= 0 && args.online <= 1)) throw usageError("--online must be from 0 to 1.");
    const share = Math.max(1, Math.round(members * args.online));
    const inFlight = args.inFlight ?? args.senders ?? share;
    const senders = wholeNumber("senders", args.senders ?? Math.min(share, inFlight), 1, members);
    const observed = args.senders === undefined ? senders : Math.min(members, senders + 1);
    const online = Math.max(share, observed);
    const rounds = args.rounds ?? Math.max(1, Math.round(ROUNDS_TIMES_MEMBERS / members));
    const requests = args.count ?? senders * groups * wholeNumber("rounds", rounds, 1, 1_000_000);
    const plan = loadPlanOf(args, loopOf(args, { inFlight, requests }), {
      senders,
      receivers: online - senders,
    });
    const size = { groups, members, senders, online };
    return planLoad(args, {
      title: "Group messages",
      plan,
      options: size,
      connections: online,
      deliveries: online * plan.loop.requests,
      measure: (context, api) => measureGroups(context, api, size),
    });
  },
});

export const chatroom = scenario({
  name: "chatroom",
  describe: "Many senders in one room with all users online: deliveries per second, and received ÷ expected",
  metrics: LOAD_METRICS,
  options: (yargs: Argv) =>
    messageLoadOptions(yargs)
      .option("users", {
        group: "Who:",
        alias: "u",
        type: "number",
        default: 1000,
        describe: "Users in the room, all online, including senders",
      })
      .option("senders", { group: "Who:", type: "number", default: 100, describe: "Users who send" })
      .option("messages", {
        group: "Load:",
        alias: "m",
        type: "number",
        default: 100,
        describe: "Messages per sender, each waiting for the answer before the next",
      })
      .example("$0 chatroom --users 1000 --senders 100 --messages 100", "100 senders, 1,000 members")
      .example(
        "$0 chatroom --users 5000 --rate 20 --duration 60s",
        "a fixed rate of 20 per second (open loop)",
      ),
  async plan(args) {
    const users = wholeNumber("users", args.users, 2, MOST_MEMBERS);
    const senders = wholeNumber("senders", args.senders, 1, users);
    const messages = wholeNumber("messages", args.messages, 1, 100_000);
    const loop = loopOf(args, { inFlight: senders, requests: senders * messages });
    const plan = loadPlanOf(args, loop, { senders, receivers: users - senders });
    const size = { groups: 1, members: users, senders, online: users };
    return planLoad(args, {
      title: "Chatroom",
      plan,
      options: size,
      connections: users,
      deliveries: users * loop.requests,
      measure: (context, api) => measureGroups(context, api, size),
    });
  },
});

/** Creates the groups, measures, and removes them if the server is not the run's own. */
async function measureGroups(context: LoadContext, api: Api, size: GroupSize): Promise<LoadMeasurement> {
  const { plan, progress, signal, target } = context;
  const scene = await buildGroupScene({ api, concurrency: plan.window, progress, signal }, size);
  try {
    return await measureSends(context, scene, api);
  } finally {
    if (!target.isThrowaway) {
      await scene.remove().catch((error: Error) => {
        process.stderr.write(`Could not delete the run's groups (${error.message}).\n`);
      });
    }
  }
}
