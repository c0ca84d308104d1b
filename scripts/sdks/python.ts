import { pascal, snake, type Action, type Model, type ObjectType, type Type } from "./model.ts";

const HEADER = `# Generated from the API of Fanfare: do not edit.
from __future__ import annotations
`;

const WIDTH = 100;
/** Those that an action or a parameter could have as its name. */
const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** The generated modules of the Python package, by file name. */
export function pythonFiles({ objects, unions, actions, events }: Model): Record<string, string> {
  const all = [...objects, ...unions.flatMap(({ variants }) => variants)];
  const subjects = Map.groupBy(actions, ({ subject }) => subject);
  const types = [
    HEADER,
    "from typing import Any, Literal, NotRequired, TypedDict, Union\n",
    ...all.map(typedDict),
    ...unions.map(
      ({ name, variants }) => `${name} = Union[\n${variants.map((one) => `    ${one.name},\n`).join("")}]\n`,
    ),
  ];
  const calls = [
    HEADER,
    "from typing import Any, Unpack, cast\n",
    `from . import types\nfrom .http import Caller\n`,
    ...[...subjects].map(([subject, own]) =>
      [`\nclass ${pascal(subject)}Actions:`, "    def __init__(self, caller: Caller) -> None:"]
        .concat("        self._caller = caller\n", own.map(method).join("\n"))
        .join("\n"),
    ),
    `\nclass Actions:\n    """All actions, by their subject: \`message.send\` is \`client.message.send(...)\`."""\n`,
    "    def __init__(self, caller: Caller) -> None:",
    ...[...subjects.keys()].map(
      (subject) => `        self.${snake(subject)} = ${pascal(subject)}Actions(caller)`,
    ),
    "",
  ];
  const handlers = [
    HEADER,
    "from collections.abc import Callable\nfrom typing import Any, TypeVar\n",
    "from . import types\n",
    '_Handler = TypeVar("_Handler", bound=Callable[..., Any])\n',
    `\nclass Events:\n    """Registers a handler for each event. The methods can be used as decorators."""\n`,
    "    def __init__(self) -> None:",
    "        self._handlers: dict[str, list[Callable[[Any], Any]]] = {}\n",
    "    def _on(self, event: str, handler: _Handler) -> _Handler:",
    "        self._handlers.setdefault(event, []).append(handler)",
    "        return handler\n",
    ...events.map(({ name, summary, payload }) =>
      [
        `    def on_${snake(name)}(`,
        `        self, handler: Callable[[types.${payload}], Any]`,
        `    ) -> Callable[[types.${payload}], Any]:`,
        docstring(summary, "        "),
        `        return self._on("${name}", handler)\n`,
      ].join("\n"),
    ),
  ];
  const join = (lines: string[]): string => `${lines.join("\n").trimEnd()}\n`;
  return { "types.py": join(types), "actions.py": join(calls), "events.py": join(handlers) };
}

function typedDict({ name, description, fields }: ObjectType): string {
  const typeOf = (field: ObjectType["fields"][number]): string =>
    field.isRequired ? pythonType(field.type) : `NotRequired[${pythonType(field.type)}]`;
  if (fields.some((field) => KEYWORDS.has(field.name))) {
    const lines = fields.map(
      (field) => `        "${field.name}": "${typeOf(field).replaceAll('"', "'")}",\n`,
    );
    return `\n${name} = TypedDict(\n    "${name}",\n    {\n${lines.join("")}    },\n)\n`;
  }
  const lines = fields.flatMap((field) => [
    ...(field.description === "" ? [] : [comment(field.description)]),
    `    ${field.name}: ${typeOf(field)}`,
  ]);
  if (description !== "") lines.unshift(`${docstring(description, "    ")}\n`);
  return `\nclass ${name}(TypedDict):\n${lines.length === 0 ? "    pass" : lines.join("\n")}\n`;
}

function method({ name, verb, summary, description, params, result, isReadOnly }: Action): string {
  const accepts = params === null ? "" : `, **params: Unpack[types.${params}]`;
  const safe = isReadOnly ? ", is_read_only=True" : "";
  const call = `self._caller.call("${name}", ${params === null ? "{}" : "params"}${safe})`;
  const own = snake(verb);
  return [
    `    def ${KEYWORDS.has(own) ? `${own}_` : own}(self${accepts}) -> ${result === null ? "None" : `types.${result}`}:`,
    docstring(`${summary}\n\n${description}`, "        "),
    result === null ? `        ${call}` : `        return cast(types.${result}, ${call})`,
    "",
  ].join("\n");
}

function pythonType(type: Type): string {
  switch (type.kind) {
    case "string":
      return type.values === undefined
        ? "str"
        : `Literal[${type.values.map((one) => JSON.stringify(one)).join(", ")}]`;
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "any":
      return "Any";
    case "list":
      return `list[${pythonType(type.of)}]`;
    case "map":
      return `dict[str, ${pythonType(type.of)}]`;
    case "nullable":
      return type.of.kind === "any" ? "Any" : `${pythonType(type.of)} | None`;
    case "named":
      return type.name;
  }
}

function docstring(text: string, indent: string): string {
  const [first = "", ...more] = text
    .replaceAll("\\", "\\\\")
    .split("\n")
    .flatMap((line) => wrap(line, WIDTH - indent.length - 6));
  const lines = more.map((line) => (line === "" ? "" : indent + line));
  return more.length === 0
    ? `${indent}"""${first}"""`
    : [`${indent}"""${first}`, ...lines, `${indent}"""`].join("\n");
}

const comment = (text: string): string =>
  wrap(text.replaceAll("\n", " "), WIDTH - 6)
    .map((line) => `    # ${line}`)
    .join("\n");

/** Lines of at most `width` characters, except for longer words. */
export function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
