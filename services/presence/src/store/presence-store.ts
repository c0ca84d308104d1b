/** A gateway's report; see `presence.report` in the contract. */
export interface GatewayReport {
  gatewayId: string;
  number: number;
  connected: readonly string[];
  disconnected: readonly string[];
}

/**
 * Stores which users are connected at which gateway, and which changes must be published. All methods are idempotent, can be
 * called concurrently by several workers, and reject when the store is unavailable.
 */
export interface PresenceStore {
  /**
   * Applies a report; users who connected first or disconnected last are marked as changed.
   * @returns false when the gateway is unknown or was forgotten, and nothing was applied
   */
  report(report: GatewayReport): Promise<boolean>;
  /** @returns those of the users who are connected */
  filterConnected(userIds: readonly string[]): Promise<Set<string>>;
  /** The number of connected users; with several processes, a user at two gateways counts twice. */
  countConnected(): Promise<number>;
  /** Marks the presence of a user as changed. */
  recordChange(userId: string): Promise<void>;
  /** Claims users with due changes until `settle`, or for `claimMs`; then another worker gets them. */
  claimChanged(limit: number): Promise<string[]>;
  /** Call this when the changes were published. */
  settle(userIds: readonly string[]): Promise<void>;
  /**
   * Removes users of a gateway that has been silent for too long. If this was not called for `sweepGapMs`, because the store or
   * all workers were down, gateways first get time to report, because their reports may have been lost.
   * @returns the number of removed users; 0 when there are none left
   */
  expireGateways(limit: number): Promise<number>;
  /** Whether changes may be waiting to be published. */
  readonly hasChanges: boolean;
  /** Whether there may be gateways, known or forgotten. */
  readonly hasGateways: boolean;
}

export interface PresenceStoreTimes {
  publishDelayMs: number;
  gatewayTimeoutMs: number;
  /** How long reports of a forgotten gateway are rejected. */
  deadGatewayTtlMs: number;
  claimMs: number;
  sweepGapMs: number;
}
