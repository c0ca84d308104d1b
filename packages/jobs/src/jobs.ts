import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "mongoose";
import { Counter, Gauge, type Registry } from "prom-client";
import { createJobStore, type DeadJob, type JobStore, type LeasedJob } from "./job-store.ts";

export type { DeadJob } from "./job-store.ts";

/** Poll interval for retries and for jobs enqueued by other processes. */
const POLL_MS = 1000;
/** Jobs of a crashed process are taken over after this time. Tolerates clock skew of up to a third of it. */
const LEASE_MS = 30_000;
/** How often unfinished and dead jobs are counted. */
const COUNT_INTERVAL_MS = 15_000;
/** Due jobs whose kinds a poll reads. If there are more, it tries to claim a job of each kind. */
const MAX_POLLED = 20;
const STOP_MS = 5000;
const DEAD_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
const ERROR_MAX_CHARS = 500;
const MAX_TRIES = 12;
const MAX_WAITING = 10_000;
const BACKOFF = { firstMs: 1000, maxMs: 10 * 60_000 };
const OUTCOMES = ["done", "failed", "dead", "interrupted"] as const;

/** One run of a job. */
export interface RunningJob<P> {
  /** The same in every run of the job: use it as the idempotency key for side effects. */
  readonly id: string;
  readonly key: string;
  readonly payload: P;
  /** 1 in the first run. Runs of killed processes count. */
  readonly tries: number;
  /** Aborted when the process stops or loses the lease. */
  readonly signal: AbortSignal;
}

export interface JobOptions<P> {
  /**
   * Runs the job. Rejections are retried, except a `PermanentError`. A job can run more than once, so its effects must be
   * idempotent or guarded by `job.id`. If it returns `againAt`, the job stays and runs again at that time.
   */
  run: (job: RunningJob<P>) => Promise<{ againAt: Date } | void>;
  /** How many jobs of the kind one process runs concurrently. Default: 1. */
  concurrency?: number;
  /** Tries before the job is dead. Default: 12. Recurring jobs are retried forever. */
  maxTries?: number;
  /** Delay before the second try in milliseconds, doubled for each further try up to `maxMs`. */
  backoff?: { firstMs: number; maxMs: number };
  /** Limit of unfinished jobs of the kind; `enqueue` throws beyond it. Each process counts them every 15 s. Default: 10,000. */
  maxWaiting?: number;
  /** Runs each key only once, and remembers it for this time after success, in milliseconds. Default: each `enqueue` causes a run. */
  onceForMs?: number;
  /** Makes the kind recurring: one job with the key `""`, run at this interval by one process of the cluster at a time. */
  everyMs?: number;
  /** Called when a job of the kind becomes dead in this process. */
  onDead?: (error: unknown) => void;
}

export interface JobKind<P> {
  /**
   * Stores a job; it is on disk when the promise resolves. If the key exists, another run with the new payload starts after this
   * call; with `onceForMs`, nothing happens. A job in backoff keeps waiting, and a dead job stays dead.
   * @param key identifies the job within its kind; `""` for recurring kinds
   * @param dueAt the earliest time to run; default: now
   * @throws {JobQueueFullError} if there are `maxWaiting` unfinished jobs
   */
  enqueue(key: string, payload: P, dueAt?: Date): Promise<void>;
  /** Runs the dead job of the key again with a reset try count. @returns false if there is none */
  retryDead(key: string): Promise<boolean>;
  /** Approximate number of unfinished jobs of the kind: counted every 15 s, plus those this process has enqueued since. */
  readonly waiting: number;
  /** Whether `enqueue` throws `JobQueueFullError`. */
  readonly isFull: boolean;
}

export interface JobsOptions {
  connection: Connection;
  logger: Record<"warn" | "error", (fields: object, message: string) => void>;
  metrics: Registry;
  /** Runs the work of a job, for example in a logging scope. */
  inScope?: <T>(jobId: string, kind: string, work: () => Promise<T>) => Promise<T>;
  pollMs?: number;
  leaseMs?: number;
}

interface Kind extends JobOptions<unknown> {
  name: string;
  waiting: number;
  running: Map<AbortController, { id: LeasedJob["_id"]; ended: Promise<void> }>;
}

