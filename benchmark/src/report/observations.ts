import { capacityMetrics } from "../capacity/capacity-result.ts";
import { crowdSpread } from "../connections/connect-result.ts";
import { bestPerSecond } from "../echo/echo-result.ts";
import { rateOfOne, scalingEfficiency } from "../cluster-nodes/nodes-result.ts";
import { httpFigures } from "../http/http-figures.ts";
import type { LoadMeasurement } from "../load/load-result.ts";
import { figures, type Figure } from "./figures.ts";
import type {
  BroadcastMeasurement,
  CapacityResult,
  ClusterNodesResult,
  ConnectResult,
  EchoResult,
  HttpResult,
  OverloadResult,
  RegisterResult,
  Result,
  StagesResult,
  StormResult,
} from "./result.ts";
import { medianUnlessLost } from "../measure/limit-figures.ts";

/** A single measurement under a name that allows comparing it with another file. */
export interface Observation {
  row: string;
  figures: Figure[];
}

/** One per pass, so that a file with several passes shows how much they vary. */
export function observationsOf(result: Result): Observation[] {
  switch (result.command) {
    case "broadcast":
      return [broadcastObservation(result)];
    case "limits":
    case "sweep":
      return result.passes.map((pass) => broadcastObservation(pass));
    case "cluster":
      return result.passes.map((pass) => broadcastObservation(pass, pass.label));
    case "cluster-nodes":
      return nodesObservations(result);
    case "storm":
      return [stormObservation(result)];
    case "overload":
      return [overloadObservation(result)];
    case "connect":
      return [connectObservation(result)];
    case "register":
      return [registerObservation(result)];
    case "echo":
      return echoObservations(result);
    case "http":
      return [httpObservation(result)];
    case "stages":
      return stagesObservations(result);
    case "capacity":
      return [capacityObservation(result)];
    default:
      return isLoad(result) ? [loadObservation(result)] : [];
  }
}

/** Whether it is a load command's result: they all have the same shape. */
export function isLoad(result: Result): result is Extract<Result, LoadMeasurement> {
  return "scene" in result && "loop" in result;
}

function loadObservation(result: Result & LoadMeasurement): Observation {
  const { scene, loop, counts, rates, ack, delivery, lastDelivery } = result;
  const pace = loop.kind === "closed" ? `${loop.inFlight} at once` : `${loop.perSecond}/s`;
  const groups = scene.groups === null ? "" : `, ${scene.groups} groups of ${scene.members}`;
  const isDelivered = counts.expected > 0;
  return {
    row: `${result.command}, ${scene.senders} senders, ${scene.online} online${groups}, ${pace}`,
    figures: figures({
      acknowledgedPerSecond: rates.acknowledgedPerSecond,
      acknowledgedPerCpuSecond: rates.acknowledgedPerCpuSecond,
      deliveriesPerSecond: isDelivered ? rates.deliveriesPerSecond : undefined,
      deliveriesPerCpuSecond: isDelivered ? rates.deliveriesPerCpuSecond : undefined,
      receivedShare: isDelivered ? rates.receivedShare : undefined,
      ackP50Ms: ack.latencyMs?.p50 ?? null,
      ackP90Ms: ack.latencyMs?.p90 ?? null,
      ackP99Ms: ack.latencyMs?.p99 ?? null,
      ackP100Ms: ack.latencyMs?.p100 ?? null,
      deliveryP99Ms: isDelivered ? (delivery?.latencyMs?.p99 ?? null) : undefined,
      deliveryP100Ms: isDelivered ? (lastDelivery?.latencyMs?.p100 ?? null) : undefined,
      lost: counts.lost,
      duplicates: counts.duplicates,
      outOfOrder: counts.outOfOrder,
      corrupted: counts.corrupted,
      unstored: counts.unstored ?? undefined,
      storedTwice: counts.storedTwice ?? undefined,
      missed: counts.missed,
    }),
  };
}

function nodesObservations({ passes }: ClusterNodesResult): Observation[] {
  const one = rateOfOne(passes);
  return passes.map(({ nodes, rates, ack, counts }) => ({
    row: `cluster-nodes, ${nodes} ${nodes === 1 ? "node" : "nodes"}`,
    figures: figures({
      acknowledgedPerSecond: rates.acknowledgedPerSecond,
      acknowledgedPerCpuSecond: rates.acknowledgedPerCpuSecond,
      ackP90Ms: ack.latencyMs?.p90 ?? null,
      scalingEfficiency: scalingEfficiency(nodes, rates.acknowledgedPerSecond, one),
      lost: counts.lost,
      duplicates: counts.duplicates,
      unstored: counts.unstored ?? undefined,
      storedTwice: counts.storedTwice ?? undefined,
    }),
  }));
}

