import { text } from "node:stream/consumers";
import { Writable } from "node:stream";
import { createInterface } from "node:readline/promises";
import { CliError } from "./cli-error.ts";

/**
 * Asks twice where there is a terminal, without showing what is typed. Otherwise it is the first line of the standard input.
 * @throws {CliError} when there is none, or the two differ
 */
export async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    const [line = ""] = (await text(process.stdin)).split(/\r?\n/, 1);
    if (line === "") throw new CliError("Give the password as the first line of the standard input.");
    return line;
  }
  // The terminal echoes through the reader's output: into nothing.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const answer = await reader.question("");
    process.stderr.write("\n");
    return answer;
  };
  try {
    const password = await ask("Password: ");
    if ((await ask("Once more: ")) !== password) throw new CliError("The two are not the same.");
    return password;
  } finally {
    reader.close();
  }
}
