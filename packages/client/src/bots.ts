import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  Bot as BotInfo,
  Call,
  Card,
  Control,
  EventPayload,
  Interaction,
  Invocation,
  Message,
  Modal,
  ModalErrors,
  ModalSubmission,
  Params,
} from "@fanfare/contract";
import { FanfareClient, type FanfareClientOptions } from "./client.ts";
import { retrying } from "./timing.ts";

export interface BotOptions extends Pick<FanfareClientOptions, "url"> {
  /** The token from `bot.create`; it starts with `fbot.`. */
  token: string;
  /** Called with errors of handlers and of replies that could not be sent. Default: console.error. */
  onError?: (error: unknown) => void;
}

/** Markdown, or an object with cards and controls. */
export type BotMessage = string | { content?: string; cards?: Card[]; controls?: Control[] };

/** Replies in the channel of the message or command. */
export type Reply = (message: BotMessage) => Promise<Message>;
/** Replies so that only the user of the command or interaction sees it. Its controls can only be links. */
export type ReplyEphemeral = (message: BotMessage) => Promise<void>;
export type MessageHandler = (message: Message, reply: Reply) => unknown;
/** Opens a dialog for the user, up to 30 s after what they have done. */
export type OpenModal = (modal: Modal) => Promise<void>;
export type CommandHandler = (
  invocation: Invocation,
  reply: Reply,
  replyEphemeral: ReplyEphemeral,
  openModal: OpenModal,
) => unknown;

export interface InteractionAnswers {
  reply: Reply;
  replyEphemeral: ReplyEphemeral;
  openModal: OpenModal;
  /** Changes the message with the button. What isn't given stays; an empty list removes cards or controls. */
  update: (message: BotMessage) => Promise<Message>;
  /** Ends the user's wait before the handler is done. Needed if it takes longer than 3 s. */
  acknowledge: () => Promise<void>;
}
export type InteractionHandler = (interaction: Interaction, answers: InteractionAnswers) => unknown;

/** What it returns are the errors of fields, with which the modal stays open. */
export type ModalHandler = (
  submission: ModalSubmission,
  answers: Pick<InteractionAnswers, "reply" | "replyEphemeral" | "openModal">,
) => ModalErrors | void | Promise<ModalErrors | void>;

export type CommandDefinition = Omit<Params<"command.register">, "name">;

const RETRIES = { tries: 5, backoff: { baseMs: 1000, maxMs: 5000 }, maxDelayMs: 60_000 };
/** Older callbacks are rejected as possible replays. */
const MAX_AGE_S = 300;

/** A bot connected by socket. It receives the messages of all channels that it can read, and reconnects automatically. */
export class Bot {
  readonly client: FanfareClient;
  readonly #onError: (error: unknown) => void;
  readonly #onMessage: MessageHandler[] = [];
  readonly #onInteraction = new Map<string, InteractionHandler>();
  readonly #onModal = new Map<string, ModalHandler>();
  readonly #commands = new Map<string, { definition: CommandDefinition; handle: CommandHandler }>();
  #info: BotInfo | null = null;

