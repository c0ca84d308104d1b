/** Joins class names; what is not a string is left out. */
export function cx(...names: (string | false | null | undefined)[]): string {
  return names.filter((name) => typeof name === "string" && name !== "").join(" ");
}
