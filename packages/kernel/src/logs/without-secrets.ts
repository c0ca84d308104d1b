/**
 * What looks like a token or an e-mail address, and must not be in a log whatever brought it there. The last line of defence: nothing is meant
 * to log any. None of them matches a quote or a backslash, so that JSON stays JSON; and none looks at a character more than some dozen
 * times, however long the line.
 */
const SECRETS: readonly [RegExp, string][] = [
  // Access tokens.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "[token]"],
  // Refresh tokens, those of bots, keys: 32 random bytes and more in base64url.
  [/(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43,}(?![\w-])/g, "[token]"],
  // Name and password in a URL.
  [/\/\/[^\s"'\\/@]+@/g, "//[user]@"],
  [/[\w.!#$%&*+=?^`{|}~-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,}/gi, "[e-mail]"],
];

export function withoutSecrets(line: string): string {
  let cleared = line;
  for (const [secret, instead] of SECRETS) cleared = cleared.replace(secret, instead);
  return cleared;
}
