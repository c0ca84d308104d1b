/** Counts that several gateways add to. */
export interface SharedCounters {
  /**
   * @param steps of each counter in turn: its key, the points to add, and the milliseconds until it begins anew if this is its start
   * @returns of each in the same order: its total, and the milliseconds it has left
   */
  add(steps: readonly (string | number)[]): Promise<number[]>;
}
