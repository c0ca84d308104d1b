import type { Argv } from "yargs";
import { wholeNumber } from "../cli/options.ts";
import { scenario } from "../cli/scenario.ts";
import { usageError } from "../cli/exit.ts";
import { buildDirectScene } from "../kernels/load/direct-scene.ts";
import { measureSends } from "../kernels/load/send-run.ts";
import { LOAD_METRICS, loadPlanOf, loopOf, messageLoadOptions, planLoad } from "./load.ts";

const MOST_PEOPLE = 10_000;

export const direct = scenario({
  name: "direct",
  describe: "Direct messages per second: acknowledged, stored, and received by online users",
  metrics: LOAD_METRICS,
  options: (yargs: Argv) =>
    messageLoadOptions(yargs)
      .option("count", {
        group: "Load:",
        alias: "c",
        type: "number",
        describe: "Messages in total; default: senders × receivers × rounds × scale",
      })
      .option("in-flight", {
        group: "Load:",
        alias: "t",
        type: "number",
        describe: "Messages in flight; default: number of senders",
      })
      .option("senders", {
        group: "Who:",
        type: "number",
        describe: "Number of senders; default: the messages in flight, or 100",
      })
      .option("receivers", {
        group: "Who:",
        type: "number",
        default: 1,
        describe: "Receivers, addressed round-robin by each sender",
      })
      .option("rounds", {
        group: "Load:",
        type: "number",
        default: 50,
        describe: "Messages from each sender to each receiver",
      })
      .option("scale", {
        group: "Load:",
        type: "number",
        default: 1,
        describe: "Fraction of the receivers to create, above 0 and up to 1",
      })
      .option("online", {
        group: "Who:",
        type: "boolean",
        default: false,
        describe: "All receivers are online; default: one of them, if there are several",
      })
      .example("$0 direct -c 500 -t 100", "kimbench's user")
      .example("$0 direct --senders 200 --receivers 1000 --scale 0.01", "10 of the 1,000 receivers")
      .example("$0 direct --senders 200 --receivers 1000 --scale 0.01 --online", "with all of them online")
      .example("$0 direct --rate 2000 --duration 60s", "a fixed rate of 2000 per second (open loop)"),
  async plan(args) {
    if (!(args.scale > 0 && args.scale <= 1)) throw usageError("--scale must be above 0 and at most 1.");
    const senders = wholeNumber("senders", args.senders ?? args.inFlight ?? 100, 1, MOST_PEOPLE);
    const all = wholeNumber("receivers", args.receivers, 1, MOST_PEOPLE);
    const receivers = Math.max(1, Math.round(all * args.scale));
    const rounds = wholeNumber("rounds", args.rounds, 1, 1_000_000);
    const loop = loopOf(args, {
      inFlight: args.inFlight ?? senders,
      requests: args.count ?? senders * receivers * rounds,
    });
    const size = { senders, receivers, isOnline: args.online };
    const online = args.online ? receivers : Math.min(1, receivers - 1);
    const plan = loadPlanOf(args, loop, { senders, receivers: online });
    return planLoad(args, {
      title: "Direct messages",
      plan,
      options: { ...size, scale: args.scale },
      connections: senders + online,
      deliveries: 2 * loop.requests,
      async measure(context, api) {
        const { progress, signal } = context;
        const scene = await buildDirectScene({ api, concurrency: plan.window, progress, signal }, size);
        return measureSends(context, scene, api);
      },
    });
  },
});
