/**
 * `LRUCache` options for at most `maxEntries` entries. Memory grows with use, whereas `max` allocates room for all entries up front (14 ms of CPU
 * for 200,000).
 */
export const entryLimit = (maxEntries: number) => ({ maxSize: maxEntries, sizeCalculation: () => 1 });
