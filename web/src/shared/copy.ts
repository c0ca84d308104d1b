import i18next from "i18next";
import { useEffect, useState } from "react";
import { showToast } from "../ui/feedback.tsx";

const SHOWN_MS = 3000;

/** Copies a text, and says for a moment that it is copied. Where that isn't possible, a toast has `failed`. */
export function useCopy(
  text: string,
  failed = i18next.t("shared:copyFailed"),
): { isCopied: boolean; copy: () => void } {
  const [copied, setCopied] = useState<{ text: string } | null>(null);
  useEffect(() => {
    if (copied === null) return undefined;
    const timer = setTimeout(() => setCopied(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    if (await copyText(text)) setCopied({ text });
    else showToast({ text: failed });
  };
  return { isCopied: copied?.text === text, copy: () => void copy() };
}

/** Copies a text and says so in a toast. Where that isn't possible, the toast has the text to select, or `failed`. */
export async function copyAndSay(text: string, done: string, failed = text): Promise<void> {
  showToast((await copyText(text)) ? { text: done, tone: "good" } : { text: failed });
}

/** Returns false if the browser doesn't allow clipboard access, as on pages without https. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
