import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { spread } from "../../src/kernels/broadcast/percentiles.ts";
import { startSingleInstance } from "../../src/platform/platform.ts";
import { Progress } from "../../src/report/progress.ts";
import type { Result } from "../../src/report/result.ts";
import { Api } from "../../src/targets/fanfare/api.ts";
import { createGroup, registerGuests } from "../../src/targets/fanfare/meeting.ts";
import { tokensOf } from "../../src/targets/fanfare/session.ts";
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

/** Who connects how many members, and who first: the server writes to its connections in the order they connected. */
interface Sides {
  tester: number;
  receiver: number;
  connectsFirst: Setup["connectsFirst"];
}

export interface ComparedRun extends Sides {
  result: Result;
  messages: Comparison[];
}

/** Both at once: the same messages for both, which also share the processors. Each connects first once. */
export function together(members: number): Sides[] {
  const both = { tester: members, receiver: members };
  return [
    { ...both, connectsFirst: "receiver" },
    { ...both, connectsFirst: "tester" },
  ];
}

/** One after the other, with a single member of the other side. */
function inTurns(members: number, turns: number): Sides[] {
  const turn: Sides[] = [
    { tester: members, receiver: 1, connectsFirst: "receiver" },
    { tester: 1, receiver: members, connectsFirst: "tester" },
  ];
  return Array.from({ length: turns }, () => turn).flat();
}

/** Broadcasts to members of the tester and of the independent receiver, in one group of one server. */
export async function compare(sides: Sides[], messages: number): Promise<ComparedRun[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-compare-"));
  const { signal } = new AbortController();
  const server = await startSingleInstance(signal);
  try {
    const receiver = join(folder, "receiver");
    execFileSync("cc", ["-O2", "-o", receiver, RECEIVER]);
    const { url } = server.gateways[0]!;
    const count = Math.max(...sides.map((each) => each.tester + each.receiver));
    const { tokens, ...group } = await register(url, count, signal);
    const receiverTokens = join(folder, "tokens");
    const setup = { ...group, receiver, receiverTokens, records: join(folder, "records.json") };
    const runs: ComparedRun[] = [];
    for (const side of sides) {
      await writeFile(receiverTokens, tokens.slice(0, side.receiver).join("\n"));
      const testerTokens = tokens.slice(side.receiver, side.receiver + side.tester);
      const { connectsFirst } = side;
      const output = await run(url, folder, { ...setup, tokens: testerTokens, connectsFirst }, messages);
      runs.push({ ...side, ...output });
    }
    return runs;
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
}

async function register(url: string, count: number, signal: AbortSignal) {
  const api = new Api(url, REGISTRATIONS);
  const owner = await api.call("user.createGuest", {});
  const group = await createGroup(api, "Shared", owner.accessToken, signal);
  const work = { count, concurrency: REGISTRATIONS, progress: new Progress(false), signal };
  const { sessions } = await registerGuests(api, [group.code], work);
  const tokens = await tokensOf(sessions, work);
  api.close();
  return { ownerToken: owner.accessToken, channelId: group.channelId, tokens };
}

async function run(
  url: string,
  folder: string,
  setup: Setup,
  messages: number,
): Promise<Pick<ComparedRun, "result" | "messages">> {
  const [setupFile, json] = [join(folder, "setup.json"), join(folder, "result.json")];
  await writeFile(setupFile, JSON.stringify(setup));
  const options = `--users ${setup.tokens.length} --messages ${messages} --interval 500ms --url ${url} --json ${json}`;
  const args = [MAIN, "broadcast", "--target", TARGET, ...options.split(" ")];
  const env = { ...process.env, SHARED_SETUP: setupFile };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`the tester failed with code ${code}`);
  const result = JSON.parse(await readFile(json, "utf8")) as Result;
  const records = JSON.parse(await readFile(setup.records, "utf8")) as Records;
  return { result, messages: comparisons(result, records) };
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

const medianOf = (values: number[]) => spread(values)?.median ?? Number.NaN;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      members: { type: "string", default: "1000" },
      messages: { type: "string", default: "20" },
      turns: { type: "string", default: "3" },
    },
  });
  const [members, messages, turns] = [Number(values.members), Number(values.messages), Number(values.turns)];
  const sides = [...together(members), ...inTurns(members, turns)];
  const runs = await compare(sides, messages);
  console.log(`load average ${loadavg()[0]!.toFixed(1)}; medians of the counted messages:`);
  const ratios: number[] = [];
  const times = { tester: [] as number[], receiver: [] as number[] };
  for (const { tester, receiver, connectsFirst, messages: all } of runs) {
    const counted = all.filter(({ isCounted, testerMs }) => isCounted && testerMs !== null);
    const testerMs = counted.map((message) => message.testerMs!);
    const receiverMs = counted.map((message) => message.receiverMs);
    console.log(
      `  ${counted.length} messages, tester with ${tester}: ${medianOf(testerMs).toFixed(1)} ms, ` +
        `receiver with ${receiver}: ${medianOf(receiverMs).toFixed(1)} ms, ${connectsFirst} connects first`,
    );
    if (tester === receiver) ratios.push(medianOf(testerMs.map((ms, i) => ms / receiverMs[i]!)));
    else if (tester > receiver) times.tester.push(...testerMs);
    else times.receiver.push(...receiverMs);
  }
  const mean = Math.sqrt(ratios[0]! * ratios[1]!);
  console.log(`together: tester ÷ receiver ${mean.toFixed(2)}, geometric mean of both orders`);
  const inTurn = medianOf(times.tester) / medianOf(times.receiver);
  console.log(`in turns: tester ÷ receiver ${inTurn.toFixed(2)}, of the medians of ${turns} turns each`);
}

if (import.meta.main) await main();
