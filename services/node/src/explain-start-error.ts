import { ConfigError, type Config } from "@fanfare/kernel";

const OWN_ERRORS = new Set([
  "DataFolderInUseError",
  "DataFolderMismatchError",
  "DataFolderCorruptError",
  "DatabaseUnreachableError",
]);

/**
 * What to print when the program cannot start: one line that says what to do where the cause is known, otherwise
 * undefined, and the whole error is worth seeing.
 */
export function explainStartError(error: unknown, config: Config): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ConfigError) return error.message;
  if (error.name === "DataFolderInUseError") {
    return `${error.message} Stop that one, or start this one on data and ports of its own: ${elsewhere(config)}`;
  }
  if (OWN_ERRORS.has(error.name)) return error.message;
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE") {
    return `Port ${port} is in use by another program. Stop that one, or choose others: ${otherPorts(config)}`;
  }
  if (code === "EACCES" && port !== undefined) {
    return `Port ${port} needs privileges that this process does not have. Choose others: ${otherPorts(config)}`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return `HOST=${config.host} or OPS_HOST=${config.opsHost} is not an address of this machine.`;
  }
  return undefined;
}

function otherPorts({ port, opsPort, environment }: Config): string {
  const ports = `PORT=${port + 100} OPS_PORT=${opsPort + 100}`;
  return environment === "development" ? `${ports} pnpm dev` : ports;
}

function elsewhere(config: Config): string {
  return `DATA_DIR=${config.dataDir}-2 ${otherPorts(config)}`;
}
