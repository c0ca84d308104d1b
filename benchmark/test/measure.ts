import type { BroadcastPlan } from "../src/kernels/broadcast/broadcast-plan.ts";
import { measureBroadcast } from "../src/kernels/broadcast/broadcast-run.ts";
import { ErrorTable } from "../src/kernels/broadcast/error-table.ts";
import { Progress } from "../src/report/progress.ts";
import type { ExistingUsers } from "../src/targets/tokens.ts";
import { openTarget } from "../src/targets/open-target.ts";
import type { Sender } from "../src/targets/target.ts";

export const PLAN: BroadcastPlan = {
  users: 40,
  kind: "light",
  probes: 5,
  threads: 1,
  napMs: 0.3,
  connecting: 16,
  connectTimeoutMs: 60_000,
  idleMs: 50,
  warmup: 0,
  messages: 3,
  intervalMs: 20,
  burst: [],
  burstRepeats: 1,
  timeoutMs: 20_000,
  payloadBytes: 100,
};

interface MeasureOptions {
  name?: string;
  url?: string;
  existing?: ExistingUsers;
  signal?: AbortSignal;
  /** Changes what the sender does. */
  withSender?: (sender: Sender) => Sender;
}

/** Clients whose receivers are of one kind, of both, and of the other. */
export const CLIENTS = [
  { kind: "light", probes: 0, threads: 2 },
  { kind: "light", probes: 5 },
  { kind: "official", probes: 0 },
] as const;

/** The short run tries clients with receivers of both kinds. */
export const tagged = ({ probes }: { probes: number }) => ({ tags: probes > 0 ? [] : "long" });

/** One small broadcast, as the command does it. */
export async function measure(
  plan: Partial<BroadcastPlan>,
  {
    name = "fanfare",
    url,
    existing,
    signal = new AbortController().signal,
    withSender = (sender) => sender,
  }: MeasureOptions = {},
) {
  const errors = new ErrorTable();
  const progress = new Progress(false);
  const whole = { ...PLAN, ...plan };
  const fanfare = {
    url,
    registrations: 8,
    existing,
    onError: (code: string) => errors.add("api", code),
  };
  const target = await openTarget(name, fanfare, signal);
  const openSender = target.openSender.bind(target);
  target.openSender = async () => withSender(await openSender());
  try {
    const prepared = await target.prepare(whole.users, progress, signal);
    const measured = await measureBroadcast({ target, prepared, plan: whole, progress, errors, signal });
    return { ...measured, errors: errors.rows() };
  } finally {
    await target.close();
  }
}
