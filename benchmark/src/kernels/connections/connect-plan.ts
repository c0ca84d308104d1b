import { freemem } from "node:os";
import { usageError } from "../../cli/exit.ts";
import {
  CLUSTER_OPTIONS,
  FANFARE_OPTIONS,
  integer,
  LAST_MEMBER_TIMEOUT,
  MOST_USERS,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  text,
  time,
  type OptionValues,
} from "../../cli/options.ts";
import { currentLimits, findObstacles, type Limits, type Needs } from "../../cli/preflight.ts";
import { PROGRAM } from "../../cli/program.ts";

export const CONNECT_OPTIONS = {
  ...FANFARE_OPTIONS,
  ...CLUSTER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  tokens: text(
    "Server",
    `Use the users and server of this file from ${PROGRAM} register instead of new ones`,
  ),
  users: integer(
    "Receivers",
    "Number of connections; default: 1000, or all users of the file",
    [1, MOST_USERS],
    {
      alias: "u",
    },
  ),
  processes: text("Receivers", "Receiving processes; auto: the minimum that the open-file limit allows", {
    default: "auto",
  }),
  connecting: { ...RECEIVER_OPTIONS.connecting, describe: "Concurrent connection attempts" },
  connectTimeoutMs: time("Receivers", "Timeout of a connection attempt", { default: "15s", minMs: 100 }),
  napMs: RECEIVER_OPTIONS.napMs,
  holdMs: time("Receivers", "How long to hold the connections, for example 90s or 30m", { default: "10s" }),
  settleMs: time("Receivers", "Rest after the last connection, before memory is measured", { default: "2s" }),
  messages: integer("Messages", "Messages to all members at the end, one at a time", [0, 1000], {
    default: 3,
    alias: "m",
  }),
  timeoutMs: LAST_MEMBER_TIMEOUT,
};

export interface ConnectPlan extends Omit<OptionValues<typeof CONNECT_OPTIONS>, "users" | "processes"> {
  users: number;
  /** Processes with receivers. */
  processes: number;
}

/** A process' descriptors other than connections: modules, pipes, the database, other clients. */
const OTHER_FILES = 800;
/**
 * A thread reads some 200,000 frames a second; with more members than this in one process, they wait for it.
 */
const MOST_PER_RECEIVING_PROCESS = 15_000;
const MOST_PER_GATEWAY = 18_000;

/** The maximum number of connections of one process on this machine. */
function perProcess(most: number, { openFiles }: Pick<Limits, "openFiles">): number {
  return Math.max(1, Math.min(most, (openFiles ?? Infinity) - OTHER_FILES));
}

/** The minimum number of receiving processes for this many users. */
export function receivingProcesses(users: number, limits: Pick<Limits, "openFiles">): number {
  return Math.ceil(users / perProcess(MOST_PER_RECEIVING_PROCESS, limits));
}

/** The minimum number of gateways for this many users; 1: a single instance is enough. */
export function gatewaysFor(users: number, limits: Pick<Limits, "openFiles">): number {
  return Math.ceil(users / perProcess(MOST_PER_GATEWAY, limits));
}

export interface ConnectNeeds extends Omit<Needs, "kind"> {
  processes: number;
  /** Processes of the server that is started for the run; null: it is already running. */
  gateways: number | null;
}

/** @throws {ExitError} listing everything that would fail halfway, each with the command that helps */
export function checkConnectLimits(needs: ConnectNeeds, limits: Limits = currentLimits()): void {
  const { users, processes, gateways } = needs;
  const obstacles = findObstacles(
    { ...needs, kind: "light" },
    // Descriptors are counted per process, below; memory for the whole machine.
    { ...limits, openFiles: null, memoryBytes: Math.max(limits.memoryBytes, freemem()) },
  ).map(({ why }) => why);
  const most = (limits.openFiles ?? Infinity) - OTHER_FILES;
  const raise = (files: number) => `or raise the limit: ulimit -n ${files + OTHER_FILES}`;
  const perReceiver = Math.ceil(users / processes);
  if (perReceiver > most) {
    const enough = receivingProcesses(users, limits);
    obstacles.push(
      `${perReceiver} connections in one process exceed its limit of open files, ${limits.openFiles}. ` +
        `Use --processes ${enough}, ${raise(perReceiver)}.`,
    );
  }
  const perGateway = gateways === null ? 0 : Math.ceil(users / gateways);
  if (perGateway > most) {
    obstacles.push(
      `${perGateway} connections of one gateway exceed its limit of open files, ${limits.openFiles}. ` +
        `Use --gateways ${gatewaysFor(users, limits)}, ${raise(perGateway)}.`,
    );
  }
  if (obstacles.length > 0) throw usageError(obstacles.join("\n"));
}
