import { TOKEN_SECRET_MIN_CHARS } from "./settings/people.ts";

const MIN_DISTINCT_CHARS = 6;
/** Distance of adjacent characters. In random secrets few adjacent characters are this close. */
const CLOSE = 1;
const MAX_ADJACENT_PAIRS = 0.75;

/** Placeholders common in documentation and guides. Random secrets do not contain them. */
const PLACEHOLDER = /change.?me|replace.?me|example|placeholder|secret|password|random|openssl/i;

/** Describes why a secret is obviously not random; undefined if it looks random. */
export function weaknessOf(secret: string): string | undefined {
  if (PLACEHOLDER.test(secret)) return "is a placeholder";
  const repeatsItself = (secret + secret).indexOf(secret, 1) < secret.length;
  if (repeatsItself || new Set(secret).size < MIN_DISTINCT_CHARS) return "is repetitive";
  const closePairs = secret
    .split("")
    .filter(
      (char, index) => index > 0 && Math.abs(char.charCodeAt(0) - secret.charCodeAt(index - 1)) <= CLOSE,
    ).length;
  return closePairs / secret.length > MAX_ADJACENT_PAIRS ? "is a sequence of characters" : undefined;
}

/** Whether the secret is too short or too weak to verify signatures with. */
export function isGuessable(secret: string): boolean {
  return secret.length < TOKEN_SECRET_MIN_CHARS || weaknessOf(secret) !== undefined;
}
