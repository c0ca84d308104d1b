/** Limits of plug-ins. */
export const PLUGIN_LIMITS = {
  plugins: 20,
  actionsPerPlugin: 50,
  /** Of plugin.json, and of the page's file. */
  manifestMaxBytes: 64 * 1024,
  pageMaxBytes: 512 * 1024,
  keyMaxChars: 200,
  /** Of what a plug-in publishes to its panels, as JSON. */
  publishedMaxChars: 4096,
  /** Of a stored value, as JSON. */
  valueMaxChars: 16 * 1024,
  valuesPerPlugin: 10_000,
  valuesPerPage: 1000,
  /** The values of a page: it ends before the first one that exceeds it. */
  pageMaxChars: 512 * 1024,
} as const;
