import { parse, parseAllDocuments } from "yaml";

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  [key: string]: unknown;
}

interface Input {
  type: "string" | "number" | "choice" | "boolean";
  default?: string;
  required?: boolean;
  options?: string[];
}

interface TemplateSpec {
  defaults: Record<string, { type: string; value: string }>;
  inputs?: Record<string, Input>;
}

export interface Surroundings {
  /** Values entered by the user. */
  inputs: Record<string, string>;
  /** Values provided by Sealos, such as `SEALOS_NAMESPACE`. */
  system: Record<string, string>;
  random: (length: number) => string;
}

const EXPRESSION = /\$\{\{\s*(.*?)\s*\}\}/g;
const CONDITION = /^ *\$\{\{ (if|else|endif)\((?:(\S+) === '(.*)')?\) \}\}$/;
const CALL = /^(random|base64)\((.*)\)$/;

/**
 * Evaluates a template like the Sealos app store: the first document defines the values, which replace the expressions in the others.
 * @returns the evaluated Template and the resources to apply
 * @throws Error for missing or invalid inputs, and for unknown expressions
 */
export function evaluateTemplate(
  text: string,
  around: Surroundings,
): { template: Manifest; resources: Manifest[] } {
  const [head = "", ...rest] = text.split(/^---$/m);
  const { defaults, inputs = {} } = (parse(head) as { spec: TemplateSpec }).spec;
  const values = new Map(Object.entries(around.system));
  for (const [name, { value }] of Object.entries(defaults))
    values.set(`defaults.${name}`, substitute(value, values, around.random));
  for (const [name, value] of Object.entries(givenInputs(inputs, around.inputs)))
    values.set(`inputs.${name}`, substitute(value, values, around.random));
  const chosen = chooseLines(rest.join("---"), values);
  const resources = parseAllDocuments(substitute(chosen, values, around.random)).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS() as Manifest;
  });
  return { template: parse(head) as Manifest, resources };
}

/** Leaves out the lines of conditions that aren't met. Conditions are lines of their own, and aren't nested. */
function chooseLines(text: string, values: ReadonlyMap<string, string>): string {
  let isChosen = true;
  return text
    .split("\n")
    .filter((line) => {
      const [, kind, name, value] = CONDITION.exec(line) ?? [];
      if (kind === undefined) return isChosen;
      if (kind === "if") isChosen = valueOf(name!, values) === value;
      else isChosen = kind === "endif" || !isChosen;
      return false;
    })
    .join("\n");
}

function substitute(text: string, values: ReadonlyMap<string, string>, random: Surroundings["random"]) {
  return text.replace(EXPRESSION, (_, expression: string) => {
    const call = CALL.exec(expression);
    if (call?.[1] === "random") return random(Number(call[2]));
    if (call?.[1] === "base64") return Buffer.from(valueOf(call[2]!, values)).toString("base64");
    return valueOf(expression, values);
  });
}

function valueOf(name: string, values: ReadonlyMap<string, string>): string {
  const value = values.get(name);
  if (value === undefined) throw new Error(`The template uses \${{ ${name} }}, which is not defined.`);
  return value;
}

function givenInputs(known: Record<string, Input>, given: Record<string, string>): Record<string, string> {
  const unknown = Object.keys(given).filter((name) => !(name in known));
  if (unknown.length > 0) throw new Error(`Unknown inputs: ${unknown.join(", ")}.`);
  return Object.fromEntries(
    Object.entries(known).map(([name, input]) => {
      const value = given[name] ?? input.default ?? "";
      if (input.required === true && value === "") throw new Error(`The input ${name} is required.`);
      if (input.options?.includes(value) === false)
        throw new Error(`The input ${name} must be one of ${input.options.join(", ")}.`);
      return [name, value];
    }),
  );
}
