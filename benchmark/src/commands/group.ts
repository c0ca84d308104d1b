import { LIMITS } from "@fanfare/contract";
import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { loadPlanOf, loopOf, messageLoadOptions, runLoadCommand } from "./load-options.ts";
import { measureGroups } from "./measure-groups.ts";
import { wholeNumber } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const groupCommand: CommandModule<object, Arguments> = {
  command: "group",
  describe: "Messages to groups per second, and deliveries to their members",
  builder,
  handler,
};

const MOST_MEMBERS = 100_000;
/** Large groups get fewer rounds, so that each size has the same number of deliveries. */
const ROUNDS_TIMES_MEMBERS = 2000;

function builder(yargs: Argv) {
  return messageLoadOptions(yargs)
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
      describe: "Concurrency (messages in flight); default: number of senders",
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
    .example("$0 group --groups 100 --members 100 --senders 50", "100 groups of 100 members")
    .example("$0 group --members 1000 --rate 20 --duration 60", "a fixed rate of 20 per second (open loop)");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
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
  await runLoadCommand(args, {
    command: "group",
    plan,
    options: size,
    connections: online,
    deliveries: online * plan.loop.requests,
    measure: (context, api) => measureGroups(context, api, size),
  });
}
