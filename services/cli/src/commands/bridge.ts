import { readBridgeConfig } from "../bridge/bridge-config.ts";
import { runBridge } from "../bridge/run-bridge.ts";
import { command } from "../command.ts";

export const bridgeCommand = command({
  command: "bridge <file>",
  describe: "Connect channels with IRC, Matrix and other networks, through a Matterbridge",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true, describe: "The configuration, as JSON" }),
  async handler({ file }) {
    const config = await readBridgeConfig(file);
    const stopping = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
    await runBridge(config, { signal: stopping.signal, log: (line) => console.log(line) });
  },
});
