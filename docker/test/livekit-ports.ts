import { execFileSync } from "node:child_process";

/**
 * Returns the ports that a livekit-server with these variables listens on.
 * @throws {Error} if it rejects its configuration
 */
export function livekitPorts(env: Record<string, string>): number[] {
  const printed = execFileSync("livekit-server", ["ports"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...env },
  });
  // A single port for media is printed as %!s(int=7882).
  const ports = [...printed.matchAll(/(\d+)\)? - /g)].map(([, port]) => Number(port));
  if (ports.length === 0) throw new Error(printed);
  return ports;
}
