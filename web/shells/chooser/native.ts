import type { FetchMeta, Server } from "./address.ts";
import { type Link, parseLink } from "./link.ts";

export interface Servers {
  current: string | null;
  list: Server[];
}

export type OpenFailure = "tooMany" | "notSaved" | "failed";

/** What the chooser needs of the app around it. */
export interface Native {
  /** Whether the app shows the current server by itself when it starts. */
  opensCurrent: boolean;
  listServers(): Promise<Servers>;
  fetchMeta: FetchMeta;
  /** Remembers the server and opens it. */
  openServer(server: Server, path: string): Promise<OpenFailure | null>;
  removeServer(origin: string): Promise<Servers>;
  /** The link that the chooser has to open, once. */
  takeLink(): Promise<Link | null>;
}

interface TauriInternals {
  invoke(this: void, command: string, parameters?: object): Promise<unknown>;
}

interface Capacitor {
  Plugins: {
    CapacitorHttp: {
      get(options: object): Promise<{ status: number; url: string; data: unknown }>;
    };
    Servers: {
      list(): Promise<Servers>;
      open(options: Server & { path: string }): Promise<void>;
      remove(options: { origin: string }): Promise<Servers>;
      takeLink(): Promise<{ link: string }>;
    };
  };
}

declare global {
  interface Window {
    __TAURI_INTERNALS__?: TauriInternals;
    Capacitor?: Capacitor;
  }
}

const TIMEOUT_MS = 10_000;
/** A page that isn't a server's answer can be of any size. */
const MAX_META_CHARS = 64 * 1024;

/** @throws if the page was opened in a browser */
export function nativeOf({ __TAURI_INTERNALS__: tauri, Capacitor: capacitor }: Window): Native {
  if (tauri !== undefined) return desktop(tauri);
  if (capacitor !== undefined) return mobile(capacitor);
  throw new Error("This page only works inside the apps.");
}

function failureOf(error: unknown): OpenFailure {
  const text = error instanceof Error ? error.message : error;
  return text === "tooMany" || text === "notSaved" ? text : "failed";
}

function desktop({ invoke }: TauriInternals): Native {
  return {
    opensCurrent: true,
    listServers: () => invoke("list_servers") as Promise<Servers>,
    fetchMeta: (origin) => invoke("fetch_meta", { origin }).catch((error) => error) as ReturnType<FetchMeta>,
    openServer: (server) => invoke("open_server", { server }).then(() => null, failureOf),
    removeServer: (origin) => invoke("remove_server", { origin }) as Promise<Servers>,
    // The program of the app opens links itself.
    takeLink: async () => null,
  };
}

function mobile({ Plugins: { CapacitorHttp, Servers } }: Capacitor): Native {
  return {
    opensCurrent: false,
    listServers: () => Servers.list(),
    async fetchMeta(origin) {
      const timeouts = { connectTimeout: TIMEOUT_MS, readTimeout: TIMEOUT_MS };
      try {
        const options = { url: `${origin}/api/meta`, responseType: "text", ...timeouts };
        const { status, url, data } = await CapacitorHttp.get(options);
        const body = typeof data === "string" ? data : JSON.stringify(data);
        if (status !== 200 || body.length > MAX_META_CHARS) return "notFanfare";
        return { origin: new URL(url).origin, body };
      } catch {
        return "unreachable";
      }
    },
    openServer: (server, path) => Servers.open({ ...server, path }).then(() => null, failureOf),
    removeServer: (origin) => Servers.remove({ origin }),
    takeLink: async () => parseLink((await Servers.takeLink()).link),
  };
}
