import { createServer } from "node:net";
import type { ClusterOptions } from "./options.ts";

const HIGHEST_PORT = 65_535;
const OTHER_PORTS_ABOVE = 1000;

/** Ports of the cluster, and the address each listens on. */
function portsOf({ gateways, workers, host, port, opsPort }: ClusterOptions): [port: number, host: string][] {
  const first = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  return [
    ...first(gateways).map((index): [number, string] => [port + index, host]),
    ...first(gateways).map((index): [number, string] => [opsPort("gateway", index), "127.0.0.1"]),
    ...first(workers).map((index): [number, string] => [opsPort("worker", index), "127.0.0.1"]),
  ];
}

/** A line that says which port is in use and what to do; null if all are free. */
export async function findOccupiedPort(options: ClusterOptions): Promise<string | null> {
  for (const [port, host] of portsOf(options)) {
    const code = await refusal(port, host);
    if (code === null) continue;
    if (code !== "EADDRINUSE") return `Could not listen on port ${port} of HOST=${host}: ${code}.`;
    const other = options.port + OTHER_PORTS_ABOVE * (options.port < HIGHEST_PORT / 2 ? 1 : -1);
    return (
      `Port ${port} is in use by another program. Stop it, or choose other ports: PORT=${other} npx -y pnpm@12 dev:cluster ` +
      `(for a second cluster also DATA_DIR=${options.folder}-2).`
    );
  }
  return null;
}

function refusal(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
