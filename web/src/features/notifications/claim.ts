/** As long as a message may take to reach the other tabs. */
const HELD_MS = 10_000;

/**
 * Whether this tab is the one to tell of something: of all tabs of the browser, the first that asks. Where a browser has no locks for pages
 * (without https), each tab is.
 */
export async function claim(name: string): Promise<boolean> {
  if (!("locks" in navigator)) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(`fanfare.${name}`, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null);
      if (lock !== null) await new Promise((done) => setTimeout(done, HELD_MS));
    });
  });
}
