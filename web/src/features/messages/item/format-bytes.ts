const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** A size for people: 1,300,000 is "1.3 MB". */
export function formatBytes(bytes: number, language: string): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const maximumFractionDigits = unit > 0 && value < 10 ? 1 : 0;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[unit]!,
    unitDisplay: unit === 0 ? "long" : "short",
    maximumFractionDigits,
  }).format(value);
}
