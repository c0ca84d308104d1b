import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "mongoose";
import { Counter, Gauge, type Registry } from "prom-client";
import { createJobStore, type DeadJob, type JobStore, type LeasedJob } from "./job-store.ts";

/** Poll interval for retries and for jobs enqueued by other processes. */
const POLL_MS = 1000;
/** A job of a process that died is taken over after this time. The clocks of processes may differ by a third of it. */
const LEASE_MS = 30_000;
/** How often waiting and dead jobs are counted. */
const MEASURE_MS = 15_000;
const STOP_MS = 5000;
const DEAD_KEPT_MS = 90 * 24 * 60 * 60 * 1000;
const ERROR_MAX_CHARS = 500;
const MAX_TRIES = 12;
const MAX_WAITING = 10_000;
const BACKOFF = { firstMs: 1000, maxMs: 10 * 60_000 };
const OUTCOMES = ["done", "failed", "dead", "interrupted"] as const;

/** One run of a job. */
export interface RunningJob<P> {
  /** The same in every run of the job: the idempotency key for its effects. */
  readonly id: string;
  readonly key: string;
  readonly payload: P;
  /** 1 in the first run. A run whose process was killed counts. */
  readonly tries: number;
  /** Aborted when the process stops, or when another process has taken the job over. */
  readonly signal: AbortSignal;
}

export interface JobOptions<P> {
  /**
   * Does the work. A rejection is a failure and is retried, except a `PermanentFailure`. It can run more than once for one job, so its
   * effects must be repeatable or guarded by `job.id`. A job that returns `againAt` is not done, and runs again then.
   */
  run: (job: RunningJob<P>) => Promise<{ againAt: Date } | void>;
  /** Jobs of the kind that one process runs at the same time. Default 1. */
  concurrency?: number;
  /** Tries before the job is dead. Default 12. Recurring jobs are never dead. */
  maxTries?: number;
  /** Milliseconds before the second try, doubled before each further one up to `maxMs`. */
  backoff?: { firstMs: number; maxMs: number };
  /** Jobs of the kind that can wait; beyond that `enqueue` refuses. Each process counts every 15 s. Default 10,000. */
  maxWaiting?: number;
  /** A key runs once, and is remembered for this time after it succeeded, in milliseconds. Default: each `enqueue` leads to a run. */
  onceForMs?: number;
  /** Makes the kind recurring: one job with the key `""`, run this often by one process of the cluster at a time. */
  everyMs?: number;
  /** Called when a job of the kind dies in this process. */
  onDead?: (error: unknown) => void;
}

export interface JobKind<P> {
  /**
   * Stores a job; it is on disk when the promise resolves. When the key exists, one more run with the new payload begins after this
   * call, or nothing happens when the kind has `onceForMs`. A job that waits after a failure keeps waiting, and a dead one stays dead.
   * @param key identity of what is to be done, unique in its kind; `""` in recurring kinds
   * @param dueAt not before; default: now
   * @throws {JobsFull} when `maxWaiting` jobs wait
   */
  enqueue(key: string, payload: P, dueAt?: Date): Promise<void>;
  /** Jobs of the kind that are not done, as this process knows: it counts them every 15 s, and adds what it has stored since. */
  readonly waiting: number;
  /** Whether `enqueue` refuses. */
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

/** Throw it from `run` when further tries are pointless: the job is dead at once. */
export class PermanentFailure extends Error {
  override readonly name = "PermanentFailure";
}

/** The queue of a job kind is full. */
export class JobsFull extends Error {
  override readonly name = "JobsFull";
}

/**
 * Background work that survives a restart: one collection for all kinds, one loop and one drain per process.
 *
 * - Nothing is lost. A job is on disk when `enqueue` resolves and is removed after its run succeeded. When a process is killed,
 *   another one, or the next start, runs its jobs when their leases end (30 s).
 * - A key runs once at a time. A process that was frozen for longer than its lease cannot store the outcome: every lease has a
 *   higher `fence`, which every write of the lease holder demands.
 * - Failures are retried with exponential backoff. After the last try the job is dead: administrators see, retry or delete it.
 * - Jobs run at least once, because a process can die between an effect and the note that it is done. An effect in the database
 *   happens exactly once when its write is conditional on `job.id`. An effect outside can happen twice; a mail carries
 *   `job.id` as its `Message-ID`, so the receiver can deduplicate it.
 */
export class Jobs {
  readonly #store: JobStore;
  readonly #options: Required<Pick<JobsOptions, "logger" | "inScope" | "pollMs" | "leaseMs">>;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #kinds = new Map<string, Kind>();
  readonly #tasks = new Set<Promise<void>>();
  /** Kinds to look at for due jobs. */
  readonly #due = new Set<Kind>();
  #state: "defined" | "started" | "stopping" = "defined";
  #isLooking = false;
  #isFailing = false;
  #poll: NodeJS.Timeout | undefined;
  #measuredAtMs = 0;

  constructor({ connection, metrics, ...options }: JobsOptions) {
    this.#store = createJobStore(connection);
    this.#options = { pollMs: POLL_MS, leaseMs: LEASE_MS, inScope: (_id, _kind, work) => work(), ...options };
    this.#metrics = createMetrics(metrics);
  }

