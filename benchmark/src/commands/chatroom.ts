import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { loadPlanOf, loopOf, messageLoadOptions, runLoadCommand } from "./load-options.ts";
import { measureGroups } from "./measure-groups.ts";
import { wholeNumber } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const chatroomCommand: CommandModule<object, Arguments> = {
  command: "chatroom",
  describe: "Many senders in one room with all users online: deliveries per second, and received ÷ expected",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return messageLoadOptions(yargs)
    .option("users", {
      group: "Who:",
      alias: "u",
      type: "number",
      default: 1000,
      describe: "Users in the room, all online, including senders",
    })
    .option("senders", { group: "Who:", type: "number", default: 100, describe: "Users who send" })
    .option("messages", {
      group: "Load:",
      alias: "m",
      type: "number",
      default: 100,
      describe: "Messages per sender, each waiting for the answer before the next",
    })
    .example("$0 chatroom --users 1000 --senders 100 --messages 100", "100 senders, 1,000 members")
    .example("$0 chatroom --users 5000 --rate 20 --duration 60", "a fixed rate of 20 per second (open loop)");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const users = wholeNumber("users", args.users, 2, 100_000);
  const senders = wholeNumber("senders", args.senders, 1, users);
  const messages = wholeNumber("messages", args.messages, 1, 100_000);
  const loop = loopOf(args, { inFlight: senders, requests: senders * messages });
  const plan = loadPlanOf(args, loop, { senders, receivers: users - senders });
  const size = { groups: 1, members: users, senders, online: users };
  await runLoadCommand(args, {
    command: "chatroom",
    plan,
    options: size,
    connections: users,
    deliveries: users * loop.requests,
    measure: (context, api) => measureGroups(context, api, size),
  });
}
