/** Joins class names and ignores everything that isn't a string. */
export function cx(...names: (string | false | null | undefined)[]): string {
  return names.filter((name) => typeof name === "string" && name !== "").join(" ");
}
