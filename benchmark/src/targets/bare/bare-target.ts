import { usageError } from "../../exit.ts";
import type { Sender, Target } from "../target.ts";
import { BareProcess } from "./bare-process.ts";
import { openSocketIoSender, openWsSender } from "./senders.ts";

interface BareKind {
  name: "socket.io" | "ws";
  file: URL;
  openSender: (url: string) => Promise<Sender>;
}

const KINDS: Record<BareKind["name"], BareKind> = {
  "socket.io": {
    name: "socket.io",
    file: new URL("./socket-io-server.ts", import.meta.url),
    openSender: openSocketIoSender,
  },
  ws: { name: "ws", file: new URL("./ws-server.ts", import.meta.url), openSender: openWsSender },
};

/** A server without a platform: what the machine and the library can do at most. Always started for the run. */
export async function openBareTarget(name: BareKind["name"], urls: readonly string[]): Promise<Target> {
  if (urls.length > 0) {
    throw usageError(
      `--target ${name} starts a server of its own: leave --url out, or use --target fanfare.`,
    );
  }
  const kind = KINDS[name];
  const server = await BareProcess.start(kind.file);
  const address = `http://127.0.0.1:${server.port}`;
  return {
    name,
    dialect: name,
    urls: [address],
    isThrowaway: true,
    prepare: (count) =>
      Promise.resolve({ credentials: Array.from({ length: count }, () => null), registration: null }),
    openSender: () => kind.openSender(address),
    countStored: () => Promise.resolve(null),
    usage: () => server.usage(true),
    cpuSeconds: async () => (await server.usage(false))?.cpuSeconds ?? null,
    cpuSecondsByKind: () => null,
    natsTraffic: () => Promise.resolve(null),
    close: () => server.stop(),
  };
}
