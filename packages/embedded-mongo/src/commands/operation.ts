import { CommandScope, type Task, timeExpired } from "../command-scope.ts";

/** A paused or new command. Each step runs it until it is done or its time slice is over. */
export class Operation<T> {
  readonly #task: Task<T>;
  readonly #scope: CommandScope;
  #interruption: unknown;

  constructor(task: Task<T>, scope = new CommandScope()) {
    this.#task = task;
    this.#scope = scope;
  }

  /**
   * @param untilMs when to pause, on the clock of `performance.now()`
   * @returns the result; undefined if it is paused
   * @throws what the command throws
   */
  step(untilMs: number): T | undefined {
    if (this.#scope.isExpired) this.#interruption ??= timeExpired();
    const { done, value } = this.#scope.run(untilMs, () =>
      this.#interruption === undefined ? this.#task.next() : this.#task.throw(this.#interruption),
    );
    return done ? value : undefined;
  }

  /** Throws an error inside the command at its next step. */
  interrupt(error: unknown): void {
    this.#interruption ??= error;
  }

  /** Cancels the command without a result. */
  end(): void {
    try {
      this.#scope.run(Number.POSITIVE_INFINITY, () => this.#task.return(undefined as T));
    } catch {
      // The disk is full. Remains of an index build are deleted at the next start.
    }
  }
}
