import { nodesMetricNames, nodesMetrics } from "../cluster-nodes/nodes-result.ts";
import { measureNodes, type NodesPlan } from "../cluster-nodes/nodes-run.ts";
import { nodesSummary } from "../cluster-nodes/nodes-summary.ts";
import { usageError } from "../exit.ts";
import { checkLoadLimits } from "../load/load-preflight.ts";
import { loadThreadCount } from "../load/load-threads.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { ClusterNodesResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import { addressNeeds } from "./address-needs.ts";
import { MAX_PAYLOAD_BYTES, threadCount, wholeNumber } from "./options.ts";

/** They all run on one machine. */
const MOST_NODES = 16;
const MOST_MESSAGES = 10_000_000;
const MOST_PEOPLE = 10_000;
const WARM_UP = 1000;

/** The arguments of `bench cluster --nodes`. */
export interface NodesArguments {
  nodes: string;
  count: number | undefined;
  inFlight: number | undefined;
  receivers: number | undefined;
  passes: number | undefined;
  timeout: number;
  payload: number;
  connecting: number;
  nap: number;
  threads: string;
  json: string | undefined;
  html: string | undefined;
  threshold: string[];
  allow: string[];
  progress: boolean | undefined;
}

/** Sends the same load of direct messages to each number of nodes. */
export async function compareNodes(args: NodesArguments): Promise<void> {
  const plan = planOf(args);
  const { nodes, size, load } = plan;
  const thresholds = parseThresholds(args.threshold, nodesMetricNames(nodes));
  const { requests } = load.loop;
  checkLoadLimits({
    ...(await addressNeeds(undefined, "light")),
    connections: size.senders + size.receivers,
    deliveries: 2 * requests,
    requests,
    payloadBytes: load.payloadBytes,
    isThrowaway: true,
    availableBytes: process.availableMemory(),
  });
  await runCommand<ClusterNodesResult>({
    command: "cluster-nodes",
    options: { nodes, passes: plan.passes, ...size, ...load },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds,
    metrics: ({ rows }) => nodesMetrics(rows),
    measure: (context) => measureNodes(context, plan),
    print: nodesSummary,
  });
}

/** @throws {ExitError} naming the first invalid option */
function planOf(args: NodesArguments): NodesPlan {
  const nodes = args.nodes.split(",").map((n) => wholeNumber("nodes", Number(n), 1, MOST_NODES));
  if (new Set(nodes).size < nodes.length) throw usageError("--nodes has a duplicate: use --passes instead.");
  const requests = wholeNumber("count", args.count ?? 50_000, 1, MOST_MESSAGES);
  const senders = wholeNumber("in-flight", args.inFlight ?? 200, 1, MOST_PEOPLE);
  const receivers = wholeNumber("receivers", args.receivers ?? 10, 1, MOST_PEOPLE);
  return {
    nodes,
    passes: wholeNumber("passes", args.passes ?? 1, 1, 1000),
    size: { senders, receivers, isOnline: true },
    load: {
      loop: { kind: "closed", inFlight: Math.min(senders, requests), requests },
      warmUp: Math.min(WARM_UP, requests),
      timeoutMs: wholeNumber("timeout", args.timeout, 100, 3_600_000),
      payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
      window: wholeNumber("connecting", args.connecting, 1, 10_000),
      napMs: wholeNumber("nap", args.nap, 0, 100),
      sendingThreads: loadThreadCount("auto", senders),
      receivingThreads: threadCount(args.threads, receivers),
    },
  };
}
