import { useState } from "react";
import { FanfareError } from "@fanfare/client";
import i18next from "i18next";
import { formatsOf } from "./formats.ts";

interface ActionState {
  busy: boolean;
  error: string | null;
  /** Runs the work, unless one is running. Resolves to whether it succeeded; never rejects. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** What a form or a button needs to know about the work it started. */
export function useAction(): ActionState {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(errorText(failure));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}

/** One or two sentences for people about something that failed: what it is, and what to do. */
export function errorText(error: unknown): string {
  if (!(error instanceof FanfareError)) return i18next.t("shared:error.unexpected");
  const text = textOf(error);
  if (error.retryAfterMs <= 0) return text;
  return `${text} ${i18next.t("shared:tryAgainIn", { count: Math.ceil(error.retryAfterMs / 1000) })}`;
}

function textOf(error: FanfareError): string {
  const textKey = `shared:error.${error.type}`;
  if (error.type === "VALIDATION_FAILED") return issuesText(error) ?? i18next.t(textKey);
  if (error.type === "LIMIT_REACHED") return limitText(error.data) ?? i18next.t(textKey);
  // A code that is newer than this page: the server's own words.
  return i18next.exists(textKey) ? i18next.t(textKey) : error.message;
}

/** The server says in English what is wrong with a field; other languages get one sentence for all of that. */
export function issueText(message: string): string {
  return i18next.language === "zh" ? i18next.t("shared:error.VALIDATION_FAILED") : `${capitalized(message)}.`;
}

function issuesText({ data }: FanfareError): string | undefined {
  if (i18next.language === "zh") return undefined;
  const { issues } = (data ?? {}) as { issues?: { path: string; message: string }[] };
  return issues?.map(({ path, message }) => `${capitalized(path)}: ${message}.`).join(" ");
}

/** undefined for limits that have no text of their own. */
function limitText(data: unknown): string | undefined {
  const { limit, max } = (data ?? {}) as { limit?: string; max?: number };
  const textKey = `shared:limit.${limit}`;
  if (max === undefined || !i18next.exists(textKey)) return undefined;
  const { bytes, count } = formatsOf(i18next.language);
  return i18next.t(textKey, { max: limit?.endsWith("Bytes") === true ? bytes(max) : count(max) });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
