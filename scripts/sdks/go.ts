import {
  pascal,
  type Action,
  type Field,
  type Model,
  type ObjectType,
  type Type,
  type UnionType,
} from "./model.ts";
import { wrap } from "./python.ts";

const HEADER = "// Code generated from the API of Fanfare. DO NOT EDIT.\n\npackage fanfare\n";
const WIDTH = 100;
/** Types that the hand-written code has itself. */
const RENAMED: Record<string, string> = { Bot: "BotInfo" };

/** The generated files of the Go package, by file name. `gofmt` aligns them. */
export function goFiles({ objects, unions, actions, events }: Model): Record<string, string> {
  const subjects = Map.groupBy(actions, ({ subject }) => subject);
  const types = [HEADER, ...objects.map(struct), ...unions.map((union) => struct(merged(union)))];
  const calls = [
    HEADER,
    'import "context"\n',
    "// Actions has all actions, by their subject: message.send is client.Message.Send.",
    "type Actions struct {",
    ...[...subjects.keys()].map((subject) => `\t${pascal(subject)} ${pascal(subject)}Actions`),
    "}\n",
    "func newActions(c *Client) Actions {",
    "\treturn Actions{",
    ...[...subjects.keys()].map((subject) => `\t\t${pascal(subject)}: ${pascal(subject)}Actions{c},`),
    "\t}\n}\n",
    ...[...subjects].map(([subject, own]) =>
      [
        `// ${pascal(subject)}Actions has the actions ${subject}.*.`,
        `type ${pascal(subject)}Actions struct{ client *Client }\n`,
      ]
        .concat(own.map(method))
        .join("\n"),
    ),
  ];
  const handlers = events.flatMap(({ name, summary, payload }) => [
    comment(`On${pascal(name)} handles ${name}. ${summary}`, ""),
    `func (b *Bot) On${pascal(name)}(handle func(${payload})) { on(b, "${name}", handle) }\n`,
  ]);
  return {
    "types.go": types.join("\n"),
    "actions.go": calls.join("\n"),
    "events.go": [HEADER, ...handlers].join("\n"),
  };
}

function struct({ name, description, fields, isInput }: ObjectType): string {
  const lines = fields.flatMap((field) => {
    const { values } = field.type.kind === "string" ? field.type : {};
    const notes = [field.description, values === undefined ? "" : `One of: ${values.join(", ")}.`];
    const note = notes.filter((one) => one !== "").join(". ");
    return [
      ...(note === "" ? [] : [comment(note, "\t")]),
      `\t${goName(field.name)} ${fieldType(field, isInput)} \`json:"${field.name}${field.isRequired ? "" : ",omitzero"}"\``,
    ];
  });
  const about = description === "" ? "" : `${comment(`${name}: ${description}`, "")}\n`;
  return `${about}type ${RENAMED[name] ?? name} struct {\n${lines.map((line) => `${line}\n`).join("")}}\n`;
}

/** One struct with the fields of all variants. */
function merged({ name, description, variants }: UnionType): ObjectType {
  const fields = new Map<string, Field>();
  for (const { name: fieldName, ...field } of variants.flatMap((variant) => variant.fields)) {
    const known = fields.get(fieldName);
    const inAll = variants.every((variant) =>
      variant.fields.some((one) => one.name === fieldName && one.isRequired),
    );
    fields.set(fieldName, {
      ...field,
      name: fieldName,
      isRequired: inAll,
      type: known === undefined ? field.type : joined(known.type, field.type),
    });
  }
  return { name, description, fields: [...fields.values()], isInput: variants[0]!.isInput };
}

function joined(one: Type, other: Type): Type {
  if (one.kind === "string" && other.kind === "string")
    return one.values === undefined || other.values === undefined
      ? { kind: "string" }
      : { kind: "string", values: [...new Set([...one.values, ...other.values])] };
  return JSON.stringify(one) === JSON.stringify(other) ? one : { kind: "any" };
}

function method({ name, subject, verb, summary, description, params, result, isReadOnly }: Action): string {
  const own = pascal(verb);
  const accepts = params === null ? "" : `, params ${params}`;
  const call = `(ctx, a.client, "${name}", ${params === null ? "struct{}{}" : "params"}, ${isReadOnly})`;
  return [
    `${comment(`${own} calls ${name}. ${summary}`, "")}\n//\n${comment(description, "")}`,
    `func (a ${pascal(subject)}Actions) ${own}(ctx context.Context${accepts}) ${result === null ? "error" : `(${result}, error)`} {`,
    ...(result === null
      ? [`\t_, err := call[struct{}]${call}`, "\treturn err"]
      : [`\treturn call[${result}]${call}`]),
    "}\n",
  ].join("\n");
}

/** Absent, null and a value are three states only in params, where null removes something. */
function fieldType({ type, isRequired }: Field, isInput: boolean): string {
  if (type.kind === "nullable" && !isRequired && isInput) return `Nullable[${goType(type.of)}]`;
  const inner = goType(type);
  const isPlain = /^(?:\*|\[\]|map\[|any$)/.test(inner);
  return isRequired || isPlain ? inner : `*${inner}`;
}

function goType(type: Type): string {
  switch (type.kind) {
    case "string":
      return "string";
    case "integer":
      return "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "any":
      return "any";
    case "list":
      return `[]${goType(type.of)}`;
    case "map":
      return `map[string]${goType(type.of)}`;
    case "nullable": {
      const inner = goType(type.of);
      return /^(?:\*|\[\]|map\[|any$)/.test(inner) ? inner : `*${inner}`;
    }
    case "named":
      return RENAMED[type.name] ?? type.name;
  }
}

/** Go writes `ChannelID` and `AvatarURL`. */
const goName = (field: string): string =>
  pascal(field).replaceAll(/(?:Id|Url)(?=s?(?:[A-Z]|$))/g, (word) => word.toUpperCase());

const comment = (text: string, indent: string): string =>
  text
    .split("\n")
    .flatMap((line) => wrap(line, WIDTH - indent.length - 3))
    .map((line) => `${indent}// ${line}`.trimEnd())
    .join("\n");
