/**
 * Loads code or texts. Without a network, the rest of the page works nevertheless: what this browser hasn't stored yet is loaded as soon
 * as there is a network.
 */
export async function whenLoaded<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    const wasOnline = navigator.onLine;
    try {
      return await load();
    } catch (error) {
      // The network can have come back before the failure was reported.
      if (wasOnline && navigator.onLine) throw error;
      if (!navigator.onLine)
        await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
    }
  }
}
