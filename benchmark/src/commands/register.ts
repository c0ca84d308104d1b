import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { registerCrowd } from "../connections/crowd-access.ts";
import {
  REGISTER_METRICS,
  registerMetrics,
  type RegisterMeasurement,
} from "../connections/register-result.ts";
import { registerSummary } from "../connections/register-summary.ts";
import { writeTokenFile } from "../connections/token-file.ts";
import { usageError } from "../exit.ts";
import type { RegisterResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { assertWritable, runCommand } from "../run-command.ts";
import { explain } from "../targets/fanfare/explain.ts";
import { openFanfareApi } from "./open-fanfare.ts";
import { addressNeeds } from "./address-needs.ts";
import { RESULT_OPTIONS, wholeNumber } from "./options.ts";
import { serverOptions } from "./server-options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const registerCommand: CommandModule<object, Arguments> = {
  command: "register",
  describe: "Registers users who join one group, and writes their tokens to a file",
  builder,
  handler,
};

const MOST_USERS = 1_000_000;

function builder(yargs: Argv) {
  return serverOptions(yargs)
    .option("users", {
      group: "Audience:",
      alias: "u",
      type: "number",
      default: 1000,
      describe: "Guests to register and add to one group",
    })
    .option("concurrency", {
      group: "Audience:",
      alias: "c",
      type: "number",
      default: 100,
      describe: "Concurrent registrations",
    })
    .option("out", {
      group: "Result:",
      type: "string",
      describe: "Write the tokens to this file, for bench connect --tokens; requires --url",
    })
    .options(RESULT_OPTIONS)
    .example("$0 register --users 1000 --url http://127.0.0.1:3000 --out tokens.json", "for bench connect")
    .example("$0 register --users 10000", "only the registration rate");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const users = wholeNumber("users", args.users, 1, MOST_USERS);
  const concurrency = wholeNumber("concurrency", args.concurrency, 1, 10_000);
  const { url, out } = args;
  if (out !== undefined && url === undefined) {
    throw usageError("--out requires --url: a server that is started for the run is removed with its users.");
  }
  const thresholds = parseThresholds(args.threshold, REGISTER_METRICS);
  await addressNeeds(url, "light");
  await assertWritable("out", out);
  await runCommand<RegisterResult>({
    command: "register",
    options: { users, concurrency },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: registerMetrics,
    async measure(context): Promise<RegisterMeasurement> {
      const { progress, errors, signal } = context;
      const { metricsUrl } = args;
      const { target, api } = await openFanfareApi(
        context,
        { url, metricsUrl, registrations: 1 },
        concurrency,
      );
      const before = await target.usage();
      let done = 0;
      const register = () => registerCrowd(api, { users, concurrency }, signal, () => done++);
      const work = () => progress.during("registering guests", users, () => done, register);
      const registered = await work().catch((error: unknown) => {
        if (signal.aborted) return undefined;
        return explain(error);
      });
      const after = await target.usage();
      if (registered && out !== undefined) await writeTokenFile(out, target.urls[0]!, registered.access);
      const cpuSeconds = (after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
      return {
        target: { name: "fanfare", url: target.urls.join(","), isThrowaway: target.isThrowaway },
        users,
        registration: registered?.registration ?? null,
        server: { before, after },
        perServerCpuSecond: registered && cpuSeconds > 0 ? users / cpuSeconds : null,
        file: registered && out !== undefined ? out : null,
        errors: errors.rows(),
      };
    },
    print: registerSummary,
  });
}
