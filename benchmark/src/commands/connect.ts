import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import {
  checkConnectLimits,
  gatewaysFor,
  receivingProcesses,
  type ConnectPlan,
} from "../connections/connect-plan.ts";
import { CONNECT_METRICS, connectMetrics } from "../connections/connect-result.ts";
import { measureConnections } from "../connections/connect-run.ts";
import { connectSummary } from "../connections/connect-summary.ts";
import { logInOwner, registerCrowd, type CrowdAccess } from "../connections/crowd-access.ts";
import { readTokenFile } from "../connections/token-file.ts";
import { usageError } from "../exit.ts";
import type { ClusterSize } from "../platform/cluster.ts";
import { currentLimits } from "../preflight.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { ConnectResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand, type CommandContext } from "../run-command.ts";
import type { Api } from "../targets/fanfare/api.ts";
import { explain } from "../targets/fanfare/explain.ts";
import { openFanfareApi } from "./open-fanfare.ts";
import type { RegistrationResult } from "../targets/registration.ts";
import { addressNeeds } from "./address-needs.ts";
import { durationMs } from "./durations.ts";
import { clusterOptions, clusterSizeOf, MAX_PAYLOAD_BYTES, RESULT_OPTIONS, wholeNumber } from "./options.ts";
import { serverOptions } from "./server-options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const connectCommand: CommandModule<object, Arguments> = {
  command: "connect",
  describe: "How many connections can be held, their memory, and whether all receive messages",
  builder,
  handler,
};

const MOST_USERS = 1_000_000;
const MOST_HOLD_MS = 24 * 3_600_000;
const MOST_PROCESSES = 64;
/** Concurrent registrations on a server that is started for the run. */
const MOST_REGISTRATIONS = 100;

