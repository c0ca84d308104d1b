import type { EmbeddedMongoOptions } from "../options.ts";
import { type EmbeddedMongo, startEmbeddedMongo, tuneProcess } from "../start.ts";
import { describeFailure, type FromServer } from "./child.ts";

const EXIT_FATAL = 3;

const tell = (message: FromServer) => process.send?.(message);

/** The terminal sends signals to the owner too, which decides when the database is closed. */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

tuneProcess();
let server: EmbeddedMongo | undefined;
let ending = false;

function end(): void {
  ending = true;
  void (server?.close() ?? Promise.resolve()).finally(() => process.exit(0));
}

process.once("disconnect", end);
process.once("message", (options) => {
  process.once("message", end);
  const onFatal = (error: Error) => {
    console.error(error.message);
    process.exit(EXIT_FATAL);
  };
  const onProgress = (message: string) => tell({ type: "progress", message });
  startEmbeddedMongo({ ...(options as EmbeddedMongoOptions), onFatal, onProgress }).then(
    (started) => {
      server = started;
      tell({ type: "ready", uri: started.uri });
      return ending ? end() : undefined;
    },
    (error: unknown) => tell(describeFailure(error)),
  );
});
