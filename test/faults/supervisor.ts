import type { ServerProcess } from "@fanfare/testing";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "./random.ts";

const RESTART_AFTER_MS = { from: 200, to: 3000 };

/** Restarts exited processes after a random delay until they run, like a service manager. */
export class Supervisor {
  readonly #random: Random;
  readonly #restarting = new Map<ServerProcess, Promise<void>>();
  readonly #startFailures = new Map<ServerProcess, number>();
  readonly #servers: readonly ServerProcess[];
  #stopped = false;

  constructor(servers: readonly ServerProcess[], random: Random) {
    this.#servers = servers;
    this.#random = random;
    for (const server of servers) void this.#watch(server);
  }

  /** Resolves when a killed server runs again. */
  async running(server: ServerProcess): Promise<void> {
    while (server.pid === undefined) {
      await this.#restarting.get(server);
      await delay(10);
    }
    await this.#restarting.get(server);
  }

  /** Servers that exited by themselves after they had been ready. */
  crashes(): string[] {
    return this.#servers.flatMap((server) => {
      const failures = this.#startFailures.get(server) ?? 0;
      const count = server.crashes.length - failures;
      const { code, signal } = server.crashes.at(-1) ?? {};
      return count > 0 ? [`${server.name} exited by itself ${count} times (last: ${code ?? signal})`] : [];
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  async #watch(server: ServerProcess): Promise<void> {
    for (;;) {
      await server.exit();
      if (this.#stopped) return;
      const restart = this.#restart(server);
      this.#restarting.set(server, restart);
      await restart;
      this.#restarting.delete(server);
    }
  }

  async #restart(server: ServerProcess): Promise<void> {
    await delay(this.#random.between(RESTART_AFTER_MS.from, RESTART_AFTER_MS.to));
    while (!this.#stopped) {
      const crashes = server.crashes.length;
      try {
        return await server.start();
      } catch {
        const failed = server.crashes.length - crashes;
        this.#startFailures.set(server, (this.#startFailures.get(server) ?? 0) + failed);
        await delay(RESTART_AFTER_MS.from);
      }
    }
  }
}
