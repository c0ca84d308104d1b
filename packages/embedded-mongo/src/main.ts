import { parseArgs } from "node:util";
import { startEmbeddedMongo, tuneProcess } from "./start.ts";

const USAGE = "usage: node main.ts --dir FOLDER [--port PORT | --socket PATH] [--max-data-mib N]";
const MIB = 1024 * 1024;
const EXIT_USAGE = 2;
const EXIT_FATAL = 3;

function readArguments() {
  const { values } = parseArgs({
    options: {
      dir: { type: "string" },
      port: { type: "string" },
      socket: { type: "string" },
      "max-data-mib": { type: "string" },
    },
  });
  if (values.dir === undefined) throw new Error("--dir is missing");
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536))
    throw new Error("--port must be 0 to 65535");
  const listen =
    port !== undefined ? { port } : values.socket !== undefined ? { socketPath: values.socket } : undefined;
  const maxDataMib = values["max-data-mib"];
  return {
    dir: values.dir,
    ...(listen && { listen }),
    ...(maxDataMib !== undefined && { maxDataBytes: Number(maxDataMib) * MIB }),
  };
}

function fail(message: string, code: number): never {
  console.error(message);
  process.exit(code);
}

let options: ReturnType<typeof readArguments>;
try {
  options = readArguments();
} catch (error) {
  fail(`${(error as Error).message}\n${USAGE}`, EXIT_USAGE);
}

tuneProcess();
try {
  const server = await startEmbeddedMongo({
    ...options,
    onProgress: (message) => console.error(message),
    onFatal: (error) => fail(error.message, EXIT_FATAL),
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
  console.log(`ready ${server.uri}`);
} catch (error) {
  fail((error as Error).message, 1);
}
