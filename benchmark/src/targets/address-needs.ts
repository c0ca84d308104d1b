import { connectError, usageError } from "../cli/exit.ts";
import type { Needs } from "../cli/preflight.ts";
import { addressOf } from "../receivers/audience.ts";

/** What this machine needs depends on where the server is. Without a URL the server runs here. */
export async function addressNeeds(
  url: string | undefined,
): Promise<Pick<Needs, "isLocalServer" | "canSpreadAddresses">> {
  if (url === undefined) return { isLocalServer: true, canSpreadAddresses: process.platform === "linux" };
  if (!URL.canParse(url)) throw usageError(`--url ${url} is not a valid URL. Example: http://127.0.0.1:3000`);
  const { protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw usageError("--url must begin with http:// or https://.");
  const address = await addressOf(url).catch(() => {
    throw connectError(`Unknown host in ${url}.`);
  });
  const isLocalServer = address.startsWith("127.") || address === "::1";
  return { isLocalServer, canSpreadAddresses: address.startsWith("127.") && process.platform === "linux" };
}
