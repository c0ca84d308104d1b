import { randomInt } from "node:crypto";
import { createBot, type Bot } from "../src/bots.ts";

// FANFARE_BOT_TOKEN=fbot.… node packages/client/examples/dice-bot.ts [http://127.0.0.1:3000]

/** Rolls dice on `/roll 2d6`, and answers "hello bot". */
export function createDiceBot(url: string, token: string): Bot {
  return createBot({ url, token })
    .command("roll", { description: "Roll dice, such as 2d6" }, ({ text, userId }, reply) => {
      const [, count, sides] = /^\s*(\d{1,2})?d(\d{1,3})\s*$/.exec(text === "" ? "1d6" : text) ?? [];
      if (Number(sides ?? 0) < 2) return reply("Write for example `/roll 2d6`.");
      const rolls = Array.from({ length: Number(count ?? 1) }, () => randomInt(1, Number(sides) + 1));
      return reply(`<@${userId}> rolled ${rolls.join(" + ")} = ${rolls.reduce((sum, n) => sum + n, 0)}`);
    })
    .onMessage(({ content }, reply) => (/^hello bot\b/i.test(content) ? reply("Hello!") : undefined));
}

if (import.meta.main) {
  const token = process.env["FANFARE_BOT_TOKEN"];
  if (token === undefined) throw new Error("Set FANFARE_BOT_TOKEN to the token returned by bot.create.");
  const bot = await createDiceBot(process.argv[2] ?? "http://127.0.0.1:3000", token).start();
  console.log(`${bot.info.name} is online. Write /roll 2d6 in a channel.`);
}
