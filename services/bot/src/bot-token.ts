const TOKEN = /^fbot\.([0-9a-f]{24})\.([\w-]{43})$/;

export function formatBotToken(botId: string, secret: string): string {
  return `fbot.${botId}.${secret}`;
}

/** null when it cannot be the token of a bot. */
export function parseBotToken(token: string): { botId: string; secret: string } | null {
  const [, botId, secret] = TOKEN.exec(token) ?? [];
  return botId === undefined || secret === undefined ? null : { botId, secret };
}
