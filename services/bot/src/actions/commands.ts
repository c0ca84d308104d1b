import { LIMITS, userRoom, type Command, type Invocation } from "@fanfare/contract";
import { ResponseBudget, assertBelow, can, newId, serviceError, type Handlers } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
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
      const botIds = [...new Set(all.map(({ botId }) => botId))];
      const answering = await Promise.all(botIds.map((botId) => answersIn(dependencies, botId, channelId)));
      const there = new Set(botIds.filter((_, i) => answering[i]));
      const rest = all.map(present).filter(({ botId, name }) => there.has(botId) && name > afterName);
      const commands = new ResponseBudget().takeWhileFits(rest);
      return { commands, nextName: commands.length < rest.length ? commands.at(-1)!.name : null };
    },

    "command.invoke": async ({ params: { channelId, name, text }, actor, access: { groupId } }) => {
      const command = groupId === null ? null : await commands.find(groupId, name);
      const botId = command?.botId ?? "";
      if (groupId === null || command === null || !(await answersIn(dependencies, botId, channelId)))
        throw serviceError("COMMAND_NOT_FOUND");
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
      const callback = (await bots.find(botId))?.callback;
      if (callback?.events.includes("command.invoked") === true && !callback.isDisabled) {
        const max = LIMITS.invocationsPerBot;
        if ((await invocations.count(botId, max)) >= max)
          throw serviceError("OVERLOADED", { retryAfterMs: OVERLOADED_RETRY_MS });
        await invocations.add(invocation);
        await callbacks.notify({ botId, callbackId: callback.id });
      }
      node.publish(userRoom(botId), "command.invoked", { invocation });
      return { invocation };
    },
  };
}

/** Whether the bot can see the channel and send messages there. */
async function answersIn({ node }: BotDependencies, botId: string, channelId: string): Promise<boolean> {
  const access = await node.access.get(botId, { channelId });
  return can(access, "view") && can(access, "sendMessages");
}

function present({ botId, name, description, options }: CommandDocument): Command {
  return { botId, name, description, options };
}
