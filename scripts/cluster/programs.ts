import { spawnSync } from "node:child_process";

/** Debian keeps servers where the PATH of a user does not lead. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

const PROGRAMS = {
  "nats-server": { debian: "nats-server", macos: "nats-server" },
  "redis-server": { debian: "redis-server", macos: "redis" },
};

/** Lets the servers be found that are installed. @returns one line for each that is not, with how to get it */
export function findPrograms(): string[] {
  process.env["PATH"] = [process.env["PATH"], ...SERVER_FOLDERS].join(":");
  return Object.entries(PROGRAMS)
    .filter(([program]) => spawnSync(program, ["--version"]).error !== undefined)
    .map(
      ([program, { debian, macos }]) =>
        `${program} is missing. Debian and Ubuntu: sudo apt install ${debian}; macOS: brew install ${macos}.`,
    );
}
