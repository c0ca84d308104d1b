/**
 * A refresh token is `<session>.<family>.<current>`. Both secrets are random and stored as hashes only. `family` stays for
 * the life of the session and `current` changes at each refresh: a token with the right family and another current is an
 * old one, however many refreshes ago, so its reuse is always noticed without keeping a list.
 */
export interface RefreshToken {
  sessionId: string;
  family: string;
  current: string;
}

const FORMAT = /^([0-9a-f]{24})\.([\w-]{43})\.([\w-]{43})$/;

export function formatRefreshToken({ sessionId, family, current }: RefreshToken): string {
  return `${sessionId}.${family}.${current}`;
}

/** null when it cannot be a refresh token of ours. */
export function parseRefreshToken(token: string): RefreshToken | null {
  const [, sessionId, family, current] = FORMAT.exec(token) ?? [];
  if (sessionId === undefined || family === undefined || current === undefined) return null;
  return { sessionId, family, current };
}
