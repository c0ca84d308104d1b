/** Facts in one line, without missing and empty ones. */
export function dotted(facts: readonly (string | false | null | undefined)[]): string {
  return facts.filter((fact) => typeof fact === "string" && fact !== "").join(" · ");
}
