import type { Call } from "@fanfare/contract";
import { startNode, type Config, type NodeContext } from "@fanfare/kernel";
import { createUserService } from "@fanfare/user";
import { uriOfRunning } from "./open-stopped.ts";

/** A part of the program as a process of its own that nobody else knows of. */
export function alone(config: Config, services: Config["services"]): Config {
  return { ...config, services, natsUrl: undefined, redisUrl: undefined, opsPort: 0, gatewayThreads: 0 };
}

/** Calls actions of the user service on the configured database. */
export const withUserService = <T>(config: Config, work: (call: Call) => Promise<T>): Promise<T> =>
  withUserNode(config, ({ call }) => work(call));

/** Does something with what a process is given that hosts the user service, also beside a running instance. */
export async function withUserNode<T>(config: Config, work: (node: NodeContext) => Promise<T>): Promise<T> {
  const fail = (error: Error): never => {
    throw error;
  };
  const start = (where: Config) => startNode(alone(where, ["user"]), [createUserService], fail);
  const node = await start(config).catch((error: unknown) =>
    start({ ...config, mongoUrl: uriOfRunning(error) }),
  );
  try {
    return await work(node.context);
  } finally {
    await node.stop();
  }
}
