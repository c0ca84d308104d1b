import { serverUrl } from "../values.ts";
import { notes } from "./notes.ts";

export const cluster = {
  NATS_URL: serverUrl(["nats"], { several: true }).optional().register(notes, {
    description: "How processes reach each other; several servers with commas in between.",
    otherwise: "this process is the whole instance",
    required: "where `SERVICES` leaves something out",
    example: "nats://fanfare:password@nats.example.org:4222",
    secret: true,
  }),
  REDIS_URL: serverUrl(["redis", "rediss"]).optional().register(notes, {
    description: "Redis or Valkey, where the processes share presence and rate limits.",
    otherwise: "in the memory of this process",
    required: "with `NATS_URL`",
    example: "redis://:password@valkey.example.org:6379",
    secret: true,
  }),
};
