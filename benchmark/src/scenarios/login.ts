import type { Argv } from "yargs";
import { wholeNumber } from "../cli/options.ts";
import { scenario } from "../cli/scenario.ts";
import { measureLogins } from "../kernels/load/login-run.ts";
import { createGuest, doAll } from "../kernels/load/scene.ts";
import { LOAD_METRICS, loadOptions, loadPlanOf, loopOf, MOST_REQUESTS, planLoad } from "./load.ts";

const MOST_USERS = 100_000;

export const login = scenario({
  name: "login",
  describe: "Logins per second: connected, authenticated, and in all rooms",
  metrics: LOAD_METRICS,
  options: (yargs: Argv) =>
    loadOptions(yargs)
      .option("count", { group: "Load:", alias: "c", type: "number", default: 300, describe: "Logins" })
      .option("in-flight", {
        group: "Load:",
        alias: "t",
        type: "number",
        default: 100,
        describe: "Logins in flight",
      })
      .option("users", {
        group: "Load:",
        alias: "u",
        type: "number",
        describe: "Different users; default: number of logins, at most 5000",
      })
      .example("$0 login -c 300 -t 100", "kimbench's login")
      .example("$0 login --rate 500 --duration 10s", "a fixed rate of 500 per second (open loop)"),
  async plan(args) {
    const requests = wholeNumber("count", args.count, 1, MOST_REQUESTS);
    const loop = loopOf(args, { inFlight: args.inFlight, requests });
    const users = wholeNumber("users", args.users ?? Math.min(loop.requests, 5000), 1, MOST_USERS);
    const plan = loadPlanOf(args, loop, { senders: users, receivers: 0 });
    const warmUpUsers = Math.min(users, plan.warmUp);
    return planLoad(args, {
      title: "Logins",
      plan,
      options: { users },
      connections: users + warmUpUsers,
      deliveries: 0,
      async measure(context, api) {
        const { progress, signal } = context;
        const scene = { api, concurrency: plan.window, progress, signal };
        const guests = await doAll(scene, "registering guests", users + warmUpUsers, () =>
          createGuest(scene),
        );
        const tokens = guests.users.map(({ accessToken }) => accessToken);
        return measureLogins(context, {
          tokens: tokens.slice(0, users),
          warmUpTokens: tokens.slice(users),
          registration: guests.result,
        });
      },
    });
  },
});
