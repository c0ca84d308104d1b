import type { FetchMeta, Server } from "./address.ts";
import { type Link, parseLink } from "./link.ts";

export interface Servers {
  current: string | null;
  list: Server[];
  /** Whether the app was built for push notifications. Only the mobile apps say it. */
  push?: boolean;
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
  /** From now on, the server's page learns how it reaches this app. */
  allowPush(origin: string): void;
  /** The link that the chooser has to open, once. */
  takeLink(): Promise<Link | null>;
}

interface TauriInternals {
  invoke(this: void, command: string, parameters?: object): Promise<unknown>;
}

interface Capacitor {
  getPlatform(): string;
  Plugins: {
    CapacitorHttp: {
      get(options: object): Promise<{ status: number; url: string; data: unknown }>;
    };
    PushNotifications: {
      requestPermissions(): Promise<{ receive: string }>;
      register(): Promise<void>;
      addListener(
        name: "registration" | "registrationError",
        listener: (event: { value?: string }) => void,
      ): Promise<unknown>;
    };
    Servers: {
      list(): Promise<Servers>;
      open(options: Server & { path: string; push: string }): Promise<void>;
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
/** Servers are opened without push notifications if Google or Apple take longer. */
const PUSH_TIMEOUT_MS = 3000;
/** A page that isn't a server's answer can be of any size. */
const MAX_META_CHARS = 64 * 1024;

/** Where the origins of servers are kept that the user wants notifications of. */
const PUSH_KEY = "push";

/** @throws if the page was opened in a browser */
export function nativeOf({ __TAURI_INTERNALS__: tauri, Capacitor: capacitor, localStorage }: Window): Native {
  if (tauri !== undefined) return desktop(tauri);
  if (capacitor !== undefined) return mobile(capacitor, localStorage);
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
    allowPush: () => {},
    // The program of the app opens links itself.
    takeLink: async () => null,
  };
}

function mobile(capacitor: Capacitor, storage: Storage): Native {
  const { CapacitorHttp, Servers } = capacitor.Plugins;
  const allowed = new Set(JSON.parse(storage.getItem(PUSH_KEY) ?? "[]") as string[]);
  const saveAllowed = (): void => storage.setItem(PUSH_KEY, JSON.stringify([...allowed]));
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
    async openServer(server, path) {
      const push = allowed.has(server.origin) ? await registerForPush(capacitor).catch(() => "") : "";
      return Servers.open({ ...server, path, push }).then(() => null, failureOf);
    },
    removeServer(origin) {
      if (allowed.delete(origin)) saveAllowed();
      return Servers.remove({ origin });
    },
    allowPush(origin) {
      allowed.add(origin);
      saveAllowed();
    },
    takeLink: async () => parseLink((await Servers.takeLink()).link),
  };
}

/**
 * Asks the user the first time, and gets the app's current token, which the app hands to the page of the server.
 * @returns how a server reaches this app, see `push.subscribe`; empty: it can't
 */
async function registerForPush(capacitor: Capacitor): Promise<string> {
  const { PushNotifications, Servers } = capacitor.Plugins;
  if (!(await Servers.list()).push) return "";
  if ((await PushNotifications.requestPermissions()).receive !== "granted") return "";
  const { promise, resolve } = Promise.withResolvers<string>();
  await PushNotifications.addListener("registration", ({ value = "" }) => resolve(value));
  await PushNotifications.addListener("registrationError", () => resolve(""));
  const timer = setTimeout(() => resolve(""), PUSH_TIMEOUT_MS);
  await PushNotifications.register();
  const token = await promise;
  clearTimeout(timer);
  if (token === "") return "";
  return capacitor.getPlatform() === "ios" ? `apns:${token.toLowerCase()}` : `fcm:${token}`;
}
