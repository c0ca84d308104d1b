import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { measureLogins } from "../load/login-run.ts";
import { createGuest, doAll } from "../load/scene-builder.ts";
import { loadOptions, loadPlanOf, loopOf, runLoadCommand } from "./load-options.ts";
import { wholeNumber } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const loginCommand: CommandModule<object, Arguments> = {
  command: "login",
  describe: "Logins per second: connected, authenticated, and in all rooms",
  builder,
  handler,
};

const MOST_USERS = 100_000;

function builder(yargs: Argv) {
  return loadOptions(yargs)
    .option("count", { group: "Load:", alias: "c", type: "number", default: 300, describe: "Logins" })
    .option("in-flight", {
      group: "Load:",
      alias: "t",
      type: "number",
      default: 100,
      describe: "Concurrent logins",
    })
    .option("users", {
      group: "Load:",
      alias: "u",
      type: "number",
      describe: "Different users; default: number of logins, at most 5000",
    })
    .example("$0 login -c 300 -t 100", "kimbench's login")
    .example("$0 login --rate 500 --duration 10", "a fixed rate of 500 per second (open loop)");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const loop = loopOf(args, {
    inFlight: args.inFlight,
    requests: wholeNumber("count", args.count, 1, 10_000_000),
  });
  const users = wholeNumber("users", args.users ?? Math.min(loop.requests, 5000), 1, MOST_USERS);
  const plan = loadPlanOf(args, loop, { senders: users, receivers: 0 });
  const warmUpUsers = Math.min(users, plan.warmUp);
  await runLoadCommand(args, {
    command: "login",
    plan,
    options: { users },
    connections: users + warmUpUsers,
    deliveries: 0,
    async measure(context, api) {
      const { progress, signal } = context;
      const scene = { api, concurrency: plan.window, progress, signal };
      const guests = await doAll(scene, "registering guests", users + warmUpUsers, () => createGuest(scene));
      const tokens = guests.users.map(({ accessToken }) => accessToken);
      return measureLogins(context, {
        tokens: tokens.slice(0, users),
        warmUpTokens: tokens.slice(users),
        registration: guests.result,
      });
    },
  });
}
