import { TOKEN_SECRET_MIN_CHARS } from "./settings/people.ts";

const FEWEST_DIFFERENT_CHARS = 6;
/** Of two neighbouring characters; random ones are so rarely that close that most of a secret never is. */
const CLOSE = 1;
const MOST_CLOSE_PAIRS = 0.75;

/** What documents, guides and hurried people write where a secret should be. Random characters do not spell any of it. */
const PLACEHOLDER = /change.?me|replace.?me|example|placeholder|secret|password|random|openssl/i;

/** What is obviously wrong with a secret that should be random; undefined: nothing. */
export function weaknessOf(secret: string): string | undefined {
  if (PLACEHOLDER.test(secret)) return "is a placeholder";
  const repeatsItself = (secret + secret).indexOf(secret, 1) < secret.length;
  if (repeatsItself || new Set(secret).size < FEWEST_DIFFERENT_CHARS) return "repeats itself";
  const closePairs = secret
    .split("")
    .filter(
      (char, index) => index > 0 && Math.abs(char.charCodeAt(0) - secret.charCodeAt(index - 1)) <= CLOSE,
    ).length;
  return closePairs / secret.length > MOST_CLOSE_PAIRS ? "is a row of characters" : undefined;
}

/** Whether nothing should be believed for being signed with it: it is too short, or weak. */
export function isGuessable(secret: string): boolean {
  return secret.length < TOKEN_SECRET_MIN_CHARS || weaknessOf(secret) !== undefined;
}
