import { type Control, type Interaction, LIMITS, type Message, userRoom } from "@fanfare/contract";
import { assertNotMuted, can, type Handlers, invalid, newId, orThrow, serviceError } from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import { WAITING_PER_BOT } from "../constants.ts";
import { requireBot } from "./own-bot.ts";

const OVERLOADED_RETRY_MS = 1000;

interface Waiting {
  botId: string;
  /** Stops the timeout while the bot's response is applied. @returns false if it is over */
  stopTimeout: () => boolean;
  finish: (isAcknowledged: boolean) => void;
}

/** Calls of this process that wait for a bot, by the id of the interaction. */
export class PendingInteractions {
  readonly #waiting = new Map<string, Waiting>();

  /** @throws {ServiceError} OVERLOADED when too many wait for this bot */
  start(interactionId: string, botId: string): { isAcknowledged: Promise<boolean>; waiting: Waiting } {
    const ofBot = [...this.#waiting.values()].filter((one) => one.botId === botId);
    if (ofBot.length >= WAITING_PER_BOT)
      throw serviceError("OVERLOADED", { retryAfterMs: OVERLOADED_RETRY_MS });
    const { promise: isAcknowledged, resolve } = Promise.withResolvers<boolean>();
    let isTooLate = false;
    const timer = setTimeout(() => {
      isTooLate = true;
      waiting.finish(false);
    }, LIMITS.interactionTimeoutMs);
    const waiting: Waiting = {
      botId,
      stopTimeout: () => {
        clearTimeout(timer);
        return !isTooLate;
      },
      finish: (isDone) => {
        clearTimeout(timer);
        this.#waiting.delete(interactionId);
        resolve(isDone);
      },
    };
    this.#waiting.set(interactionId, waiting);
    return { isAcknowledged, waiting };
  }

  /** Does nothing if no call of this process waits for it. */
  acknowledge({ interactionId, botId }: { interactionId: string; botId: string }): void {
    const waiting = this.#waiting.get(interactionId);
    if (waiting?.botId === botId) waiting.finish(true);
  }
}

export function interactionActions(dependencies: BotDependencies): Handlers {
  const { bots, node, interactions } = dependencies;
  return {
    "interaction.create": async ({ params, actor: { userId }, access }) => {
      const { channelId, messageId, controlId, value } = params;
      assertNotMuted(access);
      const { groupId } = access;
      const { messages } = await node.services.message.getMany({ messageIds: [messageId] });
      const message = orThrow(
        messages.find((one) => one.channelId === channelId) ?? null,
        "MESSAGE_NOT_FOUND",
      );
      checkControl(message, controlId, value);
      const { authorId: botId } = message;
      const bot = orThrow(groupId === null ? null : await bots.findInGroup(groupId, botId), "BOT_NOT_FOUND");
      if (!can(await node.access.get(botId, { channelId }), "view")) throw serviceError("BOT_NOT_FOUND");
      const interaction: Interaction = {
        id: newId(),
        botId,
        groupId: groupId!,
        channelId,
        messageId,
        userId,
        controlId,
        value: value ?? null,
        createdAt: new Date().toISOString(),
      };
      const { isAcknowledged, waiting } = interactions.start(interaction.id, botId);
      node.publish(userRoom(botId), "interaction.created", { interaction });
      void deliver(dependencies, bot, interaction, waiting).catch((error: unknown) =>
        node.logger.warn({ err: error, botId }, "interaction not delivered"),
      );
      if (!(await isAcknowledged)) throw serviceError("BOT_NOT_RESPONDING");
      return {};
    },

    "interaction.acknowledge": async ({ params: { interactionId }, actor }) => {
      await requireBot(bots, actor);
      node.broadcast("interaction.acknowledged", { interactionId, botId: actor.userId });
      return {};
    },
  };
}

/** @throws {ServiceError} VALIDATION_FAILED if the message has no such control, or it has no such option */
function checkControl({ controls = [] }: Message, controlId: string, value: string | undefined): void {
  const control = controls.find((one): one is Exclude<Control, { kind: "link" }> => {
    return one.kind !== "link" && one.id === controlId;
  });
  if (control === undefined) throw invalid("controlId", "is not under this message");
  const isChoice =
    control.kind === "select"
      ? control.options.some((option) => option.value === value)
      : value === undefined;
  if (!isChoice) throw invalid("value", "is not an option of this control");
}

/** Without a callback, the bot can still acknowledge the event. */
async function deliver(
  { callbacks }: Pick<BotDependencies, "callbacks">,
  bot: Parameters<BotDependencies["callbacks"]["interact"]>[0],
  interaction: Interaction,
  { stopTimeout, finish }: Waiting,
): Promise<void> {
  let isAnswered = false;
  const isAccepted = await callbacks.interact(bot, interaction, () => {
    isAnswered = true;
    return stopTimeout();
  });
  if (isAccepted || isAnswered) finish(isAccepted);
}
