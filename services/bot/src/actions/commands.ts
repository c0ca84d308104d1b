import { LIMITS, userRoom, type Command, type Invocation } from "@fanfare/contract";
import { ResponseBudget, assertBelow, can, newId, serviceError, type Handlers } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import type { BotDocument } from "../bot.repository.ts";
import { isSubscribed } from "../callbacks/callbacks.ts";
import type { CommandDocument } from "../command.repository.ts";
import { sealTrigger } from "../open-modal.ts";
import { requireBot } from "./own-bot.ts";

const OVERLOADED_RETRY_MS = 5000;

export function commandActions(dependencies: BotDependencies): Handlers {
  const { bots, commands, node, invocations, callbacks, triggerSealer } = dependencies;
  return {
    "command.register": async ({ params: { name, description, options }, actor }) => {
      const { groupId } = await requireBot(bots, actor);
      const existing = await commands.find(groupId, name);
      if (existing?.botId !== actor.userId)
        assertBelow("commandsPerBot", await commands.countOfBot(actor.userId, LIMITS.commandsPerBot));
      const stored = await commands.put({ groupId, botId: actor.userId, name, description, options });
      if (stored === null) throw serviceError("COMMAND_NAME_TAKEN");
      return { command: present(stored) };
    },

    "command.unregister": async ({ params: { name }, actor }) => {
      const { groupId } = await requireBot(bots, actor);
      await commands.remove(actor.userId, groupId, name);
      return {};
    },

    "command.list": async ({ params: { channelId, afterName = "" }, access: { groupId } }) => {
      if (groupId === null) return { commands: [], nextName: null };
      const all = await dependencies.commands.listOfGroup(
        groupId,
        LIMITS.botsPerGroup * LIMITS.commandsPerBot,
      );
      const ofGroup = await bots.listOfGroup(groupId, LIMITS.botsPerGroup);
      const answering = await Promise.all(ofGroup.map((bot) => answersIn(dependencies, bot, channelId)));
      const there = new Set(ofGroup.filter((_, i) => answering[i]).map(({ _id }) => _id));
      const rest = all.map(present).filter(({ botId, name }) => there.has(botId) && name > afterName);
      const commands = new ResponseBudget().takeWhileFits(rest);
      return { commands, nextName: commands.length < rest.length ? commands.at(-1)!.name : null };
    },

    "command.invoke": async ({ params: { channelId, name, text }, actor, access: { groupId } }) => {
      const command = groupId === null ? null : await commands.find(groupId, name);
      const bot = command === null ? null : await bots.find(command.botId);
      if (groupId === null || bot === null || !(await answersIn(dependencies, bot, channelId)))
        throw serviceError("COMMAND_NOT_FOUND");
      const botId = bot._id;
      const id = newId();
      const { userId } = actor;
      const invocation: Invocation = {
        id,
        botId,
        groupId,
        channelId,
        userId,
        command: name,
        text,
        trigger: sealTrigger(triggerSealer, botId, { id, channelId, userId }),
        invokedAt: new Date().toISOString(),
      };
      if (isSubscribed(bot) && bot.callback.events.includes("command.invoked") && !bot.callback.isDisabled) {
        const max = LIMITS.invocationsPerBot;
        if ((await invocations.count(botId, max)) >= max)
          throw serviceError("OVERLOADED", { retryAfterMs: OVERLOADED_RETRY_MS });
        await invocations.add(invocation);
        await callbacks.notify({ botId, callbackId: bot.callback.id });
      }
      node.publish(userRoom(botId), "command.invoked", { invocation });
      return { invocation };
    },
  };
}

/** Whether the bot can have commands, see the channel and send messages there. */
async function answersIn({ node }: BotDependencies, bot: BotDocument, channelId: string): Promise<boolean> {
  if (!bot.scopes.includes("commands")) return false;
  const access = await node.access.get(bot._id, { channelId });
  return can(access, "view") && can(access, "sendMessages");
}

function present({ botId, name, description, options }: CommandDocument): Command {
  return { botId, name, description, options };
}
