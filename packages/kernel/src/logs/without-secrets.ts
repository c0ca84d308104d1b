/**
 * What looks like a token or an e-mail address, and must not be in a log whatever brought it there. The last line of defence: nothing is meant
 * to log any. None of them matches a quote or a backslash, so that JSON stays JSON.
 */
const SECRETS: readonly [RegExp, string][] = [
  // Access tokens.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "[token]"],
  // Refresh tokens, those of bots, keys: 32 random bytes and more in base64url.
  [/(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43,}(?![\w-])/g, "[token]"],
  // Name and password in a URL.
  [/\/\/[^\s"'\\/@]+@/g, "//[user]@"],
  [/[\w.!#$%&*+=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/gi, "[e-mail]"],
];

export function withoutSecrets(line: string): string {
  let cleared = line;
  for (const [secret, instead] of SECRETS) cleared = cleared.replace(secret, instead);
  return cleared;
}
