import { composerFieldId } from "./field.ts";
import { insertAtCaret } from "./markdown-edit.ts";

/**
 * Adds a text that can be edited and sent from there.
 * @returns whether there is a composer
 */
export function insertInComposer(channelId: string, text: string): boolean {
  const field = document.getElementById(composerFieldId(channelId));
  if (!(field instanceof HTMLTextAreaElement)) return false;
  insertAtCaret(field, text);
  return true;
}