function broadcastObservation(pass: BroadcastMeasurement, label: string = pass.target.name): Observation {
  const { users, warm, cold, server, connection, registration, counts } = pass;
  const burst = (size: number, of: "allMs" | "deliveriesPerCpuSecond") => {
    const same = pass.bursts.filter(({ messages }) => messages === size);
    return same.length === 0 ? undefined : medianUnlessLost(same, (burst) => burst[of]);
  };
  return {
    row: `broadcast to ${users}, ${label}`,
    figures: figures({
      worstMs: warm.p100Ms?.max ?? null,
      medianMs: warm.p100Ms?.median ?? null,
      p99Ms: warm.latencyMs?.p99 ?? null,
      stalls: stallsOf(pass),
      coldMs: cold === null ? undefined : cold.p100Ms,
      ackMs: warm.ackMs?.median ?? null,
      burst20Ms: burst(20, "allMs"),
      burst100Ms: burst(100, "allMs"),
      burst20PerCpuSecond: burst(20, "deliveriesPerCpuSecond"),
      burst100PerCpuSecond: burst(100, "deliveriesPerCpuSecond"),
      registrationsPerSecond: registration?.perSecond,
      connectsPerSecond: connection?.perSecond,
      cpuMsPerMessage: server.cpuMsPerMessage ?? undefined,
      rssPerConnectionBytes: server.rssPerConnectionBytes,
      lost: counts.lost,
      duplicates: counts.duplicates,
      outOfOrder: counts.outOfOrder,
      corrupted: counts.corrupted,
      dropped: counts.dropped,
      unstored: counts.stored === null ? undefined : counts.acknowledged - counts.stored,
      storedTwice: counts.storedTwice ?? undefined,
    }),
  };
}

const STALL_MS = 1000;
const STALL_FACTOR = 10;

/** Warm messages that some members had to wait for, though the others came quickly. A rank test ignores them when they are rare. */
function stallsOf({ rounds, warm }: BroadcastMeasurement): number {
  const limitMs = Math.max(STALL_MS, STALL_FACTOR * (warm.p100Ms?.median ?? 0));
  return rounds.filter(({ kind, p100Ms }) => kind === "warm" && p100Ms !== null && p100Ms > limitMs).length;
}

function stormObservation({ users, gateways, phases, counts }: StormResult): Observation {
  const longest = (values: (number | null)[]) =>
    values.length === 0 ? null : Math.max(...values.map((v) => v ?? 0));
  return {
    row: `storm, ${users} members, ${gateways ?? 0} gateways`,
    figures: figures({
      lost: counts.lost,
      unstored: counts.unstored,
      worstSecondMs: longest(phases.map((phase) => phase.p100Ms)),
      backMs: longest(phases.map((phase) => phase.allBackMs)),
    }),
  };
}

function overloadObservation({
  users,
  gateways,
  capacity,
  overload,
  counts,
  recovery,
}: OverloadResult): Observation {
  return {
    row: `overload, ${users} members, ${gateways ?? 0} gateways`,
    figures: figures({
      capacityPerSecond: capacity.perSecond,
      acknowledgedPerSecond: overload.acknowledgedPerSecond,
      ackP99Ms: overload.ackMs?.p99 ?? null,
      ackP100Ms: overload.ackMs?.p100 ?? null,
      normalAfterMs: recovery.normalAfterMs,
      lost: counts.lost,
      unstored: counts.unstored,
      storedTwice: counts.storedTwice ?? undefined,
    }),
  };
}

function connectObservation(result: ConnectResult): Observation {
  const { users, gateways, connection, bytesPerConnection, counts, messages } = result;
  const bytes = bytesPerConnection?.server ?? null;
  const times = messages.length === 0 ? undefined : crowdSpread(messages);
  return {
    row: `connect, ${users} members, ${gateways ?? 0} gateways`,
    figures: figures({
      connectsPerSecond: connection?.perSecond ?? null,
      rssPerConnectionBytes: bytes,
      kernelPerConnectionBytes: bytesPerConnection?.kernel ?? null,
      rssGrowthBytes: bytes === null ? undefined : bytes * users,
      worstMs: times === null ? null : times?.max,
      medianMs: times === null ? null : times?.median,
      dropped: counts.dropped,
      lost: counts.lost,
      duplicates: counts.duplicates,
      outOfOrder: counts.outOfOrder,
      corrupted: counts.corrupted,
      unstored: counts.stored === null ? undefined : Math.max(0, counts.acknowledged - counts.stored),
    }),
  };
}

function registerObservation({ users, registration }: RegisterResult): Observation {
  return {
    row: `register ${users}`,
    figures: figures({ registrationsPerSecond: registration?.perSecond ?? null }),
  };
}

function echoObservations({ rows }: EchoResult): Observation[] {
  const servers = [...new Set(rows.map(({ server }) => server))];
  return servers.map((server) => ({
    row: `echo, ${server}`,
    figures: figures({ echoPerSecond: bestPerSecond(rows, server) }),
  }));
}

function httpObservation(result: HttpResult): Observation {
  const { concurrency, requests } = result;
  return { row: `http, ${concurrency} at once, ${requests} requests`, figures: httpFigures(result) };
}

function stagesObservations({ users, senders, rows }: StagesResult): Observation[] {
  return rows.map(({ stage, meanMs, perCpuSecond }) => ({
    row: `stages, ${users} members, ${senders} at once, ${stage}`,
    figures: figures({
      stageMs: meanMs ?? undefined,
      pullsPerCpuSecond: stage === "pull" ? perCpuSecond : undefined,
      deliveriesPerCpuSecond: stage === "push" ? perCpuSecond : undefined,
    }),
  }));
}

function capacityObservation({ p100LimitMs, searches }: CapacityResult): Observation {
  const { users, messagesPerSecond } = capacityMetrics({ searches });
  return {
    row: `capacity, p100 within ${p100LimitMs} ms`,
    figures: figures({ usersWithinLimit: users, messagesWithinLimit: messagesPerSecond }),
  };
}
