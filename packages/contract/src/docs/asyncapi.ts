import { ACTIONS, actionDefinition, type ActionName } from "../actions.ts";
import { EVENTS, type EventName } from "../events.ts";
import type { EventDefinition } from "../define.ts";
import { PROTOCOL_VERSION } from "../wire.ts";
import { errorSchema, schemaOf, sharedSchemas, successSchema, wireErrorSchema } from "./openapi.ts";

type Json = Record<string, unknown>;

const CHANNEL = { $ref: "#/channels/socket" };
const inChannel = (message: string): Json => ({ $ref: `#/channels/socket/messages/${message}` });

/** The events and socket calls of the contract as an AsyncAPI 3.0 document. */
export function asyncApiDocument(): Json {
  const messages: Json = {};
  const operations: Json = {};
  for (const name of Object.keys(EVENTS).sort() as EventName[]) {
    const { summary, audience, payload }: EventDefinition = EVENTS[name];
    messages[name] = { name, summary, payload: schemaOf(payload, "output") };
    operations[`on-${name}`] = {
      action: "send",
      channel: CHANNEL,
      summary,
      description: `To: ${audience}.`,
      messages: [inChannel(name)],
    };
  }
  for (const name of Object.keys(ACTIONS).sort() as ActionName[]) {
    const { summary, params, result, transports } = actionDefinition(name);
    if (!transports.includes("socket")) continue;
    messages[`${name}-call`] = { name, summary, payload: schemaOf(params, "input") };
    messages[`${name}-answer`] = {
      name,
      payload: { oneOf: [successSchema(result), { $ref: "#/components/schemas/Error" }] },
    };
    operations[`call-${name}`] = {
      action: "receive",
      channel: CHANNEL,
      summary,
      messages: [inChannel(`${name}-call`)],
      reply: { channel: CHANNEL, messages: [inChannel(`${name}-answer`)] },
    };
  }
  const names = Object.keys(messages);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Fanfare",
      version: `${PROTOCOL_VERSION}.0.0`,
      description:
        "Socket.IO 4 over WebSocket only. Connect with the access token as `auth.token`; a refused connection gets `connect_error` with " +
        "the schema ConnectError as its data. An event of the server has one argument, its payload. A call is " +
        '`socket.emitWithAck("message.send", params)`, and its answer the acknowledgement. For the same calls by HTTP, see openapi.json. ' +
        "Events can be missing, and in a cluster also late or repeated: the changes of a channel have consecutive numbers, `rev`. Ignore " +
        "a `rev` that you have; call `channel.sync` when one is missing, after `ready`, after `resync`, and once after 30 s of silence. " +
        "/docs/build/protocol.html on this server describes the whole protocol, the limits, and which calls are safe to repeat.",
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      local: { host: "127.0.0.1:3000", pathname: "/socket.io/", protocol: "ws", description: "Socket.IO 4" },
    },
    channels: {
      socket: {
        address: "/",
        description: "The one namespace.",
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations,
    components: {
      schemas: { ...sharedSchemas(), Error: errorSchema(), ConnectError: wireErrorSchema() },
      messages,
    },
  };
}
