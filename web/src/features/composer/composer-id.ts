/** The id of the field in which one writes in a channel. */
export const composerFieldId = (channelId: string): string => `composer-${channelId}`;

/** Puts the focus where one writes in a channel. */
export function focusComposer(channelId: string): void {
  document.getElementById(composerFieldId(channelId))?.focus();
}
