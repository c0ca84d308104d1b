import { join } from "node:path";
import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import { freePort } from "./free-port.ts";
import type { Platform } from "./platform.ts";
import { nodeProgram, pinned, platformEnvironment } from "./programs.ts";
import { Workplace } from "./workplace.ts";

/** Starts the whole platform in one process, with the embedded database. */
export async function startSingleInstance(
  signal: AbortSignal,
  gatewayThreads = defaultGatewayThreads(),
  cores?: string,
): Promise<Platform> {
  const workplace = await Workplace.open();
  const [port, opsPort] = [await freePort(), await freePort()];
  const program = nodeProgram("throwaway instance", {
    env: { ...platformEnvironment(), GATEWAY_THREADS: String(gatewayThreads) },
    port,
    opsPort,
    dataDir: join(workplace.folder, "data"),
  });
  const process = workplace.add(cores === undefined ? program : pinned(program, cores));
  try {
    await process.start(signal);
  } catch (error) {
    await workplace.close();
    throw error;
  }
  const gateway = {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${opsPort}/metrics`,
    process,
  };
  return {
    gateways: [gateway],
    workers: 0,
    folder: workplace.folder,
    natsMonitorUrl: undefined,
    get processes() {
      return workplace.processes;
    },
    async refresh(refreshSignal, env) {
      await process.stop();
      await process.start(refreshSignal, env);
    },
    close: () => workplace.close(),
  };
}