function builder(yargs: Argv) {
  return clusterOptions(serverOptions(yargs))
    .option("tokens", {
      group: "Server:",
      type: "string",
      describe: "Use the users and server of this file from bench register instead of new ones",
    })
    .option("users", {
      group: "Audience:",
      alias: "u",
      type: "number",
      describe: "Number of connections; default: 1000, or all users of the file",
    })
    .option("processes", {
      group: "Audience:",
      type: "string",
      default: "auto",
      describe: "Receiving processes; auto: the minimum that the open-file limit allows",
    })
    .option("connecting", {
      group: "Audience:",
      type: "number",
      default: 100,
      describe: "Concurrent connection attempts",
    })
    .option("connect-timeout", {
      group: "Audience:",
      type: "number",
      default: 15_000,
      describe: "Timeout of a connection attempt, in milliseconds",
    })
    .option("nap", {
      group: "Audience:",
      type: "number",
      default: 1,
      describe: "Milliseconds between reads of light receivers; 0 reads every frame immediately",
    })
    .option("hold", {
      group: "Audience:",
      type: "string",
      default: "10s",
      describe: "How long to hold the connections, for example 90s or 30m",
    })
    .option("settle", {
      group: "Audience:",
      type: "string",
      default: "2s",
      describe: "Rest after the last connection, before memory is measured",
    })
    .option("messages", {
      group: "Messages:",
      alias: "m",
      type: "number",
      default: 3,
      describe: "Messages to all members at the end, one at a time",
    })
    .option("timeout", {
      group: "Messages:",
      type: "number",
      default: 30_000,
      describe: "Milliseconds to wait for the last member",
    })
    .option("payload", {
      group: "Messages:",
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .options(RESULT_OPTIONS)
    .example("$0 connect --users 10000 --hold 30m", "half an hour, with heartbeats")
    .example("$0 connect --users 100000", "a cluster with as many gateways as file descriptors require")
    .example("$0 connect --tokens tokens.json", "the users of bench register")
    .example("$0 connect -u 5000 --threshold 'dropped==0' --threshold 'lost==0'", "for CI");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const file = args.tokens === undefined ? undefined : await readTokenFile(args.tokens);
  const url = args.url ?? file?.url;
  const plan = planOf(args, file?.tokens.length);
  const cluster = clusterOf(args, plan.users, url !== undefined);
  const thresholds = parseThresholds(args.threshold, CONNECT_METRICS);
  const place = await addressNeeds(url, "light");
  checkConnectLimits({
    ...plan,
    ...place,
    gateways: url === undefined ? (cluster?.gateways ?? 1) : null,
  });
  await runCommand<ConnectResult>({
    command: "connect",
    options: { ...plan, cluster },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: connectMetrics,
    async measure(context) {
      const { signal } = context;
      const { metricsUrl } = args;
      const concurrency = Math.min(plan.window, MOST_REGISTRATIONS);
      const platform = { url, metricsUrl, cluster, registrations: concurrency };
      const { target, api } = await openFanfareApi(context, platform, concurrency);
      const { access, registration } = file
        ? { access: { ...file, tokens: file.tokens.slice(0, plan.users) }, registration: null }
        : await register(api, plan.users, concurrency, context, target.isThrowaway);
      // Memory left over from the registration would hide what connections take: start with a fresh server.
      if (!file) await target.platform?.refresh(signal);
      const server = {
        urls: target.urls,
        platform: target.platform,
        isLocal: place.isLocalServer,
        api,
        usage: () => target.usage(),
        cpuSeconds: () => target.cpuSeconds(),
      };
      return measureConnections({ ...context, server, access, registration, plan });
    },
    print: connectSummary,
  });
}

/** @throws {ExitError} with the server's error */
async function register(
  api: Api,
  users: number,
  concurrency: number,
  { progress, signal, defer }: CommandContext,
  isThrowaway: boolean,
): Promise<{ access: CrowdAccess; registration: RegistrationResult }> {
  let done = 0;
  const work = () => registerCrowd(api, { users, concurrency }, signal, () => done++);
  try {
    const crowd = await progress.during("registering guests", users, () => done, work);
    const { access } = crowd;
    // On a running server the group is deleted; guests can't be.
    if (!isThrowaway) defer(() => deleteGroup(api, access));
    return crowd;
  } catch (error) {
    return explain(error);
  }
}

async function deleteGroup(api: Api, access: CrowdAccess): Promise<void> {
  await api.call("group.delete", { groupId: access.groupId }, await logInOwner(api, access));
}

function planOf(args: ArgumentsCamelCase<Arguments>, inFile: number | undefined): ConnectPlan {
  const users = wholeNumber("users", args.users ?? inFile ?? 1000, 1, inFile ?? MOST_USERS);
  return {
    users,
    processes:
      args.processes === "auto"
        ? receivingProcesses(users, currentLimits())
        : wholeNumber("processes", Number(args.processes), 1, Math.min(MOST_PROCESSES, users)),
    window: wholeNumber("connecting", args.connecting, 1, 10_000),
    connectTimeoutMs: wholeNumber("connect-timeout", args.connectTimeout, 100, 600_000),
    settleMs: durationMs("settle", args.settle, MOST_HOLD_MS),
    holdMs: durationMs("hold", args.hold, MOST_HOLD_MS),
    messages: wholeNumber("messages", args.messages, 0, 1000),
    timeoutMs: wholeNumber("timeout", args.timeout, 100, 3_600_000),
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
    napMs: wholeNumber("nap", args.nap, 0, 100),
  };
}

/** undefined: a single instance, or a running server. A cluster if one process has too few file descriptors. */
function clusterOf(
  args: ArgumentsCamelCase<Arguments>,
  users: number,
  isRunning: boolean,
): ClusterSize | undefined {
  const asked = clusterSizeOf(args);
  if (asked && isRunning)
    throw usageError("--gateways and --workers start a cluster for the run: omit --url and --tokens.");
  if (asked || isRunning) return asked;
  const gateways = gatewaysFor(users, currentLimits());
  return gateways > 1 ? { gateways, workers: 1 } : undefined;
}
