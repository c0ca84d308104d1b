import { FanfareClient, FanfareError, type FanfareClientOptions } from "@fanfare/client";
import type { Bot as BotInfo, Call, EventPayload, Invocation, Message, Params } from "@fanfare/contract";

export interface BotOptions extends Pick<FanfareClientOptions, "url"> {
  /** What `bot.create` has answered: it begins with `fbot.`. */
  token: string;
  /** Told of what a handler throws, and of answers that could not be sent. Default: console.error. */
  onError?: (error: unknown) => void;
}

/** Answers in the channel where something was said or asked. */
export type Reply = (content: string) => Promise<Message>;
export type MessageHandler = (message: Message, reply: Reply) => unknown;
export type CommandHandler = (invocation: Invocation, reply: Reply) => unknown;

export type CommandDefinition = Omit<Params<"command.register">, "name">;

/** How often an answer is tried again that the server could not take at the moment. */
const MAX_TRIES = 5;
const RETRY_MS = 1000;

/** A bot that is connected by socket: it hears what is said where it may read, and comes again when the connection is lost. */
export class Bot {
  readonly client: FanfareClient;
  readonly #onError: (error: unknown) => void;
  readonly #onMessage: MessageHandler[] = [];
  readonly #commands = new Map<string, { definition: CommandDefinition; handle: CommandHandler }>();
  #info: BotInfo | null = null;

  constructor({ url, token, onError = console.error }: BotOptions) {
    if (!token.startsWith("fbot.")) throw new TypeError("The token of a bot begins with fbot.");
    this.#onError = onError;
    this.client = new FanfareClient({ url });
    this.client.useBotToken(token);
    this.client.on("message.created", ({ messages }) => {
      for (const message of messages) this.#hear(message);
    });
    this.client.on("command.invoked", (payload) => this.#invoked(payload));
  }

  /** Who this bot is. @throws {Error} before `start` */
  get info(): BotInfo {
    if (this.#info === null) throw new Error("The bot has not started yet: call start first.");
    return this.#info;
  }

  /** Any action of the contract that the token is good for. */
  get call(): Call {
    return this.client.call;
  }

  /** For every message of others. */
  onMessage(handle: MessageHandler): this {
    this.#onMessage.push(handle);
    return this;
  }

  /** For `/name` in any channel that the bot sees. Say it before `start`. */
  command(name: string, definition: CommandDefinition, handle: CommandHandler): this {
    this.#commands.set(name, { definition, handle });
    return this;
  }

  /**
   * Connects, and registers the commands.
   * @throws {FanfareError} when the token is not good, or the server is not reached
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

  /** Writes a message, once, also where it has to be tried again. */
  async send(channelId: string, content: string, options: { replyTo?: string } = {}): Promise<Message> {
    const nonce = crypto.randomUUID();
    for (let tries = 1; ; tries += 1) {
      try {
        const params = { channelId, content, nonce, ...options, resend: tries > 1 };
        return (await this.call("message.send", params)).message;
      } catch (error) {
        if (!(error instanceof FanfareError) || !error.retryable || tries === MAX_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tries));
      }
    }
  }

  #hear(message: Message): void {
    if (message.authorId === this.#info?.id) return;
    const reply: Reply = (content) => this.send(message.channelId, content, { replyTo: message.id });
    for (const handle of this.#onMessage) void this.#run(() => handle(message, reply));
  }

  #invoked({ invocation }: EventPayload<"command.invoked">): void {
    const command = this.#commands.get(invocation.command);
    const reply: Reply = (content) => this.send(invocation.channelId, content);
    if (command !== undefined) void this.#run(() => command.handle(invocation, reply));
  }

  async #run(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** A bot that hears nothing before `start`. */
export function createBot(options: BotOptions): Bot {
  return new Bot(options);
}
