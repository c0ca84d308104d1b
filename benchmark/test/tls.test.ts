import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSingleInstance, type Platform } from "../src/platform/platform.ts";
import type { Result } from "../src/report/result.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
let platform: Platform;
let proxy: Server;
let url: string;

/** A real server behind a proxy that terminates TLS. */
beforeAll(async () => {
  bench = await Bench.open();
  const [key, cert] = [join(bench.folder, "key.pem"), join(bench.folder, "cert.pem")];
  const subject = ["-subj", "/CN=bench", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", cert];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", ["req", ...kind, "-days", "2", ...subject, ...files], { stdio: "pipe" });
  platform = await startSingleInstance(new AbortController().signal, 0);
  const { hostname, port } = new URL(platform.gateways[0]!.url);
  proxy = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (outside) => {
    const inside = connect(Number(port), hostname);
    outside.pipe(inside).pipe(outside);
    outside.on("error", () => inside.destroy());
    inside.on("error", () => outside.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  url = `https://localhost:${(proxy.address() as AddressInfo).port}`;
  bench.env["NODE_EXTRA_CA_CERTS"] = cert;
});
afterAll(async () => {
  proxy.close();
  await platform.close();
  await bench.close();
});

const SMALL = ["--users", "30", "--warmup", "0", "--idle", "10ms", "--interval", "10ms"];

const BROADCASTS = [
  { name: "light receivers", host: "localhost", options: [], tags: [] },
  { name: "the address instead of the name", host: "127.0.0.1", options: [], tags: "long" },
  { name: "official clients", host: "localhost", options: ["--client", "socket.io"], tags: "long" },
];
for (const { name, host, options, tags } of BROADCASTS)
  test(`broadcast over TLS: ${name}`, { tags }, async () => {
    const address = ["--url", url.replace("localhost", host)];
    const run = await bench.runProgram(["broadcast", ...SMALL, ...options, ...address]);
    expect(run.stderr).toBe("Measuring: --progress shows how far it is.\n");
    const counts = metricValues(run.result as Result, ["received", "lost", "dropped"], { server: "fanfare" });
    expect(counts).toEqual({ received: 630, lost: 0, dropped: 0 });
  });

/** The short run has the one with an HTTP client of its own. */
const LOADS = [
  ["http", "-c", "100", "--connections", "10", "--users", "10", "--channels", "5", "--warmup", "10"],
  ["direct", "-c", "200", "-t", "10", "--warmup", "10"],
  ["login", "-c", "20", "-t", "5", "--warmup", "5"],
];
for (const [index, args] of LOADS.entries())
  test(`bench ${args[0]} over TLS`, { tags: index === 0 ? [] : "long" }, async () => {
    const run = await bench.runProgram([...args, "--url", url]);
    expect(run.stderr).toBe("Measuring: --progress shows how far it is.\n");
    expect(run.code).toBe(0);
  });

test("an unknown certificate is rejected, with its code", async () => {
  const stranger = await Bench.open();
  const run = await stranger.run("broadcast", ...SMALL, "--url", url);
  await stranger.close();
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("NODE_EXTRA_CA_CERTS");
});
