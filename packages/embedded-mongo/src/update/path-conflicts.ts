import { CommandError } from "../errors.ts";

/**
 * Rejects updates of the same path, or of a path and a part of it, by two operators.
 * @throws CommandError ConflictingUpdateOperators, EmptyFieldName or BadValue
 */
export function checkPaths(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    const parts = path.split(".");
    if (parts.includes("")) {
      throw new CommandError(
        "EmptyFieldName",
        `The update path '${path}' contains an empty field name, which is not allowed.`,
      );
    }
    if (parts[0] === "$" || parts[0]?.startsWith("$[")) {
      throw new CommandError(
        "BadValue",
        `Cannot have positional (i.e. '$') element in the first position in path '${path}'`,
      );
    }
    for (let length = 1; length <= parts.length; length++) {
      const prefix = parts.slice(0, length).join(".");
      if (seen.has(prefix)) throw conflict(path, prefix);
    }
    for (const other of seen) if (other.startsWith(`${path}.`)) throw conflict(path, other);
    seen.add(path);
  }
}

const conflict = (path: string, other: string) =>
  new CommandError(
    "ConflictingUpdateOperators",
    `Updating the path '${path}' would create a conflict at '${other}'`,
  );
