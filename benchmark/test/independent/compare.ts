import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { spread } from "../../src/kernels/broadcast/percentiles.ts";
import { startSingleInstance } from "../../src/platform/single-instance.ts";
import type { Result } from "../../src/report/result.ts";
import { Api } from "../../src/targets/fanfare/api.ts";
import { registerAll } from "../../src/targets/registration.ts";
import type { Records, Setup } from "./target.ts";

const REGISTRATIONS = 20;
const RECEIVER = fileURLToPath(new URL("./receiver.c", import.meta.url));
const TARGET = fileURLToPath(new URL("./target.ts", import.meta.url));
const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** One message, as the tester and the receiver saw it. Times are since it was sent. */
export interface Comparison {
  content: string;
  ackMs: number;
  /** Until the last member of each; the tester's is null if a member never got it. */
  testerMs: number | null;
  receiverMs: number;
  /** By the receiver's count. */
  received: number;
  duplicates: number;
  different: number;
  /** Warm, and not disturbed by the tester itself. */
  isCounted: boolean;
}

export interface ComparedRun {
  connectsFirst: Setup["connectsFirst"];
  result: Result;
  messages: Comparison[];
}

/**
 * Broadcasts to members of the tester and as many of the independent receiver, in one group of one server. Once each of them
 * connects first.
 */
export async function compare(options: { members: number; messages: number }): Promise<ComparedRun[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-compare-"));
  const { signal } = new AbortController();
  const server = await startSingleInstance(signal);
  try {
    const receiver = join(folder, "receiver");
    execFileSync("cc", ["-O2", "-o", receiver, RECEIVER]);
    const { url } = server.gateways[0]!;
    const { tokens, ...group } = await register(url, options.members * 2);
    const receiverTokens = join(folder, "tokens");
    await writeFile(receiverTokens, tokens.splice(0, options.members).join("\n"));
    const setup = { ...group, tokens, receiver, receiverTokens, records: join(folder, "records.json") };
    const runs: ComparedRun[] = [];
    for (const connectsFirst of ["receiver", "tester"] as const)
      runs.push(await run(url, folder, { ...setup, connectsFirst }, options));
    return runs;
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
}

async function register(url: string, count: number) {
  const api = new Api(url, REGISTRATIONS);
  const owner = await api.call("user.createGuest", {});
  const { group, channels } = await api.call("group.create", { name: "Shared" }, owner.accessToken);
  const { invite } = await api.call("invite.create", { groupId: group.id }, owner.accessToken);
  const joinOne = async () => {
    const { accessToken } = await api.call("user.createGuest", {});
    await api.call("invite.accept", { code: invite.code }, accessToken);
    return accessToken;
  };
  const { users } = await registerAll(count, REGISTRATIONS, joinOne, () => {});
  api.close();
  return { ownerToken: owner.accessToken, channelId: channels[0]!.id, tokens: users };
}

async function run(
  url: string,
  folder: string,
  setup: Setup,
  { members, messages }: { members: number; messages: number },
): Promise<ComparedRun> {
  const [setupFile, json] = [join(folder, "setup.json"), join(folder, "result.json")];
  await writeFile(setupFile, JSON.stringify(setup));
  const options = `--users ${members} --messages ${messages} --interval 500ms --url ${url} --json ${json}`;
  const args = [MAIN, "broadcast", "--target", TARGET, ...options.split(" ")];
  const env = { ...process.env, SHARED_SETUP: setupFile };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`the tester failed with code ${code}`);
  const result = JSON.parse(await readFile(json, "utf8")) as Result;
  const records = JSON.parse(await readFile(setup.records, "utf8")) as Records;
  return { connectsFirst: setup.connectsFirst, result, messages: comparisons(result, records) };
}

function comparisons(result: Result, { sent, received }: Records): Comparison[] {
  const lines = received.trimEnd().split("\n");
  return sent.map(({ content, atMs, ackMs }, i) => {
    const [number, count, duplicates, different, lastNs, ...words] = lines[i]!.split(" ");
    if (Number(number) !== i || words.join(" ") !== content) throw new Error(`not message ${i}: ${lines[i]}`);
    const { kind, y } = result.series[0]!.points[i]!;
    return {
      content,
      ackMs: ackMs - atMs,
      testerMs: y,
      receiverMs: Number(lastNs) / 1e6 - atMs,
      received: Number(count),
      duplicates: Number(duplicates),
      different: Number(different),
      isCounted: kind === "warm",
    };
  });
}

/** The median over the messages of tester ÷ receiver. */
function ratioOf({ messages }: ComparedRun): number {
  const counted = messages.filter(({ isCounted, testerMs }) => isCounted && testerMs !== null);
  return spread(counted.map(({ testerMs, receiverMs }) => testerMs! / receiverMs))?.median ?? Number.NaN;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { members: { type: "string", default: "1000" }, messages: { type: "string", default: "16" } },
  });
  const [members, messages] = [Number(values.members), Number(values.messages)];
  const runs = await compare({ members, messages });
  console.log(`${members} + ${members} members, load average ${loadavg()[0]!.toFixed(1)}`);
  for (const each of runs) {
    const counted = each.messages.filter(({ isCounted }) => isCounted);
    const median = (of: "testerMs" | "receiverMs") =>
      spread(counted.map((message) => message[of] ?? Infinity))!.median.toFixed(1);
    console.log(
      `${each.connectsFirst} connects first: ${counted.length} messages, median of the tester ${median("testerMs")} ms, ` +
        `of the receiver ${median("receiverMs")} ms, median ratio ${ratioOf(each).toFixed(2)}`,
    );
  }
  const [one, other] = runs.map(ratioOf);
  console.log(`tester ÷ receiver, geometric mean of both orders: ${Math.sqrt(one! * other!).toFixed(2)}`);
}

if (import.meta.main) await main();
