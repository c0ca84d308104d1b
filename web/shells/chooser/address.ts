const HTTPS = "https:";
const HTTP = "http:";
/** URLs also accept characters such as `*` in hosts, which are wildcards in settings of the apps. */
const PLAIN_HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])$/;
const LOCAL_HOST =
  /^(?:localhost|[^.]+|.*\.(?:localhost|local|internal|lan)|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[(?:::1|f[cd].*|fe80.*)\])$/;
const MAX_NAME_CHARS = 60;

export interface Server {
  origin: string;
  name: string;
}

/** What answered at `/api/meta`, after redirects. `origin` is where it was found. */
export interface MetaAnswer {
  origin: string;
  body: string;
}

/** @returns `unreachable` if nothing answers, `notFanfare` if it answers with an error */
export type FetchMeta = (origin: string) => Promise<MetaAnswer | "unreachable" | "notFanfare">;

export type FoundServer =
  | { outcome: "found"; server: Server; isEncrypted: boolean }
  | { outcome: "notAddress" }
  | { outcome: "unreachable" | "notFanfare"; host: string };

export const hasPlainHost = ({ hostname }: URL): boolean => PLAIN_HOST.test(hostname);

/**
 * The origins that a typed address can mean, encrypted ones first. Without a scheme, only addresses of a private network
 * are also tried without encryption.
 */
export function originsOf(text: string): string[] {
  const trimmed = text.trim();
  const hasScheme = trimmed.includes("://");
  let url: URL;
  try {
    url = new URL(hasScheme ? trimmed : `${HTTPS}//${trimmed}`);
  } catch {
    return [];
  }
  const isAllowed = [HTTPS, HTTP].includes(url.protocol) && url.username === "" && url.password === "";
  if (!isAllowed || !hasPlainHost(url)) return [];
  if (hasScheme || !LOCAL_HOST.test(url.hostname)) return [url.origin];
  return [url.origin, new URL(`${HTTP}//${trimmed}`).origin];
}

/** Finds the server at a typed address. */
export async function findServer(text: string, fetchMeta: FetchMeta): Promise<FoundServer> {
  const origins = originsOf(text);
  if (origins.length === 0) return { outcome: "notAddress" };
  const { host } = new URL(origins[0]!);
  let outcome: "unreachable" | "notFanfare" = "unreachable";
  for (const origin of origins) {
    const answer = await fetchMeta(origin);
    const server = typeof answer === "string" ? null : serverOf(answer);
    if (server !== null) return { outcome: "found", server, isEncrypted: server.origin.startsWith(HTTPS) };
    if (answer !== "unreachable") outcome = "notFanfare";
  }
  return { outcome, host };
}

/** null if it isn't a Fanfare server. */
function serverOf({ origin, body }: MetaAnswer): Server | null {
  if (!originsOf(origin).includes(origin)) return null;
  let meta: unknown;
  try {
    meta = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof meta !== "object" || meta === null) return null;
  const { name, version, branding } = meta as Record<string, unknown>;
  if (name !== "fanfare" || typeof version !== "string") return null;
  const branded = (branding as { name?: unknown } | undefined)?.name;
  return { origin, name: typeof branded === "string" ? branded.slice(0, MAX_NAME_CHARS) : "Fanfare" };
}
