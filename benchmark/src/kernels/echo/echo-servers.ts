import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { accepts, cleanEnvironment } from "../../platform/programs.ts";
import type { ServerProgram } from "../../platform/server-process.ts";

export const ECHO_SERVERS = ["fastify", "node", "nginx"] as const;
export type EchoServerName = (typeof ECHO_SERVERS)[number];

/**
 * A single-threaded server that answers `GET /echo/<text>` with the text.
 * @param folder where it can write
 */
export function echoProgram(name: EchoServerName, port: number, folder: string): ServerProgram {
  const base = { name, env: cleanEnvironment(), isReady: () => accepts(port) };
  if (name === "nginx") {
    const config = join(folder, "nginx.conf");
    writeFileSync(config, nginxConfig(port, folder));
    return { ...base, command: "nginx", args: ["-p", folder, "-c", config, "-e", "stderr"] };
  }
  const file = fileURLToPath(new URL(`./${name}-server.ts`, import.meta.url));
  return { ...base, command: process.execPath, args: [file, String(port)] };
}

/** nginx is only measured if it is installed. */
export function isNginxInstalled(): boolean {
  return spawnSync("nginx", ["-v"], { env: cleanEnvironment() }).error === undefined;
}

/** One process without a master, unlimited keep-alive, no logs. */
function nginxConfig(port: number, folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  return `daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 1000000000;
  default_type text/plain;
  ${temporary.join("\n  ")}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location ~ ^/echo/(.+)$ { return 200 $1; }
  }
}
`;
}
