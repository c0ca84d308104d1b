import type { Message } from "@fanfare/contract";

/** Messages of one author within this time stand under one name. */
const BLOCK_WITHIN_MS = 5 * 60_000;

/** Whether a message shows its author's name again. */
export function startsBlock(previous: Message | undefined, message: Message): boolean {
  if (previous?.authorId !== message.authorId) return true;
  return Date.parse(message.createdAt) - Date.parse(previous.createdAt) > BLOCK_WITHIN_MS;
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The time of day; with the day when that is not today. */
export function shortTime(iso: string): string {
  const time = new Date(iso);
  return (isToday(time) ? timeOfDay : dayAndTime).format(time);
}

function isToday(time: Date): boolean {
  return time.toDateString() === new Date().toDateString();
}
