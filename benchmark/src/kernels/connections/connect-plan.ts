import { freemem } from "node:os";
import { usageError } from "../../cli/exit.ts";
import { currentLimits, findObstacles, type Limits } from "../../cli/preflight.ts";

/** The options of `connect`. Durations in milliseconds. */
export interface ConnectPlan {
  users: number;
  /** Processes with receivers. */
  processes: number;
  /** Concurrent connection attempts. */
  window: number;
  connectTimeoutMs: number;
  /** Rest after the last connection, before memory is measured. */
  settleMs: number;
  holdMs: number;
  /** Sent to all, one at a time, after the hold. */
  messages: number;
  timeoutMs: number;
  payloadBytes: number;
  napMs: number;
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

export interface ConnectNeeds {
  users: number;
  processes: number;
  messages: number;
  /** Processes of the server that is started for the run; null: it is already running. */
  gateways: number | null;
  isLocalServer: boolean;
  canSpreadAddresses: boolean;
}

/** @throws {ExitError} listing everything that would fail halfway, each with the command that helps */
export function checkConnectLimits(needs: ConnectNeeds, limits: Limits = currentLimits()): void {
  const { users, processes, gateways } = needs;
  const obstacles = findObstacles(
    { ...needs, kind: "light" },
    // Descriptors are counted per process, below; memory for the whole machine.
    { ...limits, openFiles: null, memoryBytes: Math.max(limits.memoryBytes, freemem()) },
  );
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
