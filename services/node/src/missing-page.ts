import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "@fanfare/kernel";

/** Instructions when the page isn't built; null when it is, or when this process doesn't serve it. */
export function missingPageNotice({ services, webDir }: Pick<Config, "services" | "webDir">): string | null {
  if (!services.includes("gateway") || existsSync(join(webDir, "index.html"))) return null;
  return `no web client in WEB_DIR (${resolve(webDir)}): build it with \`npx -y pnpm@12 build\``;
}