  /**
   * Says how the jobs of a kind run. Call it before `start`, in every process that enqueues them.
   * @throws {Error} when the kind is already defined
   */
  define<P = null>(name: string, options: JobOptions<P>): JobKind<P> {
    if (this.#kinds.has(name)) throw new Error(`The job kind ${name} is defined twice.`);
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
        if (isFull()) throw new JobsFull(`${maxWaiting} jobs of ${name} wait.`);
        if (await this.#store.put(name, key, payload, dueAt, onceForMs !== undefined)) kind.waiting += 1;
        if (dueAt.getTime() <= Date.now()) this.#look([kind]);
      },
    };
  }

  /** Begins to run jobs. */
  async start(): Promise<void> {
    for (const { name, everyMs } of this.#kinds.values())
      if (everyMs !== undefined) await this.#store.put(name, "", null, new Date(Date.now() + everyMs), false);
    if (this.#state !== "defined") return;
    this.#state = "started";
    this.#look(this.#kinds.values());
    this.#poll = setInterval(() => this.#track(this.#lookForDue()), this.#options.pollMs);
  }

  /**
   * Begins no further jobs, aborts the signals of running ones and waits for them. They run again in another process or at the next
   * start.
   * @param waitMs how long it waits; jobs that take longer run again when their lease ends
   */
  async stop(waitMs = STOP_MS): Promise<void> {
    this.#state = "stopping";
    clearInterval(this.#poll);
    const ended: Promise<void>[] = [...this.#tasks];
    for (const { running } of this.#kinds.values())
      for (const [abort, run] of running) {
        abort.abort();
        ended.push(run.ended);
      }
    await Promise.race([Promise.all(ended), delay(Math.max(0, waitMs), undefined, { ref: false })]);
  }

  /** A page of dead jobs, the latest first. @param before id of the last one of the page before */
  listDead(limit: number, before?: string): Promise<DeadJob[]> {
    return this.#store.listDead(limit, before);
  }

  /** Runs a dead job again, with all its tries. @returns false when there is no such dead job */
  async retryDead(id: string): Promise<boolean> {
    const name = await this.#store.revive(id);
    const kind = this.#kinds.get(name ?? "");
    if (kind !== undefined) this.#look([kind]);
    return name !== null;
  }

  /** @returns false when there is no such dead job */
  deleteDead(id: string): Promise<boolean> {
    return this.#store.deleteDead(id);
  }

  #track(work: Promise<void>): void {
    const task = work
      .then(() => void (this.#isFailing = false))
      .catch((error: unknown) => {
        // Logged once per outage, because polls are a second apart.
        if (!this.#isFailing) this.#options.logger.warn({ err: error }, "job poll failed, retrying");
        this.#isFailing = true;
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #lookForDue(): Promise<void> {
    const free = [...this.#kinds.values()].filter(hasRoom);
    if (await this.#store.isAnyDue(free.map(({ name }) => name))) this.#look(free);
    if (Date.now() - this.#measuredAtMs < MEASURE_MS) return;
    this.#measuredAtMs = Date.now();
    const names = [...this.#kinds.keys()];
    const waiting = new Map((await this.#store.live(names)).map(({ _id, count }) => [_id, count]));
    const oldest = new Map((await this.#store.oldest(names)).map(({ _id, dueAt }) => [_id, dueAt]));
    const dead = new Map((await this.#store.dead()).map(({ _id, count }) => [_id, count]));
    for (const [name, kind] of this.#kinds) {
      kind.waiting = waiting.get(name) ?? 0;
      this.#metrics.measured(name, kind.waiting, dead.get(name) ?? 0, oldest.get(name));
    }
  }

  #look(kinds: Iterable<Kind>): void {
    for (const kind of kinds) this.#due.add(kind);
    if (this.#state === "started" && !this.#isLooking) this.#track(this.#begin());
  }

  /** Starts due jobs up to the concurrency limit. */
  async #begin(): Promise<void> {
    this.#isLooking = true;
    try {
      for (const kind of this.#due) {
        this.#due.delete(kind);
        while (this.#state === "started" && hasRoom(kind)) {
          const ids = [...kind.running.values()].map(({ id }) => id);
          const job = await this.#store.claim(kind.name, ids, this.#options.leaseMs);
          if (job === null) break;
          const abort = new AbortController();
          // The process began to stop during the claim: the job is given back.
          if (this.#state !== "started") abort.abort();
          const ended = this.#run(kind, job, abort).finally(() => {
            kind.running.delete(abort);
            this.#look([kind]);
          });
          kind.running.set(abort, { id: job._id, ended });
          this.#metrics.running.set({ kind: kind.name }, kind.running.size);
        }
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Never rejects: if the outcome cannot be stored, the job runs again when its lease ends. */
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
    // A run that killed its process counts: otherwise such a job would be retried forever.
    if (everyMs === undefined && tries > maxTries)
      throw new PermanentFailure("The process died during the last try.");
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
    if (everyMs === undefined && (error instanceof PermanentFailure || tries >= maxTries)) {
      if (!(await this.#store.bury(job, message, new Date(Date.now() + DEAD_KEPT_MS)))) return "interrupted";
      this.#options.logger.error(fields, "job failed for good, retry it in the admin console");
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
    "Jobs that are not done, those that wait for their next try included, in the whole cluster.",
    "max",
  );
  const dead = gauge("fanfare_jobs_dead", "Jobs that failed for good, in the whole cluster.", "max");
  const overdue = gauge(
    "fanfare_jobs_overdue_seconds",
    "How long the oldest job that is due has been waiting, in the whole cluster.",
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
