import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const PORTS_EACH = 500;
const PROGRAM = `
  import { freePort, freeUdpPort } from ${JSON.stringify(new URL("../src/ports.ts", import.meta.url).href)};
  const ports = [];
  while (ports.length < ${PORTS_EACH}) ports.push(await freePort(), await freeUdpPort());
  process.stdout.write(JSON.stringify(ports));
  process.stdin.resume();
`;

test("two processes never get the same port", async () => {
  const processes = [1, 2].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const ports = await Promise.all(
    processes.map(async ({ stdout }) => JSON.parse(String((await once(stdout, "data"))[0])) as number[]),
  );
  for (const { stdin } of processes) stdin.end();
  expect(new Set(ports.flat()).size).toBe(2 * PORTS_EACH);
});
