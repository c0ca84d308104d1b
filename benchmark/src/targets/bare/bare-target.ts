import { usageError } from "../../cli/exit.ts";
import type { PluginOptions, TargetPlugin } from "../plugin.ts";
import { DIALECTS } from "../dialect.ts";
import type { Sender } from "../target.ts";
import { BareProcess } from "./bare-process.ts";
import { openSocketIoSender, openWsSender } from "./senders.ts";

/**
 * Servers without a platform: the limits of the machine and the library. Started for the run; with --url, a
 * running server with the same messages.
 */
export const bareSocketIo: TargetPlugin = bare(
  "socket.io",
  new URL("./socket-io-server.ts", import.meta.url),
  openSocketIoSender,
);
export const bareWs: TargetPlugin = bare("ws", new URL("./ws-server.ts", import.meta.url), openWsSender);

function bare(
  name: "socket.io" | "ws",
  file: URL,
  openSender: (url: string, token?: string) => Promise<Sender>,
): TargetPlugin {
  return {
    name,
    dialect: DIALECTS[name],
    async open({ url, existing, processes, cores }: PluginOptions) {
      if (existing && name === "ws") throw usageError("--target ws has no access tokens: omit --tokens.");
      if (url !== undefined)
        return {
          urls: [url],
          openSender: () => openSender(url, existing?.senderToken),
          close: async () => {},
        };
      const server = await BareProcess.start(file, { processes, cores });
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
