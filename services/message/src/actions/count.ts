import type { Handler } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { messageModel } from "../message.model.ts";

/** From what the database knows of the collection, without reading it. */
export function count(database: Connection): Handler<"message.count"> {
  return async () => ({ messages: await messageModel(database).estimatedDocumentCount() });
}
