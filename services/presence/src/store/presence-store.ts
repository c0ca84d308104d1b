/** A gateway's report; see `presence.report` in the contract. */
export interface GatewayReport {
  gatewayId: string;
  number: number;
  connected: readonly string[];
  disconnected: readonly string[];
}

/**
 * Who is connected at which gateway, and whose presence has to be published. Everything may be repeated and done by several
 * workers at once. Every method rejects where the store cannot be reached.
 */
export interface PresenceStore {
  /**
   * Takes a report: users who were nowhere before, and those who are nowhere now, are noted as changed.
   * @returns false when the gateway is not known any more, and nothing was taken. Nor is its first report, should it come so late
   */
  report(report: GatewayReport): Promise<boolean>;
  /** Those of the users who are connected anywhere. */
  connectedAmong(userIds: readonly string[]): Promise<Set<string>>;
  /** How many users are connected; of several processes, one at each of two gateways counts twice. */
  countConnected(): Promise<number>;
  /** Notes that the presence of a user may look different now. */
  noteChange(userId: string): Promise<void>;
  /**
   * Users whose change is due. They are this worker's until `settle`, or until `claimMs` have passed; then another
   * worker gets them.
   */
  claimChanged(limit: number): Promise<string[]>;
  /** The changes of these users have been published. */
  settle(userIds: readonly string[]): Promise<void>;
  /**
   * Forgets users of one gateway that has been silent for too long. If this was not called for `sweepGapMs`, because the store or
   * every worker was away, the gateways first get the time to report: their reports may have been lost.
   * @returns how many; 0 when there are no more
   */
  forgetSilent(limit: number): Promise<number>;
}

export interface PresenceStoreTimes {
  gatherMs: number;
  gatewayTimeoutMs: number;
  /** How long a gateway that was forgotten is refused. */
  forgottenMs: number;
  claimMs: number;
  sweepGapMs: number;
}
