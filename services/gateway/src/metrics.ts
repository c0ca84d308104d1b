import {
  actionDefinition,
  type ActionName,
  type ErrorCode,
  isActionName,
  type Transport,
} from "@fanfare/contract";
import type { BroadcastStats } from "@fanfare/fanout";
import { Counter, Histogram, readGauge, RecentMax, type NodeContext } from "@fanfare/kernel";

/** Reasons for rejections by the gateway itself. */
export type Refusal =
  | ErrorCode
  /** An event without an acknowledgement: its sender could not receive a response. */
  | "NO_ACK"
  | "TOO_MANY_CONNECTIONS"
  | "FLOOD"
  /** A socket that didn't receive anything sent to it. */
  | "NOT_READING"
  /** The user's rooms couldn't be listed. */
  | "NO_ROOMS";

export type Outcome = "ok" | ErrorCode;

export interface ActionMetrics {
  answered(outcome: Outcome, durationMs: number): void;
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

/** Totals of a gateway since its start. */
export interface GatewayTotals {
  messages: number;
  deliveries: number;
  /** Cumulative histogram of the fan-out time, shortest bucket first. */
  fanout: readonly (readonly [upToMs: number, count: number])[];
  /** Since the last time it was read. */
  fanoutMaxMs: number;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** @param connections returns the number of connected sockets */
export function createGatewayMetrics(registry: NodeContext["metrics"], connections: () => number) {
  const registers = [registry];
  const requests = new Counter({
    name: "fanfare_requests_total",
    help: "Answered calls by action, transport and outcome ('ok' or the error code).",
    labelNames: ["action", "transport", "outcome"],
    registers,
  });
  const seconds = new Histogram({
    name: "fanfare_request_seconds",
    help: "Duration of successful calls in seconds.",
    labelNames: ["action"],
    buckets: SECONDS,
    registers,
  });
  const refused = new Counter({
    name: "fanfare_refused_total",
    help: "Requests and connections that the gateway refused, by reason.",
    labelNames: ["reason"],
    registers,
  });
  readGauge({ name: "fanfare_connections", help: "Sockets connected.", registry, read: connections });
  const fanoutSeconds = new Histogram({
    name: "fanfare_fanout_seconds",
    help: "Time from a publication to the write to its last socket, in seconds.",
    buckets: SECONDS,
    registers,
  });
  const fanoutMax = new RecentMax({
    name: "fanfare_fanout_max_seconds",
    help: "Longest time in the last minute from a publication to the write to its last socket, in seconds.",
    registry,
  });
  const fanoutPublications = new Counter({
    name: "fanfare_fanout_publications_total",
    help: "Publications that this gateway delivered to at least one socket.",
    registers,
  });
  const fanoutDeliveries = new Counter({
    name: "fanfare_fanout_deliveries_total",
    help: "Events written to sockets by publications.",
    registers,
  });
  const fanoutBytes = new Counter({
    name: "fanfare_fanout_bytes_total",
    help: "Bytes written to sockets by publications.",
    registers,
  });
  const disconnects = new Counter({
    name: "fanfare_disconnects_total",
    help: "Disconnected sockets by Socket.IO's reason.",
    labelNames: ["reason"],
    registers,
  });
  return {
    opened: new Counter({
      name: "fanfare_connects_total",
      help: "Sockets that connected and authenticated.",
      registers,
    }),
    disconnected: (reason: string) => disconnects.inc({ reason }),
    published({ publications, sockets, bytes, durationMs }: BroadcastStats): void {
      if (sockets === 0) return;
      fanoutPublications.inc(publications);
      fanoutDeliveries.inc(publications * sockets);
      fanoutBytes.inc(bytes * sockets);
      fanoutSeconds.observe(durationMs / 1000);
      fanoutMax.observe(durationMs / 1000);
    },
    async totals(): Promise<GatewayTotals> {
      const [calls, deliveries, fanout] = await Promise.all([
        requests.get(),
        fanoutDeliveries.get(),
        fanoutSeconds.get(),
      ]);
      const stored = calls.values.filter(
        ({ labels: { action, outcome } }) =>
          outcome === "ok" &&
          isActionName(String(action)) &&
          actionDefinition(action as ActionName).createsMessage === true,
      );
      return {
        messages: stored.reduce((total, { value }) => total + value, 0),
        deliveries: deliveries.values[0]?.value ?? 0,
        fanout: fanout.values.flatMap(({ labels: { le }, value }) =>
          le === undefined ? [] : [[le === "+Inf" ? Infinity : Number(le) * 1000, value] as const],
        ),
        fanoutMaxMs: fanoutMax.take() * 1000,
      };
    },
    slowSockets: new Counter({
      name: "fanfare_slow_sockets_total",
      help: "Sockets that read too slowly and received `resync`.",
      registers,
    }),
    refused(reason: Refusal): void {
      refused.inc({ reason: reason.toLowerCase() });
    },
    /** The metrics of one action, with all constant parts computed in advance. */
    ofAction(action: string, transport: Transport): ActionMetrics {
      const ok = requests.labels(action, transport, "ok");
      const latency = seconds.labels(action);
      return {
        answered(outcome, durationMs) {
          if (outcome !== "ok") {
            requests.inc({ action, transport, outcome });
            return;
          }
          ok.inc();
          latency.observe(durationMs / 1000);
        },
      };
    },
  };
}
