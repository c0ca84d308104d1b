import { writeFile } from "node:fs/promises";
import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { RESULT_OPTIONS } from "../cli/options.ts";
import { environmentLine } from "./environment.ts";
import { htmlReport } from "./html-report.ts";
import { readResults } from "./read-results.ts";
import { textReport } from "./text-report.ts";

export const reportCommand: CommandModule<object, Arguments> = {
  command: "report <files..>",
  describe: "Shows stored results (--json) on the terminal or as one page with charts",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return yargs
    .positional("files", {
      type: "string",
      array: true,
      demandOption: true,
      describe: "Results, or folders of results",
    })
    .option("html", RESULT_OPTIONS.html)
    .example("$0 report a.json b.json", "on the terminal")
    .example("$0 report results/ --html report.html", "one page with all of them");
}

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const results = await readResults(args.files);
  const title = results.length > 1 ? "Results of the tester" : undefined;
  if (args.html !== undefined) await writeFile(args.html, htmlReport(results, title));
  const texts = results.map((result) => `${environmentLine(result.meta)}\n\n${textReport(result)}`);
  process.stdout.write(args.html === undefined ? `${texts.join("\n\n")}\n` : `${args.html}\n`);
}
