import { useState } from "react";
import { FanfareError } from "@fanfare/client";
import i18next from "i18next";
import { formatsOf } from "./formats.ts";

interface ActionState {
  busy: boolean;
  error: string | null;
  /** Runs the work unless it is already running. Resolves to whether it succeeded; never rejects. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** The state of an asynchronous action of a form or button. */
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

interface SaveState {
  error: string | null;
  save: (work: () => Promise<unknown>) => void;
}

/**
 * For choices that are saved at once. Not `useAction`: a second one must not be dropped while the first is in flight. They are saved
 * one after another, so that the last one stays.
 */
export function useSave(): SaveState {
  const [error, setError] = useState<string | null>(null);
  const [inOrder] = useState(createQueue);
  const save = (work: () => Promise<unknown>) => {
    setError(null);
    inOrder(work).catch((failure: unknown) => setError(errorText(failure)));
  };
  return { error, save };
}

/** Runs one after another what is passed to the returned function, also after failures. */
export function createQueue(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next;
    return next;
  };
}

/** Whether the server refused a call for this reason. */
export function isErrorOf(error: unknown, type: FanfareError["type"]): error is FanfareError {
  return error instanceof FanfareError && error.type === type;
}

/** An error whose message is for users, in their language. */
export class ErrorWithText extends Error {}

/** A message for users: what failed and what to do. */
export function errorText(error: unknown): string {
  if (error instanceof ErrorWithText) return error.message;
  if (!(error instanceof FanfareError)) return i18next.t("shared:error.unexpected");
  const text = textOf(error);
  if (error.retryAfterMs <= 0) return text;
  return `${text} ${i18next.t("shared:tryAgainIn", { count: Math.ceil(error.retryAfterMs / 1000) })}`;
}

function textOf(error: FanfareError): string {
  const textKey = `shared:error.${error.type}`;
  if (error.type === "VALIDATION_FAILED") return issuesText(error) ?? i18next.t(textKey);
  if (error.type === "PLUGIN_REFUSED") return reasonText(error.data) ?? i18next.t(textKey);
  if (error.type === "LIMIT_REACHED") return limitText(error.data) ?? i18next.t(textKey);
  if (error.type === "MESSAGE_REFUSED") return refusedText(error.data) ?? i18next.t(textKey);
  // An error code that this version doesn't know: use the server's message.
  return i18next.exists(textKey) ? i18next.t(textKey) : error.message;
}

/** In the language of the plug-in. */
function reasonText(data: unknown): string | undefined {
  const { reason } = (data ?? {}) as { reason?: string };
  return reason;
}

/** The message of an error code that a call returned earlier. */
export function errorTypeText(type: string): string {
  const textKey = `shared:error.${type}`;
  return i18next.exists(textKey) ? i18next.t(textKey) : i18next.t("shared:error.unexpected");
}

/** Field errors from the server are in English; other languages show one generic sentence. */
export function issueText(message: string): string {
  return isEnglish() ? `${capitalized(message)}.` : i18next.t("shared:error.VALIDATION_FAILED");
}

function issuesText({ data }: FanfareError): string | undefined {
  if (!isEnglish()) return undefined;
  const { issues } = (data ?? {}) as { issues?: { path: string; message: string }[] };
  return issues?.map(({ path, message }) => `${capitalized(path)}: ${message}.`).join(" ");
}

/** undefined for limits without their own text. */
function limitText(data: unknown): string | undefined {
  const { limit, max } = (data ?? {}) as { limit?: string; max?: number };
  const textKey = `shared:limit.${limit}`;
  if (max === undefined || !i18next.exists(textKey)) return undefined;
  const { bytes, count } = formatsOf(i18next.language);
  return i18next.t(textKey, { max: limit?.endsWith("Bytes") === true ? bytes(max) : count(max) });
}

/** undefined for rules that this version doesn't know. */
function refusedText(data: unknown): string | undefined {
  const { rule, limit } = (data ?? {}) as { rule?: string; limit?: number | null };
  const textKey = `shared:refused.${rule}`;
  return i18next.exists(textKey) ? i18next.t(textKey, { count: limit ?? 0 }) : undefined;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Also before a language is loaded. */
function isEnglish(): boolean {
  return (i18next.language ?? "en") === "en";
}
