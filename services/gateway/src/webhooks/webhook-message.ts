import { parse } from "@fanfare/kernel";
import type { Converted } from "@fanfare/markup";
import type { z } from "zod";

/** What a payload of another service becomes. */
export interface WebhookMessage extends Converted {
  username?: string;
  avatarUrl?: string;
  /** Linked at the end of a text that had to be cut. */
  url?: string;
  /** Repeated payloads with the same nonce become one message. */
  nonce?: string;
}

export interface Sent {
  /** The event's name, for services that send it in a header. */
  event: string;
  /** Whether the message has files, and so needs no text. */
  hasFiles: boolean;
}

/**
 * Turns the payload of a service into a message. null: the event isn't worth one.
 * @throws {ServiceError} VALIDATION_FAILED if essential fields are missing
 */
export type Convert = (payload: unknown, sent: Sent) => WebhookMessage | null;

/** @throws {ServiceError} VALIDATION_FAILED with the wrong fields */
export const read = <S extends z.ZodType>(schema: S, payload: unknown): z.output<S> =>
  parse(schema, payload) as z.output<S>;
