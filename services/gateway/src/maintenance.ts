import { setTimeout as delay } from "node:timers/promises";
import { ERRORS, type Maintenance } from "@fanfare/contract";
import { serviceError, type NodeContext, type ServiceError } from "@fanfare/kernel";
import { MAINTENANCE_RETRY_MS, MAINTENANCE_WAIT_MS, PAUSED_RETRY_MS } from "./bounds.ts";

/** Whether this gateway takes changes at the moment: asked for at the start, told from then on. */
export class MaintenanceMode {
  readonly #node: Pick<NodeContext, "call" | "logger">;
  readonly #signal: AbortSignal;
  #now: Maintenance = { enabled: false, message: "" };
  /** Counts what was told, so that an answer that was under way meanwhile does not undo it. */
  #told = 0;

  constructor(node: Pick<NodeContext, "call" | "logger">, signal: AbortSignal) {
    this.#node = node;
    this.#signal = signal;
  }

  /** Null while everything can be done. */
  refusal(): ServiceError | null {
    if (!this.#now.enabled) return null;
    const message = this.#now.message === "" ? ERRORS.MAINTENANCE.message : this.#now.message;
    return serviceError("MAINTENANCE", { message, retryAfterMs: PAUSED_RETRY_MS });
  }

  tell(maintenance: Maintenance): void {
    this.#told += 1;
    this.#now = maintenance;
  }

  /** What was told may have been lost. */
  askAgain(): void {
    void this.#askUntilAnswered();
  }

  /**
   * Resolves when it is known. Where nobody answers the gateway serves all the same after a moment, and goes on asking: the service
   * that knows is not one that nobody can be served without.
   */
  async start(): Promise<void> {
    await Promise.race([
      this.#askUntilAnswered(),
      delay(MAINTENANCE_WAIT_MS, undefined, { signal: this.#signal }).catch(() => {}),
    ]);
  }

  async #askUntilAnswered(): Promise<void> {
    while (!this.#signal.aborted) {
      const told = this.#told;
      try {
        const maintenance = await this.#node.call("admin.getMaintenance", {});
        if (this.#told === told) this.#now = maintenance;
        return;
      } catch (error) {
        this.#node.logger.debug({ err: error }, "nobody says whether there is maintenance");
        await delay(MAINTENANCE_RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
