/** Where the service worker keeps what another app shares, until the page has read it. The path is in manifest.webmanifest. */
export const SHARED = { cache: "fanfare-shared", path: "/new-message" } as const;

export type ToWorker =
  /** Activates the new version. */
  | { type: "takeOver" }
  /** Files that the page loaded before the worker was active. */
  | { type: "keep"; paths: string[] };

export type ToPage =
  | { type: "open"; path: string }
  /** The browser has replaced or ended its push subscription. */
  | { type: "subscriptionChanged" };

/**
 * Shows or lists notifications while no tab and no worker does so: Chromium drops a notification that is listed while it is being shown.
 * Without Web Locks (pages without https), at once.
 */
export async function withNotifications<T>(use: () => Promise<T>): Promise<T> {
  return "locks" in navigator ? navigator.locks.request("fanfare.notifications", use) : use();
}
