let meantCode: string | null = null;

/** Somebody who is about to log in has seen what this invite leads to. */
export function meanToJoin(code: string): void {
  meantCode = code;
}

/** Whether that is what they have come in for. */
export function isMeant(code: string): boolean {
  return meantCode === code;
}
