import { resolve } from "node:path";
import { ConfigError, type Config } from "@fanfare/kernel";

const HIGHEST_PORT = 65_535;

const OWN_ERRORS = new Set([
  "DataFolderInUseError",
  "DataFolderMismatchError",
  "DataFolderCorruptError",
  "DatabaseUnreachableError",
  "DatabaseTooNewError",
  "DatabaseNotMigratedError",
  "DatabaseDuplicatesError",
  "NatsUnreachableError",
  "RedisUnreachableError",
  "StorageUnusableError",
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
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number };
  if (path !== undefined && resolve(path).startsWith(resolve(config.dataDir))) {
    return `DATA_DIR=${config.dataDir} cannot be used: ${error.message}. Choose a folder that this user may write to.`;
  }
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
  const ports = `PORT=${otherPort(port)} OPS_PORT=${otherPort(opsPort)}`;
  return environment === "development" ? `${ports} npx -y pnpm@12 dev` : ports;
}

function otherPort(port: number): number {
  return port + 100 <= HIGHEST_PORT ? port + 100 : port - 100;
}

function elsewhere(config: Config): string {
  return `DATA_DIR=${config.dataDir}-2 ${otherPorts(config)}`;
}
