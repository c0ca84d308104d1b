import type { Call, Card } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import i18next from "i18next";
import { safeUrl } from "../channel/messages/markdown/lex.ts";
import { insertInComposer } from "../composer/insert.ts";
import { errorText, ErrorWithText } from "../shared/use-action.ts";
import { openPanel } from "../state/panels.ts";
import { cardOf } from "./cards.ts";
import { callPlugin, panelName, type PluginWithPage } from "./plugins.ts";

const FRAME_URL = "/plugin-frame.html";
const START_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Calls of a frame at a time. */
const MAX_CALLS = 16;
/** Calls that wait until others have ended. */
const MAX_WAITING_CALLS = 500;
/** Below the limit of the socket, which is closed beyond it. */
const MAX_PARAMS_CHARS = 16_000;
/** A frame that sends more is closed, because the page could do nothing else. */
const MAX_MESSAGES_PER_SECOND = 500;

const COLORS = [
  "text",
  "muted",
  "canvas",
  "field",
  "hover",
  "line",
  "line-strong",
  "accent",
  "accent-text",
  "danger-text",
  "focus",
] as const;

/** Where the user is. */
export interface PluginContext {
  channelId: string;
  groupId: string | null;
}

/** What the page asks a plug-in for. */
type Request =
  | { type: "card"; link: string }
  | { type: "composerAction"; action: string; context: PluginContext & { language: string } }
  | { type: "panel"; panel: string; context: PluginContext & { language: string } };

type FromFrame = Record<
  "action" | "data" | "id" | "ok" | "panel" | "params" | "text" | "type" | "url",
  unknown
>;

/**
 * Runs the program of a plug-in in a frame with an origin of its own: it has no access to the page, the session or the network. All it can
 * do are the requests that are answered here.
 */
export class PluginFrame {
  readonly element: HTMLIFrameElement;
  readonly #plugin: PluginWithPage;
  readonly #call: Call;
  readonly #port: MessagePort;
  readonly #ready = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, { resolve: (data: unknown) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #isClosed = false;
  #calls = 0;
  readonly #waitingCalls: (() => void)[] = [];
  /** Composer actions that the user has chosen, and that still run. */
  #composerActions = 0;
  #second = { startedMs: 0, messages: 0 };
  /** Where it was asked to do something last. */
  #context: PluginContext | null = null;

