import { existsSync, readFileSync } from "node:fs";
import type { Manifest } from "./template.ts";

const KUBERNETES = new URL("../kubernetes/schemas/", import.meta.url);

const text = { type: "string" };
const texts = { type: "object", additionalProperties: text };
const closed = (properties: Record<string, object>, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const resources = closed({
  limits: closed({ cpu: text, memory: text }),
  requests: closed({ cpu: text, memory: text }),
});
const component = {
  type: "object",
  required: ["name", "componentDef", "replicas", "resources", "serviceAccountName", "volumeClaimTemplates"],
  properties: { replicas: { type: "integer", minimum: 1 }, resources, serviceVersion: text },
};

const CATEGORIES = "tool ai game database low-code monitor dev-ops blog storage frontend backend".split(" ");

/** Schemas of `spec` by kind, from the public definitions of Sealos and KubeBlocks. */
const SPECS: Record<string, object> = {
  "app.sealos.io/v1/Template": {
    type: "object",
    required: ["title", "templateType", "defaults"],
    properties: {
      title: text,
      description: text,
      templateType: { const: "inline" },
      defaults: {
        type: "object",
        required: ["app_name"],
        additionalProperties: closed({ type: { enum: ["string", "number"] }, value: text }),
      },
      inputs: {
        type: "object",
        additionalProperties: closed(
          {
            description: text,
            type: { enum: ["string", "number", "choice", "boolean"] },
            default: text,
            required: { type: "boolean" },
            options: { type: "array", items: text },
          },
          ["description", "type", "default", "required"],
        ),
      },
      categories: {
        type: "array",
        items: {
          enum: CATEGORIES,
        },
      },
    },
  },
  "app.sealos.io/v1/App": closed({
    name: text,
    icon: text,
    type: { const: "link" },
    displayType: { enum: ["normal", "more", "hidden"] },
    data: closed({ url: { type: "string", pattern: "^https://" } }),
  }),
  "objectstorage.sealos.io/v1/ObjectStorageBucket": closed({
    policy: { enum: ["private", "publicRead", "publicReadwrite"] },
  }),
  "apps.kubeblocks.io/v1alpha1/Cluster": {
    type: "object",
    required: ["terminationPolicy", "componentSpecs"],
    properties: {
      terminationPolicy: { enum: ["DoNotTerminate", "Halt", "Delete", "WipeOut"] },
      componentSpecs: { type: "array", minItems: 1, items: component },
    },
  },
};

/** The JSON schema of a resource; undefined for unknown kinds. */
export function schemaOf({ apiVersion, kind }: Manifest): object | undefined {
  const spec = SPECS[`${apiVersion}/${kind}`];
  if (spec !== undefined) {
    const metadata = { type: "object", required: ["name"], properties: { name: text, labels: texts } };
    return closed({ apiVersion: text, kind: text, metadata, spec });
  }
  const [version, group] = apiVersion.split("/").toReversed();
  const name = [kind.toLowerCase(), group?.split(".")[0], version].filter(Boolean).join("-");
  const file = new URL(`${name}.json`, KUBERNETES);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as object) : undefined;
}
