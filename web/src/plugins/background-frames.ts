import type { Call, Card } from "@fanfare/contract";
import { type PluginContext, PluginFrame } from "./plugin-frame.ts";
import { type PluginWithPage, usePlugins } from "./plugins.ts";

const MAX_CARDS = 300;
const CARD_TTL_MS = 5 * 60_000;

/** They stay until the session ends, or the plug-in changes. */
const frames = new Map<PluginWithPage, PluginFrame>();
/** By plug-in and link, oldest first. */
const cards = new Map<string, { untilMs: number; card: Promise<Card | null> }>();

usePlugins.subscribe(({ withPage }) => {
  for (const [plugin, frame] of frames) {
    if (withPage.includes(plugin)) continue;
    frames.delete(plugin);
    frame.close();
  }
  cards.clear();
});

/** The frame of a plug-in that isn't shown: it makes cards and runs composer actions. */
function frameOf(plugin: PluginWithPage, call: Call): PluginFrame {
  const known = frames.get(plugin);
  if (known?.isClosed === false) return known;
  const frame = new PluginFrame(plugin, call);
  frame.element.hidden = true;
  frame.element.inert = true;
  frames.set(plugin, frame);
  // The next time, it is loaded again.
  frame.ready.catch(() => {
    if (frames.get(plugin) === frame) frames.delete(plugin);
    frame.close();
  });
  document.body.append(frame.element);
  return frame;
}

/** The card of a link; null if the plug-in has none, or fails. */
export function cardFor(plugin: PluginWithPage, link: string, call: Call): Promise<Card | null> {
  const key = `${plugin.name} ${link}`;
  const known = cards.get(key);
  if (known !== undefined && known.untilMs > Date.now()) return known.card;
  const card: Promise<Card | null> = frameOf(plugin, call)
    .card(link)
    .catch(() => {
      // It can work the next time.
      if (cards.get(key)?.card === card) cards.delete(key);
      return null;
    });
  cards.delete(key);
  cards.set(key, { untilMs: Date.now() + CARD_TTL_MS, card });
  const [oldest] = cards.keys();
  if (cards.size > MAX_CARDS && oldest !== undefined) cards.delete(oldest);
  return card;
}

/** @throws {Error} if the plug-in fails */
export async function runComposerAction(
  plugin: PluginWithPage,
  action: string,
  context: PluginContext,
  call: Call,
): Promise<void> {
  const frame = frameOf(plugin, call);
  await frame.request({ type: "composerAction", action, context: { ...context, language: frame.language } });
}
