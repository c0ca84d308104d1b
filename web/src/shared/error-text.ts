import { FanfareError } from "@fanfare/client";

/** One line for people about something that failed. */
export function errorText(error: unknown): string {
  if (!(error instanceof FanfareError)) return "Something went wrong on this page. Reload it and try again.";
  if (error.type === "VALIDATION_FAILED") return issuesText(error) ?? error.message;
  if (error.retryAfterMs > 0) return `${error.message} Try again in ${seconds(error.retryAfterMs)}.`;
  return error.message;
}

function issuesText({ data }: FanfareError): string | undefined {
  const { issues } = (data ?? {}) as { issues?: { path: string; message: string }[] };
  return issues?.map(({ path, message }) => `${capitalized(path)}: ${message}.`).join(" ");
}

function seconds(ms: number): string {
  const count = Math.ceil(ms / 1000);
  return count === 1 ? "a second" : `${count} seconds`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
