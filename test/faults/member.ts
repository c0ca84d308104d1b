import { FanfareClient, FanfareError, type ChannelView } from "@fanfare/client";
import { note, type Ledger, type LedgerEntry } from "./ledger.ts";

/** Events kept per member, as evidence. */
const MAX_EVENTS = 3000;

/** Errors explained by a fault: nothing was carried out, or the outcome is unknown. */
const EXPECTED_ERRORS: ReadonlySet<string> = new Set([
  "CONNECTION_LOST",
  "TIMEOUT",
  "UNAVAILABLE",
  "OVERLOADED",
]);

/** A user with the SDK. */
export class Member {
  readonly name: string;
  readonly client: FanfareClient;
  readonly views = new Map<string, ChannelView>();
  /** The newest message events and connection changes. */
  readonly events: string[] = [];
  /** How often this member's calls failed, by error. */
  readonly errors = new Map<string, number>();
  /** Errors not explained by a fault. */
  readonly unexpectedErrors: string[] = [];
  #userId = "";
  readonly #ledger: Ledger;

  constructor(name: string, urls: readonly string[], ledger: Ledger) {
    this.name = name;
    this.client = new FanfareClient({ url: urls });
    this.#ledger = ledger;
    this.client.on("connection.changed", ({ state, error }) =>
      this.#remember(`${state}${error === undefined ? "" : ` (${error.type}: ${error.message})`}`),
    );
    this.client.on("resync", () => this.#remember("resync"));
    this.client.on("message.created", ({ channelId, messages }) =>
      this.#remember(`created in ${channelId}: ${messages.map(({ seq, rev }) => `${seq}/${rev}`).join(" ")}`),
    );
    for (const name of ["message.changed", "message.deleted"] as const) {
      this.client.on(name, ({ message: { channelId, seq, rev } }) =>
        this.#remember(`${name} in ${channelId}: ${seq}/${rev}`),
      );
    }
  }

  get userId(): string {
    return this.#userId;
  }

  async logIn(): Promise<void> {
    const { user } = await this.client.createGuest({ nickname: this.name });
    this.#userId = user.id;
    await this.client.connect();
  }

  async enter(channelId: string): Promise<void> {
    const view = this.client.channel(channelId);
    await view.load();
    this.views.set(channelId, view);
  }

  leave(channelId: string): void {
    this.views.get(channelId)?.close();
    this.views.delete(channelId);
  }

  /**
   * Sends a message with a unique text; resolves, with or without an acknowledgement, when the SDK is done with
   * it.
   */
  async send(channelId: string, kind: string): Promise<LedgerEntry> {
    const entry = this.#ledger.add(channelId, this.#userId, kind);
    try {
      const message = await this.#view(channelId).send(entry.text);
      entry.acknowledged = message;
      note(entry, `acknowledged as ${message.id} seq ${message.seq} rev ${message.rev}`);
    } catch (error) {
      this.#failed(entry, "send", error);
    }
    return entry;
  }

  async edit(entry: LedgerEntry, text: string): Promise<void> {
    const before = entry.texts;
    entry.texts = [...before, text];
    note(entry, `edit to "${text}"`);
    try {
      const { rev } = await this.#view(entry.channelId).edit(entry.acknowledged!.id, text);
      entry.texts = [text];
      note(entry, `edit acknowledged, rev ${rev}`);
    } catch (error) {
      this.#failed(entry, "edit", error);
    }
  }

  async delete(entry: LedgerEntry): Promise<void> {
    entry.deleted = "maybe";
    note(entry, "delete");
    try {
      await this.#view(entry.channelId).delete(entry.acknowledged!.id);
      entry.deleted = "yes";
      note(entry, "delete acknowledged");
    } catch (error) {
      this.#failed(entry, "delete", error);
    }
  }

  #failed(entry: LedgerEntry, what: string, error: unknown): void {
    const type = error instanceof FanfareError ? error.type : String(error);
    note(entry, `${what} failed: ${String(error)}`);
    this.errors.set(`${what}: ${type}`, (this.errors.get(`${what}: ${type}`) ?? 0) + 1);
    // Calls in flight at the end of the run are given up.
    if (this.client.state === "closed") return;
    if (!EXPECTED_ERRORS.has(type))
      this.unexpectedErrors.push(`${this.name}: ${what} of "${entry.text}": ${type}`);
  }

  #view(channelId: string): ChannelView {
    const view = this.views.get(channelId);
    if (view === undefined) throw new Error(`${this.name} is not in ${channelId}.`);
    return view;
  }

  #remember(what: string): void {
    this.events.push(`${new Date().toISOString()} ${what}`);
    if (this.events.length > MAX_EVENTS) this.events.shift();
  }
}
