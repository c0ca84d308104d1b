export const composerFieldId = (channelId: string): string => `composer-${channelId}`;

export function focusComposer(channelId: string): void {
  document.getElementById(composerFieldId(channelId))?.focus();
}
