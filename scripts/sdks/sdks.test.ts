import { openApiDocument } from "@fanfare/contract/docs";
import { describe, expect, test } from "vitest";
import { goFiles } from "./go.ts";
import { type Model, pascal, readModel, snake } from "./model.ts";
import { pythonFiles } from "./python.ts";

const OBJECT = { description: "", isInput: true };
const field = (
  name: string,
  type: Model["objects"][number]["fields"][number]["type"],
  isRequired = true,
) => ({
  name,
  type,
  isRequired,
  description: "",
});
const MODEL: Model = {
  objects: [
    {
      ...OBJECT,
      name: "NoteFindParams",
      fields: [
        field("userId", { kind: "string" }),
        field("from", { kind: "string" }, false),
        field("color", { kind: "nullable", of: { kind: "integer" } }, false),
        field("tags", { kind: "list", of: { kind: "string" } }, false),
      ],
    },
    {
      ...OBJECT,
      name: "Note",
      isInput: false,
      fields: [
        field("state", { kind: "string", values: ["open", "done"] }),
        field("color", { kind: "nullable", of: { kind: "integer" } }, false),
      ],
    },
  ],
  unions: [
    {
      name: "Target",
      description: "",
      variants: [
        { ...OBJECT, name: "TargetAll", fields: [field("type", { kind: "string", values: ["all"] })] },
        {
          ...OBJECT,
          name: "TargetUser",
          fields: [field("type", { kind: "string", values: ["user"] }), field("userId", { kind: "string" })],
        },
      ],
    },
  ],
  actions: [
    {
      name: "note.find",
      subject: "note",
      verb: "find",
      summary: "Find a note.",
      description: "For all.",
      params: "NoteFindParams",
      result: "Note",
      isReadOnly: true,
    },
  ],
  events: [{ name: "note.changed", summary: "A note changed.", payload: "Note" }],
};

describe("Python", () => {
  const files = pythonFiles(MODEL);

  test("objects are typed dictionaries, also with fields that are keywords", () => {
    expect(files["types.py"]).toContain(`NoteFindParams = TypedDict(
    "NoteFindParams",
    {
        "userId": "str",
        "from": "NotRequired[str]",
        "color": "NotRequired[int | None]",
        "tags": "NotRequired[list[str]]",
    },
)`);
    expect(files["types.py"]).toContain(`class Note(TypedDict):
    state: Literal["open", "done"]
    color: NotRequired[int | None]`);
    expect(files["types.py"]).toContain("Target = Union[\n    TargetAll,\n    TargetUser,\n]");
  });

  test("actions and events are methods", () => {
    expect(files["actions.py"])
      .toContain(`    def find(self, **params: Unpack[types.NoteFindParams]) -> types.Note:
        """Find a note.

        For all.
        """
        return cast(types.Note, self._caller.call("note.find", params, is_read_only=True))`);
    expect(files["events.py"]).toContain('return self._on("note.changed", handler)');
  });
});

describe("Go", () => {
  const files = goFiles(MODEL);

  test("fields that can be absent are pointers, and null is a value only in params", () => {
    expect(files["types.go"]).toContain(`type NoteFindParams struct {
	UserID string \`json:"userId"\`
	From *string \`json:"from,omitzero"\`
	Color Nullable[int64] \`json:"color,omitzero"\`
	Tags []string \`json:"tags,omitzero"\`
}`);
    expect(files["types.go"]).toContain('\tColor *int64 `json:"color,omitzero"`');
  });

  test("a union is one struct with all fields", () => {
    expect(files["types.go"]).toContain(`type Target struct {
	// One of: all, user.
	Type string \`json:"type"\`
	UserID *string \`json:"userId,omitzero"\`
}`);
  });

  test("actions and events are methods", () => {
    expect(files["actions.go"]).toContain(
      'func (a NoteActions) Find(ctx context.Context, params NoteFindParams) (Note, error) {\n\treturn call[Note](ctx, a.client, "note.find", params, true)\n}',
    );
    expect(files["events.go"]).toContain(
      'func (b *Bot) OnNoteChanged(handle func(Note)) { on(b, "note.changed", handle) }',
    );
  });
});

test("the model of the contract has every action for clients by HTTP, except for uploads", () => {
  const { actions, events } = readModel();
  const paths = Object.keys(openApiDocument()["paths"] as object);
  const uploads = ["/api/file.upload", "/api/file.uploadPicture"];
  expect(actions.map(({ name }) => `/api/${name}`).sort()).toEqual(
    paths.filter((path) => !uploads.includes(path)).sort(),
  );
  expect(events.map(({ name }) => name)).toContain("message.created");
});

test("names are converted to the style of each language", () => {
  expect(["listMine", "message.created", "readMarker.lowered"].map(snake)).toEqual([
    "list_mine",
    "message_created",
    "read_marker_lowered",
  ]);
  expect(pascal("message.created")).toBe("MessageCreated");
});
