const CODE = /^[A-Za-z0-9_-]{6,32}$/;

/** The code in what somebody has pasted: a link of any host, a path, or the code itself; null where there is none. */
export function inviteCodeOf(text: string): string | null {
  const path = text.trim().replace(/[?#].*$/, "");
  const code = /(?:^|\/)invite\/([^/]+)\/?$/.exec(path)?.[1] ?? path;
  return CODE.test(code) ? code : null;
}