  /** It starts when the element is added to the document. */
  constructor(plugin: PluginWithPage, call: Call) {
    this.#plugin = plugin;
    this.#call = call;
    this.element = document.createElement("iframe");
    // Set before it loads. Forms are only handled by the program: the frame's policy forbids sending them.
    this.element.sandbox.add("allow-scripts", "allow-forms");
    this.element.title = plugin.title;
    this.element.src = FRAME_URL;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.addEventListener("message", ({ data }: MessageEvent<unknown>) => this.#receive(data));
    port1.start();
    // Only once: it must not get another port by loading another page.
    this.element.addEventListener("load", () => this.#start(port2), { once: true });
    const timer = setTimeout(() => this.#ready.reject(failure()), START_TIMEOUT_MS);
    this.#ready.promise.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
  }

  /** Rejects if it can't be loaded. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get language(): string {
    return i18next.language;
  }

  /** @throws {Error} if the plug-in fails or does not answer */
  async request(request: Request): Promise<unknown> {
    await this.#ready.promise;
    if ("context" in request) this.#context = request.context;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(failure()), REQUEST_TIMEOUT_MS);
    const isComposerAction = request.type === "composerAction";
    if (isComposerAction) this.#composerActions += 1;
    this.#port.postMessage({ ...request, id });
    try {
      return await promise;
    } finally {
      if (isComposerAction) this.#composerActions -= 1;
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async card(link: string): Promise<Card | null> {
    return cardOf(await this.request({ type: "card", link }));
  }

  /** Hands over what the plug-in's server has published; null: something may have been missed. */
  publish(published: { key: string; data: unknown } | null): void {
    this.#ready.promise.then(
      () => this.#port.postMessage({ type: "published", published }),
      () => {},
    );
  }

  /** Also because it sent too much. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    this.#ready.reject(failure());
    for (const { reject } of this.#waiting.values()) reject(failure());
    this.#waitingCalls.length = 0;
    this.#port.close();
    this.element.remove();
  }

  #start(port: MessagePort): void {
    const { path, integrity } = this.#plugin.page;
    const styles = getComputedStyle(document.documentElement);
    const colors = Object.fromEntries(
      COLORS.map((name) => [name, styles.getPropertyValue(`--color-${name}`)]),
    );
    const message = {
      type: "start",
      path,
      integrity,
      language: this.language,
      direction: document.documentElement.dir || "ltr",
      colors: { ...colors, scheme: document.documentElement.dataset["theme"] === "dark" ? "dark" : "light" },
    };
    // Its origin is opaque, and the element is still the frame that was created here.
    this.element.contentWindow?.postMessage(message, "*", [port]);
  }

  #receive(data: unknown): void {
    if (typeof data !== "object" || data === null) return;
    const nowMs = performance.now();
    if (nowMs - this.#second.startedMs > 1000) this.#second = { startedMs: nowMs, messages: 0 };
    this.#second.messages += 1;
    if (this.#second.messages > MAX_MESSAGES_PER_SECOND) {
      this.close();
      return;
    }
    const message = data as FromFrame;
    switch (message.type) {
      case "defined":
        this.#ready.resolve();
        return;
      case "failed":
        this.#ready.reject(failure());
        return;
      case "result": {
        const waiting = this.#waiting.get(message.id as number);
        if (message.ok === true) waiting?.resolve(message.data);
        else waiting?.reject(failure());
        return;
      }
      case "call":
        void this.#answer(message);
        return;
      case "openPanel": {
        const panel = this.#plugin.page.panels.find(({ id }) => id === message.panel);
        if (panel !== undefined && this.#isUsed()) openPanel(panelName(this.#plugin.name, panel.id));
        return;
      }
      case "insertText": {
        const text = typeof message.text === "string" ? message.text.slice(0, LIMITS.messageMaxChars) : "";
        if (this.#context !== null && this.#isUsed()) insertInComposer(this.#context.channelId, text);
        return;
      }
      case "openLink": {
        const url = typeof message.url === "string" ? safeUrl(message.url) : null;
        if (url !== null && this.#isUsed()) open(url.href, "_blank", "noopener,noreferrer");
      }
    }
  }

  async #answer({ id, action, params }: FromFrame): Promise<void> {
    const refuse = (message: string) => this.#port.postMessage({ type: "answer", id, ok: false, message });
    if (!this.#plugin.page.actions.includes(action as string)) {
      refuse(`The plug-in is not allowed to call ${String(action)}.`);
      return;
    }
    if ((JSON.stringify(params ?? {}) ?? "").length > MAX_PARAMS_CHARS) {
      refuse("The parameters are too long.");
      return;
    }
    if (this.#waitingCalls.length >= MAX_WAITING_CALLS) {
      refuse("Too many calls at a time.");
      return;
    }
    // It gets the place of one that has ended.
    if (this.#calls >= MAX_CALLS) await new Promise<void>((resolve) => this.#waitingCalls.push(resolve));
    else this.#calls += 1;
    try {
      const name = `plugin.${this.#plugin.name}.${String(action)}`;
      const result = await callPlugin(this.#call, name, params as object);
      this.#port.postMessage({ type: "answer", id, ok: true, data: result });
    } catch (error) {
      refuse(errorText(error));
    } finally {
      const next = this.#waitingCalls.shift();
      if (next === undefined) this.#calls -= 1;
      else next();
    }
  }

  /**
   * Whether the user has just clicked or pressed a key in this frame, or has chosen one of its composer actions. What the user does in the
   * page doesn't count: a plug-in could otherwise open links while the user is typing a message.
   */
  #isUsed(): boolean {
    const isFocused = document.activeElement === this.element;
    return (isFocused || this.#composerActions > 0) && navigator.userActivation.isActive;
  }
}

const failure = (): Error => new ErrorWithText(i18next.t("shared:error.PLUGIN_FAILED"));
