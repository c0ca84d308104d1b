import { resolve } from "node:path";
import { LIMITS } from "@fanfare/contract";
import type { Config } from "@fanfare/kernel";
import type { Fanfare } from "./start-fanfare.ts";

/** Hosts that stand for every address of this machine. */
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

/** What an operator has to know of the admin; null where there is one. */
export function noticeOfAdmin(state: Awaited<ReturnType<Fanfare["adminState"]>>): string | null {
  if (state === "firstToRegister") return "there is none yet: the first to register becomes admin";
  return state === "none" ? "there is none: make one with `fanfare create-admin`" : null;
}

/** For standard output and not the log, which removes tokens and is often read by more people. */
export function setupNotice(publicUrl: string, token: string): string {
  const hours = LIMITS.setupLinkLifetimeMs / 3_600_000;
  return `Fanfare has no admin yet. Open this link within ${hours} hours to create the first one:\n${publicUrl}/setup#token=${token}\n`;
}

/** What a person who has just started it wants to know. */
export function greeting(
  { url, engine }: Pick<Fanfare, "url" | "engine">,
  config: Config,
  adminNotice: string | null,
): string {
  const data = {
    embedded: `in ${resolve(config.dataDir)}; it survives a restart`,
    mongodb: "in the MongoDB of MONGO_URL",
    none: "with the processes that store it",
  }[engine ?? "none"];
  return [
    "",
    `  Fanfare is running at ${url}`,
    ...(EVERYWHERE.has(config.host) ? ["  and for others in your network at this machine's address"] : []),
    "",
    "  Try it     open that address in two browser windows and write to yourself",
    ...(adminNotice === null ? [] : [`  Admin      ${adminNotice}`]),
    `  Data       ${data}`,
    "  Measure    npx -y pnpm@12 bench:broadcast --users 1000",
    "  Stop       Ctrl-C",
    "",
    "",
  ].join("\n");
}
