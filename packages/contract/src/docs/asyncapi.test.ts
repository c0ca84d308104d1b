import schema from "@asyncapi/specs/schemas/3.0.0-without-$id.json" with { type: "json" };
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { ACTIONS } from "../actions.ts";
import { EVENTS } from "../events.ts";
import { asyncApiDocument } from "./asyncapi.ts";

test("is a valid AsyncAPI 3.0 document", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const validate = ajv.compile(schema);
  validate(asyncApiDocument());
  expect((validate.errors ?? []).slice(0, 5)).toEqual([]);
});

test("all references resolve", () => {
  const document = asyncApiDocument();
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, path] of references) {
    let place: unknown = document;
    for (const key of path!.split("/")) place = (place as Record<string, unknown> | undefined)?.[key];
    expect(place).toBeDefined();
  }
});

test("has every event and exactly the actions that can be called by socket", () => {
  const { operations } = asyncApiDocument() as { operations: object };
  const calls = Object.entries(ACTIONS).filter(([, { transports }]) => transports.includes("socket"));
  expect(Object.keys(operations).sort()).toEqual(
    [...Object.keys(EVENTS).map((name) => `on-${name}`), ...calls.map(([name]) => `call-${name}`)].sort(),
  );
});
