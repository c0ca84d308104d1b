/** How long somebody waits between two messages, in seconds, as it is offered. */
export const SLOW_MODES = [0, 5, 10, 30, 60, 300, 900, 3600, 21_600] as const;

type Unit = "second" | "minute" | "hour";

/** "10 seconds", in the language. */
export function durationText(seconds: number, language: string): string {
  const [value, unit]: [number, Unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, "hour"]
      : seconds % 60 === 0
        ? [seconds / 60, "minute"]
        : [seconds, "second"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}