/** Throw it from `run` if retries are pointless: the job is dead immediately. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}

/** The queue of a job kind is full. */
export class JobQueueFullError extends Error {
  override readonly name = "JobQueueFullError";
}

/**
 * Background work that survives a restart: one collection for all kinds, one loop and one drain per process.
 *
 * - No job is lost. A job is on disk when `enqueue` resolves, and is removed after a successful run. The jobs of a killed process
 *   are run by another process, or after a restart, once their leases expire (30 s).
 * - A key has one run at a time. Each lease has a higher `fence`, and every write checks it, so a process that was suspended for
 *   longer than its lease can't store an outcome.
 * - Failures are retried with exponential backoff. After the last try the job is dead; admins can retry or delete it.
 * - Jobs run at least once, because a process can crash between an effect and storing the outcome. A database write happens
 *   exactly once if it is conditional on `job.id`. An external effect can happen twice; emails have `job.id` as their
 *   `Message-ID`, so that the recipient's server can deduplicate them.
 */
export class Jobs {
  readonly #store: JobStore;
  readonly #options: Required<Pick<JobsOptions, "logger" | "inScope" | "pollMs" | "leaseMs">>;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #kinds = new Map<string, Kind>();
  readonly #tasks = new Set<Promise<void>>();
  /** Kinds to check for due jobs. */
  readonly #due = new Set<Kind>();
  #state: "defined" | "started" | "stopping" = "defined";
  #isClaiming = false;
  #isFailing = false;
  #poll: NodeJS.Timeout | undefined;
  #countedAtMs = 0;

  constructor({ connection, metrics, ...options }: JobsOptions) {
    this.#store = createJobStore(connection);
    this.#options = { pollMs: POLL_MS, leaseMs: LEASE_MS, inScope: (_id, _kind, work) => work(), ...options };
    this.#metrics = createMetrics(metrics);
  }

