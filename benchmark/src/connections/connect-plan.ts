import { freemem } from "node:os";
import { usageError } from "../exit.ts";
import { currentLimits, findObstacles, type Limits } from "../preflight.ts";

/** Everything that a run of `connect` is told. Durations in milliseconds. */
export interface ConnectPlan {
  users: number;
  /** Processes with receivers. */
  processes: number;
  /** Connections being made at the same time. */
  window: number;
  connectTimeoutMs: number;
  /** Rest after the last connection, before memory is looked at. */
  settleMs: number;
  holdMs: number;
  /** Sent to all, one at a time, after the hold. */
  messages: number;
  timeoutMs: number;
  payloadBytes: number;
  napMs: number;
}

/** Descriptors of a process besides its connections: modules, pipes, the database, other clients. */
const OTHER_FILES = 800;
/** A thread reads some 200,000 frames a second; more members than this in one process wait for it. */
const MOST_PER_RECEIVING_PROCESS = 15_000;
const MOST_PER_GATEWAY = 18_000;

/** How many connections one process may have here. */
function perProcess(most: number, { openFiles }: Pick<Limits, "openFiles">): number {
  return Math.max(1, Math.min(most, (openFiles ?? Infinity) - OTHER_FILES));
}

/** The fewest processes that can receive for so many. */
export function receivingProcesses(users: number, limits: Pick<Limits, "openFiles">): number {
  return Math.ceil(users / perProcess(MOST_PER_RECEIVING_PROCESS, limits));
}

/** The fewest gateways that can hold so many; 1: a single instance does. */
export function gatewaysFor(users: number, limits: Pick<Limits, "openFiles">): number {
  return Math.ceil(users / perProcess(MOST_PER_GATEWAY, limits));
}

export interface ConnectNeeds {
  users: number;
  processes: number;
  messages: number;
  /** Processes of the server that is started for the run; null: it runs already. */
  gateways: number | null;
  isLocalServer: boolean;
  canSpreadAddresses: boolean;
}

/** @throws {ExitError} that lists everything that would fail half way through, with the command that helps */
export function checkConnectLimits(needs: ConnectNeeds, limits: Limits = currentLimits()): void {
  const { users, processes, gateways } = needs;
  const obstacles = findObstacles(
    { ...needs, kind: "light" },
    // Descriptors are counted by process, below; of memory the whole machine's counts.
    { ...limits, openFiles: null, memoryBytes: Math.max(limits.memoryBytes, freemem()) },
  );
  const most = (limits.openFiles ?? Infinity) - OTHER_FILES;
  const raise = (files: number) => `or raise the limit: ulimit -n ${files + OTHER_FILES}`;
  const perReceiver = Math.ceil(users / processes);
  if (perReceiver > most) {
    const enough = receivingProcesses(users, limits);
    obstacles.push(
      `${perReceiver} connections in one process are above its limit of open files, ${limits.openFiles}. ` +
        `Take --processes ${enough}, ${raise(perReceiver)}.`,
    );
  }
  const perGateway = gateways === null ? 0 : Math.ceil(users / gateways);
  if (perGateway > most) {
    obstacles.push(
      `${perGateway} connections of one gateway are above its limit of open files, ${limits.openFiles}. ` +
        `Take --gateways ${gatewaysFor(users, limits)}, ${raise(perGateway)}.`,
    );
  }
  if (obstacles.length > 0) throw usageError(obstacles.join("\n"));
}
