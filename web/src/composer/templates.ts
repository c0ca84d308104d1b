import type { MessageTemplate } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";

const NONE: readonly MessageTemplate[] = [];

/** The user's templates, on all of their devices, and a function that replaces them. */
export function useTemplates() {
  const call = useCall();
  const templates = useMe().preferences?.templates ?? NONE;
  const set = (changed: MessageTemplate[]): Promise<unknown> =>
    call("user.setPreferences", { templates: changed });
  return { templates, set };
}

export function findTemplate(
  templates: readonly MessageTemplate[],
  name: string,
): MessageTemplate | undefined {
  return templates.find((template) => template.name.toLowerCase() === name.toLowerCase());
}

/** Why one template can't be saved beside the others; null if it can. */
export function templateFault(
  { name, text }: MessageTemplate,
  others: readonly MessageTemplate[],
): "nameTaken" | "full" | "tooLong" | null {
  if (findTemplate(others, name) !== undefined) return "nameTaken";
  if (others.length >= LIMITS.templatesPerUser) return "full";
  const chars = [...others, { name, text }].reduce((sum, one) => sum + one.name.length + one.text.length, 0);
  return chars > LIMITS.templatesMaxChars ? "tooLong" : null;
}