  /**
   * Defines how jobs of a kind run. Call it before `start`, in every process that enqueues them.
   * @throws {Error} if the kind is already defined
   */
  define<P = null>(name: string, options: JobOptions<P>): JobKind<P> {
    if (this.#kinds.has(name)) throw new Error(`The job kind ${name} is already defined.`);
    const kind: Kind = { ...(options as JobOptions<unknown>), name, waiting: 0, running: new Map() };
    this.#kinds.set(name, kind);
    this.#metrics.declare(name);
    const { maxWaiting = MAX_WAITING, onceForMs } = options;
    const isFull = (): boolean => kind.waiting >= maxWaiting;
    return {
      get isFull() {
        return isFull();
      },
      get waiting() {
        return kind.waiting;
      },
      enqueue: async (key, payload, dueAt = new Date()) => {
        if (isFull()) throw new JobQueueFullError(`The queue of ${name} jobs is full (${maxWaiting}).`);
        if (await this.#store.put(name, key, payload, dueAt, onceForMs !== undefined)) kind.waiting += 1;
        if (dueAt.getTime() <= Date.now()) this.#check([kind]);
      },
      retryDead: async (key) => {
        const isRevived = (await this.#store.revive({ kind: name, key })) !== null;
        if (isRevived) this.#check([kind]);
        return isRevived;
      },
    };
  }

  /** Starts running jobs. */
  async start(): Promise<void> {
    for (const { name, everyMs } of this.#kinds.values())
      if (everyMs !== undefined) await this.#store.put(name, "", null, new Date(Date.now() + everyMs), false);
    if (this.#state !== "defined") return;
    this.#state = "started";
    this.#check(this.#kinds.values());
    this.#poll = setInterval(() => this.#track(this.#pollDue()), this.#options.pollMs);
  }

  /**
   * Starts no more jobs, aborts the running ones and waits for them. They run again in another process or after a restart.
   * @param waitMs how long to wait; jobs that take longer run again when their lease expires
   */
  async stop(waitMs = STOP_MS): Promise<void> {
    this.#state = "stopping";
    clearInterval(this.#poll);
    for (const { running } of this.#kinds.values()) for (const abort of running.keys()) abort.abort();
    await Promise.race([this.#ended(), delay(Math.max(0, waitMs), undefined, { ref: false })]);
  }

  async #ended(): Promise<void> {
    // First the tasks: a claim in progress still starts a run.
    await Promise.all(this.#tasks);
    await Promise.all(
      [...this.#kinds.values()].flatMap(({ running }) => [...running.values()].map(({ ended }) => ended)),
    );
  }

  /** A page of dead jobs, newest first. @param before the last job on the previous page; it may be gone */
  listDead(limit: number, before?: Pick<DeadJob, "id" | "deadAt">): Promise<DeadJob[]> {
    return this.#store.listDead(limit, before);
  }

  /** Runs a dead job again with a reset try count. @returns false if there is no such dead job */
  async retryDead(id: string): Promise<boolean> {
    const name = await this.#store.revive({ _id: id });
    const kind = this.#kinds.get(name ?? "");
    if (kind !== undefined) this.#check([kind]);
    return name !== null;
  }

  /** @returns false if there is no such dead job */
  deleteDead(id: string): Promise<boolean> {
    return this.#store.deleteDead(id);
  }

  #track(work: Promise<void>): void {
    const task = work
      .then(() => void (this.#isFailing = false))
      .catch((error: unknown) => {
        // Logged once per outage, because polls repeat every second.
        if (!this.#isFailing) this.#options.logger.warn({ err: error }, "job poll failed, retrying");
        this.#isFailing = true;
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #pollDue(): Promise<void> {
    const free = [...this.#kinds.values()].filter(hasRoom);
    const dueKinds = await this.#store.listDueKinds(
      free.map(({ name }) => name),
      MAX_POLLED,
    );
    const hasAll = dueKinds.length < MAX_POLLED;
    if (dueKinds.length > 0) this.#check(hasAll ? free.filter(({ name }) => dueKinds.includes(name)) : free);
    if (Date.now() - this.#countedAtMs < COUNT_INTERVAL_MS) return;
    this.#countedAtMs = Date.now();
    const names = [...this.#kinds.keys()];
    const waiting = new Map((await this.#store.live(names)).map(({ _id, count }) => [_id, count]));
    const oldest = new Map((await this.#store.oldest(names)).map(({ _id, dueAt }) => [_id, dueAt]));
    const dead = new Map((await this.#store.dead()).map(({ _id, count }) => [_id, count]));
    for (const [name, kind] of this.#kinds) {
      kind.waiting = waiting.get(name) ?? 0;
      this.#metrics.measured(name, kind.waiting, dead.get(name) ?? 0, oldest.get(name));
    }
  }

  #check(kinds: Iterable<Kind>): void {
    for (const kind of kinds) this.#due.add(kind);
    if (this.#state === "started" && !this.#isClaiming) this.#track(this.#claimDue());
  }

  /** Starts due jobs up to the concurrency limit. */
  async #claimDue(): Promise<void> {
    this.#isClaiming = true;
    try {
      for (const kind of this.#due) {
        this.#due.delete(kind);
        while (this.#state === "started" && hasRoom(kind)) {
          const ids = [...kind.running.values()].map(({ id }) => id);
          const job = await this.#store.claim(kind.name, ids, this.#options.leaseMs);
          if (job === null) break;
          const abort = new AbortController();
          // `stop` was called during the claim: the aborted run releases the job.
          if (this.#state !== "started") abort.abort();
          const ended = this.#run(kind, job, abort).finally(() => {
            kind.running.delete(abort);
            this.#check([kind]);
          });
          kind.running.set(abort, { id: job._id, ended });
          this.#metrics.running.set({ kind: kind.name }, kind.running.size);
        }
      }
    } finally {
      this.#isClaiming = false;
    }
  }

  /** Never rejects: if the outcome can't be stored, the job runs again when its lease expires. */
  async #run(kind: Kind, job: LeasedJob, abort: AbortController): Promise<void> {
    const { leaseMs, logger } = this.#options;
    const renew = async () => {
      if (!(await this.#store.renew(job, leaseMs))) abort.abort();
    };
    const renewing = setInterval(() => renew().catch(() => undefined), leaseMs / 3);
    try {
      const outcome = await this.#attempt(kind, job, abort.signal).catch((error: unknown) =>
        this.#fail(kind, job, abort.signal, error),
      );
      this.#metrics.total.inc({ kind: kind.name, outcome });
      if (outcome === "done") kind.waiting = Math.max(0, kind.waiting - 1);
    } catch (error) {
      logger.error({ err: error, kind: kind.name, key: job.key }, "job outcome not stored");
    } finally {
      clearInterval(renewing);
      this.#metrics.running.set({ kind: kind.name }, kind.running.size - 1);
    }
  }

  async #attempt(kind: Kind, job: LeasedJob, signal: AbortSignal): Promise<(typeof OUTCOMES)[number]> {
    const { name, run, everyMs, onceForMs, maxTries = MAX_TRIES } = kind;
    const { key, payload, tries } = job;
    // Runs that crashed their process count; otherwise such a job would be retried forever.
    if (everyMs === undefined && tries > maxTries)
      throw new PermanentError("The process crashed during the last try.");
    signal.throwIfAborted();
    const id = job._id.toHexString();
    const again = await this.#options.inScope(id, name, async () => run({ id, key, payload, tries, signal }));
    const after = (ms: number) => new Date(Date.now() + ms);
    const dueAt = again?.againAt ?? (everyMs === undefined ? undefined : after(everyMs));
    const next =
      dueAt !== undefined ? { dueAt } : onceForMs !== undefined ? { rememberUntil: after(onceForMs) } : null;
    return (await this.#store.finish(job, next)) ? "done" : "interrupted";
  }

  async #fail(
    kind: Kind,
    job: LeasedJob,
    signal: AbortSignal,
    error: unknown,
  ): Promise<(typeof OUTCOMES)[number]> {
    const { name, everyMs, maxTries = MAX_TRIES, backoff = BACKOFF } = kind;
    const { key, tries } = job;
    if (signal.aborted) {
      await this.#store.release(job);
      return "interrupted";
    }
    const fields = { err: error, kind: name, key, tries };
    const message = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_MAX_CHARS);
    if (everyMs === undefined && (error instanceof PermanentError || tries >= maxTries)) {
      if (!(await this.#store.bury(job, message, new Date(Date.now() + DEAD_RETENTION_MS))))
        return "interrupted";
      this.#options.logger.error(fields, "job failed permanently, retry it in the admin console");
      kind.onDead?.(error);
      return "dead";
    }
    this.#options.logger.warn(fields, "job failed, retrying");
    const waitMs = Math.min(backoff.firstMs * 2 ** (tries - 1), backoff.maxMs);
    return (await this.#store.retryAt(job, new Date(Date.now() + waitMs), message))
      ? "failed"
      : "interrupted";
  }
}

const hasRoom = ({ running, concurrency = 1 }: Kind): boolean => running.size < concurrency;

function createMetrics(registry: Registry) {
  const gauge = (name: string, help: string, aggregator: "sum" | "max") =>
    new Gauge({ name, help, labelNames: ["kind"], aggregator, registers: [registry] });
  const total = new Counter({
    name: "fanfare_jobs_total",
    help: "Job runs by kind and outcome: 'failed' runs are retried, 'dead' ones are not, 'interrupted' ones run again elsewhere.",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  const running = gauge("fanfare_jobs_running", "Jobs that this process is running.", "sum");
  const waiting = gauge(
    "fanfare_jobs_waiting",
    "Unfinished jobs in the whole cluster, including those waiting for a retry.",
    "max",
  );
  const dead = gauge("fanfare_jobs_dead", "Jobs that failed permanently, in the whole cluster.", "max");
  const overdue = gauge(
    "fanfare_jobs_overdue_seconds",
    "Seconds since the oldest runnable job in the whole cluster became due.",
    "max",
  );
  return {
    total,
    running,
    declare(kind: string): void {
      for (const outcome of OUTCOMES) total.inc({ kind, outcome }, 0);
      for (const one of [running, waiting, dead, overdue]) one.set({ kind }, 0);
    },
    measured(kind: string, waitingCount: number, deadCount: number, oldest: Date | undefined): void {
      waiting.set({ kind }, waitingCount);
      dead.set({ kind }, deadCount);
      overdue.set({ kind }, oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.getTime()) / 1000);
    },
  };
}
