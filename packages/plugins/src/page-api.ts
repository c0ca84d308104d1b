/** A card below a message, in the format of bots' cards. Texts are Markdown only in `text` and `value`. */
export interface PluginCard {
  title?: string;
  url?: string;
  text?: string;
  /** 0xRRGGBB */
  color?: number;
  author?: { name: string; url?: string };
  fields?: { name: string; value: string; short?: boolean }[];
  footer?: string;
}

/** What a page plug-in gets from the page. */
export interface PageApi {
  /** Calls one of the plug-in's own actions, if it is among `page.actions`. Rejects with the error's message. */
  call(action: string, params: object): Promise<any>;
  /**
   * In a panel: receives what the plug-in's server publishes in its channel. null: something may have been missed, because the
   * connection was lost. @returns what ends it
   */
  subscribe(listener: (published: { key: string; data: any } | null) => void): () => void;
  /** Opens a panel of the plug-in. */
  openPanel(id: string): void;
  /** Adds text to the composer. */
  insertText(text: string): void;
  /** Opens a link in a new tab, after a click or a key. */
  openLink(url: string): void;
}

export interface PageContext {
  channelId: string;
  groupId: string | null;
  /** Such as en. */
  language: string;
}

/** @template Element the type HTMLElement of the browser, which the server's types don't have */
export interface PagePlugin<Element = unknown> {
  /** Makes a card for a link in a message. @returns null for none */
  messageCard?(link: string, api: PageApi): Promise<PluginCard | null> | PluginCard | null;
  composerActions?: Record<string, (context: PageContext, api: PageApi) => unknown>;
  /** Draws a panel into an element. @returns what to do when it closes */
  panels?: Record<string, (container: Element, context: PageContext, api: PageApi) => (() => void) | void>;
}

declare global {
  /** Call it once, when `page.js` is loaded. */
  function definePagePlugin<Element>(plugin: PagePlugin<Element>): void;
}
