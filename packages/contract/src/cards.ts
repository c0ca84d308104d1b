import type { Card, Control, Message } from "./entities.ts";

/** Without zod, for the page. */

/** The message as text: for lists, notifications and searches, which don't show cards. */
export function textOf({ content, cards = [] }: Pick<Message, "content" | "cards">): string {
  return [content, ...cards.map(cardText)].filter(Boolean).join("\n");
}

/** Only its markdown: mentions in titles, authors and footers are plain text. */
export function markdownOf({ content, cards = [] }: Pick<Message, "content" | "cards">): string {
  return [
    content,
    ...cards.flatMap(({ text = "", fields = [] }) => [text, ...fields.map(({ value }) => value)]),
  ].join("\n");
}

function cardText({ author, title, text, fields = [], footer }: Card): string {
  const lines = fields.map(({ name, value }) => (name === "" ? value : `${name}: ${value}`));
  return [author?.name, title, text, ...lines, footer].filter((part) => part !== undefined).join("\n");
}

/** The cards with each of their texts changed. */
export function mapCards(cards: readonly Card[], change: (text: string) => string): Card[] {
  return cards.map(({ ...card }) => {
    if (card.title !== undefined) card.title = change(card.title);
    if (card.text !== undefined) card.text = change(card.text);
    if (card.author !== undefined) card.author = { ...card.author, name: change(card.author.name) };
    if (card.fields !== undefined)
      card.fields = card.fields.map((field) => ({
        ...field,
        name: change(field.name),
        value: change(field.value),
      }));
    if (card.footer !== undefined) card.footer = change(card.footer);
    return card;
  });
}

/** The controls with each text that is shown changed. */
export function mapControls(controls: readonly Control[], change: (text: string) => string): Control[] {
  return controls.map((control) => {
    const changed = { ...control, label: change(control.label) };
    if (changed.kind === "select")
      changed.options = changed.options.map((option) => ({ ...option, label: change(option.label) }));
    return changed;
  });
}

export function charsOfCards(cards: readonly Card[]): number {
  let chars = 0;
  mapCards(cards, (text) => {
    chars += text.length;
    return text;
  });
  return chars;
}

/** Of everything in the controls: labels, ids, values and URLs. */
export function charsOfControls(controls: readonly Control[]): number {
  const texts = controls.flatMap((control) => {
    if (control.kind === "link") return [control.label, control.url];
    const options = control.kind === "select" ? control.options : [];
    return [control.id, control.label, ...options.flatMap(({ value, label }) => [value, label])];
  });
  return texts.join("").length;
}

/** The addresses that cards and controls lead to. */
export function urlsOf(cards: readonly Card[], controls: readonly Control[]): string[] {
  return [
    ...cards.flatMap(({ url, author, imageUrl }) => [url, author?.url, imageUrl]),
    ...controls.map((control) => (control.kind === "link" ? control.url : undefined)),
  ].filter((url) => url !== undefined);
}
