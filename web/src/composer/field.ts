import { insertAtCaret } from "./markdown-edit.ts";

export const composerFieldId = (channelId: string): string => `composer-${channelId}`;

export function focusComposer(channelId: string): void {
  document.getElementById(composerFieldId(channelId))?.focus();
}

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