  constructor({ url, token, onError = console.error }: BotOptions) {
    if (!token.startsWith("fbot.")) throw new TypeError("A bot token starts with fbot.");
    this.#onError = onError;
    this.client = new FanfareClient({ url });
    this.client.useBotToken(token);
    this.client.on("message.created", ({ messages }) => {
      for (const message of messages) this.#received(message);
    });
    this.client.on("command.invoked", (payload) => this.#invoked(payload));
    this.client.on("interaction.created", (payload) => this.#interacted(payload));
    this.client.on("modal.submitted", (payload) => this.#submitted(payload));
  }

  /** The bot's own account. @throws {Error} before `start` */
  get info(): BotInfo {
    if (this.#info === null) throw new Error("The bot has not started yet: call start first.");
    return this.#info;
  }

  /** Calls any action of the contract that the token's scopes allow. */
  get call(): Call {
    return this.client.call;
  }

  /** Handles all messages from other users. */
  onMessage(handle: MessageHandler): this {
    this.#onMessage.push(handle);
    return this;
  }

  /** Handles `/name` in any channel that the bot can see. Call it before `start`. */
  command(name: string, definition: CommandDefinition, handle: CommandHandler): this {
    this.#commands.set(name, { definition, handle });
    return this;
  }

  /**
   * Handles the button or select with this id, and those whose id has more after a colon, such as `approve:42`. The interaction is
   * acknowledged when the handler is done.
   */
  onInteraction(id: string, handle: InteractionHandler): this {
    this.#onInteraction.set(id, handle);
    return this;
  }

  /** Handles the submission of the modal with this id, and of those whose id has more after a colon. It has to take less than 3 s. */
  onModal(id: string, handle: ModalHandler): this {
    this.#onModal.set(id, handle);
    return this;
  }

  /**
   * Registers the commands and connects.
   * @throws {FanfareError} if the token is invalid or the server can't be reached
   */
  async start(): Promise<this> {
    this.#info = (await this.call("bot.me", {})).bot;
    for (const [name, { definition }] of this.#commands)
      await this.call("command.register", { name, ...definition });
    await this.client.connect();
    return this;
  }

  stop(): void {
    this.client.close();
  }

  /** Sends a message. Retries don't create duplicates. @throws {FanfareError} at once if the server requests a delay above a minute */
  async send(channelId: string, message: BotMessage, options: { replyTo?: string } = {}): Promise<Message> {
    const nonce = crypto.randomUUID();
    const params = { channelId, content: "", ...partsOf(message), nonce, ...options };
    const send = (attempt: number) => this.call("message.send", { ...params, resend: attempt > 1 });
    return (await retrying(send, RETRIES)).message;
  }

  #received(message: Message): void {
    if (message.authorId === this.#info?.id) return;
    const reply: Reply = (answer) => this.send(message.channelId, answer, { replyTo: message.id });
    for (const handle of this.#onMessage) void this.#run(() => handle(message, reply));
  }

  #invoked({ invocation }: EventPayload<"command.invoked">): void {
    const command = this.#commands.get(invocation.command);
    const reply: Reply = (answer) => this.send(invocation.channelId, answer);
    const replyEphemeral = this.#replyEphemeral(invocation);
    const openModal = this.#openModal(invocation);
    if (command !== undefined)
      void this.#run(() => command.handle(invocation, reply, replyEphemeral, openModal));
  }

  #interacted({ interaction }: EventPayload<"interaction.created">): void {
    const { id: interactionId, controlId, channelId, messageId } = interaction;
    const handle = handlerOf(this.#onInteraction, controlId);
    if (handle === undefined) return;
    const acknowledge = async () => {
      await this.call("interaction.acknowledge", { interactionId });
    };
    const answers: InteractionAnswers = {
      reply: (message) => this.send(channelId, message),
      replyEphemeral: this.#replyEphemeral(interaction),
      openModal: this.#openModal(interaction),
      update: async (message) =>
        (await this.call("message.edit", { channelId, messageId, ...partsOf(message) })).message,
      acknowledge,
    };
    void this.#run(async () => {
      await handle(interaction, answers);
      await acknowledge();
    });
  }

  #submitted({ submission }: EventPayload<"modal.submitted">): void {
    const { id: interactionId, modalId, channelId } = submission;
    const handle = handlerOf(this.#onModal, modalId);
    if (handle === undefined) return;
    const answers = {
      reply: (message: BotMessage) => this.send(channelId, message),
      replyEphemeral: this.#replyEphemeral(submission),
      openModal: this.#openModal(submission),
    };
    void this.#run(async () => {
      const errors = (await handle(submission, answers)) ?? {};
      await this.call("interaction.acknowledge", { interactionId, errors });
    });
  }

  #openModal({ trigger }: Pick<Invocation, "trigger">): OpenModal {
    return async (modal) => {
      await this.call("modal.open", { trigger, modal });
    };
  }

  #replyEphemeral({ channelId, userId }: Pick<Invocation, "channelId" | "userId">): ReplyEphemeral {
    return async (message) => {
      const { controls = [], ...parts } = partsOf(message);
      const links = controls.filter((control) => control.kind === "link");
      await this.call("message.sendEphemeral", { channelId, userId, ...parts, controls: links });
    };
  }

  async #run(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** What an id has after a colon is the bot's own. */
const handlerOf = <H>(handlers: ReadonlyMap<string, H>, id: string): H | undefined =>
  handlers.get(id) ?? handlers.get(id.split(":", 1)[0]!);

const partsOf = (message: BotMessage): Exclude<BotMessage, string> =>
  typeof message === "string" ? { content: message } : message;

/** Creates a bot. It receives nothing before `start`. */
export function createBot(options: BotOptions): Bot {
  return new Bot(options);
}

export interface CallbackHeaders {
  /** `fanfare-timestamp` */
  timestamp: string;
  /** `fanfare-signature` */
  signature: string;
}

/**
 * Whether a callback was signed with the secret within the last five minutes.
 * @param body the raw body, before parsing
 */
export function verifyCallback(
  secret: string,
  body: string,
  { timestamp, signature }: CallbackHeaders,
  nowMs = Date.now(),
): boolean {
  const ageS = Math.abs(nowMs / 1000 - Number(timestamp));
  if (!(ageS <= MAX_AGE_S)) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  const [given, wanted] = [Buffer.from(signature), Buffer.from(`v1=${expected}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
