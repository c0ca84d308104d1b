import { readFileSync } from "node:fs";
import { parse } from "yaml";

interface ComposeService {
  image: string;
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  ports?: string[];
  healthcheck?: unknown;
  logging?: { options: Record<string, string> };
  environment?: Record<string, string>;
  volumes?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
  command?: string[];
  entrypoint?: string[];
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
}

export const COMPOSE_PATH = new URL("../compose.yaml", import.meta.url);

/** `$$`, or `${NAME}` with a default (`:-`) or an error message (`:?`). */
const VARIABLE = /\$(?:(\$)|\{(?<name>\w+)(?::(?<kind>[-?])(?<text>[^}]*))?\})/g;

/**
 * Interpolates the variables of the compose file like `docker compose config`.
 * @throws Error naming all missing variables
 */
export function loadCompose(variables: Record<string, string>): ComposeFile {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replace(VARIABLE, (...args) => {
      const groups = args.at(-1) as { name?: string; kind?: string; text?: string };
      if (groups.name === undefined) return "$";
      const value = variables[groups.name];
      if (value !== undefined && value !== "") return value;
      if (groups.kind === "?") missing.add(groups.name);
      return groups.kind === "-" ? groups.text! : "";
    });
  const filled: unknown = parse(
    readFileSync(COMPOSE_PATH, "utf8"),
    (_, value: unknown) => (typeof value === "string" ? fill(value) : value),
    { merge: true },
  );
  if (missing.size > 0) throw new Error(`required: ${[...missing].toSorted().join(", ")}`);
  return filled as ComposeFile;
}
