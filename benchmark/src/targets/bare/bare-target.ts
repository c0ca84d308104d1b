import { usageError } from "../../cli/exit.ts";
import type { PluginOptions, TargetPlugin } from "../plugin.ts";
import { DIALECTS } from "../dialect.ts";
import type { Sender } from "../target.ts";
import { BareProcess } from "./bare-process.ts";
import { openSocketIoSender, openWsSender } from "./senders.ts";

/** Servers without a platform: the limits of the machine and the library. Always started for the run. */
export const bareSocketIo: TargetPlugin = bare(
  "socket.io",
  new URL("./socket-io-server.ts", import.meta.url),
  openSocketIoSender,
);
export const bareWs: TargetPlugin = bare("ws", new URL("./ws-server.ts", import.meta.url), openWsSender);

function bare(
  name: "socket.io" | "ws",
  file: URL,
  openSender: (url: string) => Promise<Sender>,
): TargetPlugin {
  return {
    name,
    dialect: DIALECTS[name],
    async open({ url, processes, cores }: PluginOptions) {
      if (url !== undefined) {
        throw usageError(`--target ${name} starts its own server: omit --url, or use --target fanfare.`);
      }
      const server = await BareProcess.start(file, {
        ...(processes === undefined ? {} : { processes }),
        ...(cores === undefined ? {} : { cores }),
      });
      const address = `http://127.0.0.1:${server.port}`;
      return {
        urls: [address],
        isThrowaway: true,
        openSender: () => openSender(address),
        usage: () => server.usage(true),
        cpuSeconds: async () => (await server.usage(false))?.cpuSeconds ?? null,
        close: () => server.stop(),
      };
    },
  };
}
