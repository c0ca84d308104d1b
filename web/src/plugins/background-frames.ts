import type { Call, Card } from "@fanfare/contract";
import { type PluginContext, PluginFrame } from "./plugin-frame.ts";
import type { PluginWithPage } from "./plugins.ts";

const MAX_CARDS = 300;
const CARD_TTL_MS = 5 * 60_000;

/** By name. They stay as long as the page. */
const frames = new Map<string, PluginFrame>();
/** By plug-in and link, oldest first. */
const cards = new Map<string, { untilMs: number; card: Promise<Card | null> }>();

/** The frame of a plug-in that isn't shown: it makes cards and runs composer actions. */
function frameOf(plugin: PluginWithPage, call: Call): PluginFrame {
  const known = frames.get(plugin.name);
  if (known?.isClosed === false) return known;
  const frame = new PluginFrame(plugin, call);
  frame.element.hidden = true;
  frame.element.inert = true;
  frames.set(plugin.name, frame);
  // The next time, it is loaded again.
  frame.ready.catch(() => {
    frames.delete(plugin.name);
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
  const card = frameOf(plugin, call)
    .card(link)
    .catch(() => null);
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
