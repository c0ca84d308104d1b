import type { Percentiles } from "../broadcast/percentiles.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import type { ServerUsage } from "../../targets/target.ts";

/** One message to everyone online. */
export interface CrowdMessage {
  /** null: not acknowledged. */
  ackMs: number | null;
  /** Time to the last member; null if it did not reach everyone online. */
  p100Ms: number | null;
  latencyMs: Percentiles | null;
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
}

/** Memory per connection in bytes: with all members online, minus before they connected. */
export interface ConnectionBytes {
  /** Resident memory of all the server's processes. */
  server: number | null;
  /** The same by kind of process, if the server was started for the run. */
  serverByKind: Record<string, number> | null;
  /**
   * Kernel memory of this machine (slab and TCP buffers). If the server is on this machine, it includes both
   * ends of each connection; half of it is the server's.
   */
  kernel: number | null;
  /** Whether both ends are in this machine's kernel. */
  isKernelOfBothEnds: boolean;
  /** The kernel objects that grew most, if they are readable (as root). */
  kernelObjects: { name: string; bytes: number }[] | null;
  /** The tester's own memory. */
  tester: number;
}

export interface HoldSample {
  /** Since all were online. */
  atMs: number;
  rssBytes: number | null;
  cpuSeconds: number | null;
  online: number;
}

export interface ConnectMeasurement {
  target: { name: "fanfare"; url: string; isThrowaway: boolean };
  users: number;
  /** null: a single instance, or unknown. */
  gateways: number | null;
  workers: number | null;
  client: { processes: number; napMs: number };
  /** null: the tokens came from a file. */
  registration: RegistrationResult | null;
  connection: {
    users: number;
    durationMs: number;
    perSecond: number;
    perServerCpuSecond: number | null;
    onlineMs: Percentiles | null;
  } | null;
  bytesPerConnection: ConnectionBytes | null;
  hold: {
    plannedMs: number;
    heldMs: number;
    /** At most a few hundred, independent of the duration. */
    samples: HoldSample[];
    rssGrowthBytes: number | null;
    /** Server CPU per connection and hour while idle, mostly for heartbeats. */
    cpuSecondsPerConnectionHour: number | null;
  } | null;
  messages: CrowdMessage[];
  counts: {
    online: number;
    gaveUp: number;
    dropped: number;
    resyncs: number;
    sent: number;
    acknowledged: number;
    /** Acknowledged messages that are stored as they were sent; null: the run was interrupted. */
    stored: number | null;
    expected: number;
    received: number;
    lost: number;
    duplicates: number;
    outOfOrder: number;
    /** Deliveries with another text than was sent. */
    corrupted: number;
  };
  server: {
    beforeConnect: ServerUsage | null;
    connected: ServerUsage | null;
    afterHold: ServerUsage | null;
    afterMessages: ServerUsage | null;
  };
  /** Cores used by unrelated programs while connections were made; null: unknown. */
  otherProgramsCores: number | null;
  errors: { phase: string; code: string; count: number }[];
}
