import { SHARED } from "../service-worker/messages.ts";

/** What another app has shared with this one, until it is in a draft. */
export interface SharedContent {
  text: string;
  files: readonly File[];
}

/** Null if nothing was shared. */
export async function readShared(): Promise<SharedContent | null> {
  if (!("caches" in globalThis)) return null;
  const kept = await caches.match(SHARED.path, { cacheName: SHARED.cache });
  // Not a form if the app was opened by something other than the system's share menu.
  const form = await kept?.formData().catch(() => undefined);
  if (form === undefined) return null;
  const texts = ["title", "text", "url"].map((name) => form.get(name));
  const text = joinTexts(texts.filter((value) => typeof value === "string"));
  const files = form.getAll("files").filter((value) => value instanceof File && value.size > 0) as File[];
  return text === "" && files.length === 0 ? null : { text, files };
}

/** Also called on logout, since others may use this browser. */
export async function forgetShared(): Promise<void> {
  if ("caches" in globalThis) await caches.delete(SHARED.cache);
}

/** Systems repeat parts: the link also ends the text, or the title begins it. */
export function joinTexts(texts: readonly string[]): string {
  const parts = texts.map((text) => text.trim());
  return parts
    .filter((part, index) => {
      const isWithinOther = (other: string, at: number) =>
        at !== index && other.includes(part) && (other !== part || at < index);
      return part !== "" && !parts.some(isWithinOther);
    })
    .join("\n");
}
