import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const FETCH_TIMEOUT_MS = 30_000;
/** The Java version that the libraries are compiled for. */
const MIN_JAVA = 17;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** The cache folder of the libraries, named after the version of pom.xml. */
async function fetchLibraries(): Promise<string> {
  const pom = here("pom.xml");
  const version = /<version>(\d[\d.]+\.\d+)<\/version>/.exec(fs.readFileSync(pom, "utf8"))![1];
  const cache = here("../../node_modules/.cache");
  const folder = path.join(cache, `mongo-java-server-${version}`);
  if (fs.existsSync(folder)) return folder;
  fs.mkdirSync(cache, { recursive: true });
  const unfinished = fs.mkdtempSync(`${folder}.`);
  try {
    const goal = "dependency:copy-dependencies";
    await run("mvn", ["-q", "-B", "-f", pom, goal, `-DoutputDirectory=${unfinished}`], {
      timeout: FETCH_TIMEOUT_MS,
    });
    fs.renameSync(unfinished, folder);
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    if (!fs.existsSync(folder)) throw error;
  }
  return folder;
}

/** The requirements of the Java server, or the reason why it can't run on this machine, in one line. */
export async function findJavaServer(): Promise<{ libraries: string } | { missing: string }> {
  const javaRelease = await run("java", ["--list-modules"]).then(
    ({ stdout }) => Number(/^jdk\.compiler@(\d+)/m.exec(stdout)?.[1] ?? 0),
    () => 0,
  );
  if (javaRelease < MIN_JAVA) return { missing: `there is no JDK ${MIN_JAVA} or newer` };
  const hasMaven = await run("mvn", ["-version"]).then(
    () => true,
    () => false,
  );
  if (!hasMaven) return { missing: "mvn is not found" };
  try {
    return { libraries: await fetchLibraries() };
  } catch (error) {
    const { stdout, message } = error as Error & { stdout?: string };
    const reason = (stdout || message).trim().split("\n")[0]!;
    return { missing: `Maven cannot fetch it: ${reason}` };
  }
}

export interface JavaServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the server in a JVM, which exits with this process at the latest. */
export async function startJavaServer(libraries: string): Promise<JavaServer> {
  const child: ChildProcess = spawn("java", ["-cp", path.join(libraries, "*"), here("Main.java")], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr!.on("data", (chunk) => (complaint += String(chunk)));
  const exited = once(child, "exit");
  const lines = readline.createInterface({ input: child.stdout! });
  const line = await Promise.race([once(lines, "line"), exited.then(() => undefined)]);
  const port = /^port (\d+)$/.exec(String(line?.[0]))?.[1];
  if (port === undefined) throw new Error(`The Java server did not start: ${complaint.trim()}`);
  return {
    port: Number(port),
    stop: async () => {
      child.stdin!.end();
      await exited;
    },
  };
}
