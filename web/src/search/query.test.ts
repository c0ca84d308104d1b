import { describe, expect, test } from "vitest";
import { filterAt, parseQuery, withFilter, withoutFilter } from "./query.ts";

const filters = (text: string) => parseQuery(text).filters.map(({ name, value }) => `${name}=${value}`);

describe("parseQuery", () => {
  test("takes words and filters apart, wherever they stand", () => {
    expect(parseQuery("rocket from:ada  launch has:link").words).toBe("rocket launch");
    expect(filters("rocket from:ada  launch has:link")).toEqual(["from=ada", "has=link"]);
  });

  test("quotes hold a name together, also while they are not closed", () => {
    expect(filters('from:"Ada Lovelace" in:"big pl')).toEqual(["from=Ada Lovelace", "in=big pl"]);
  });

  test("any case, and the colon of Chinese keyboards", () => {
    expect(filters("FROM：小明 火箭")).toEqual(["from=小明"]);
    expect(parseQuery("FROM：小明 火箭").words).toBe("火箭");
  });

  test("what only looks like a filter is words", () => {
    for (const text of ["http://in:8080", "within:x", "size:3", "from ada"]) {
      expect(parseQuery(text)).toEqual({ words: text, filters: [] });
    }
  });

  test("a filter without a value is one that is being typed", () => {
    expect(parseQuery("rocket from:")).toMatchObject({ words: "rocket", filters: [{ value: "" }] });
  });
});

test("the filter that is being typed is where the caret is", () => {
  const query = parseQuery("from:ada rocket");
  expect(filterAt(query, 5)?.name).toBe("from");
  expect(filterAt(query, 8)?.name).toBe("from");
  expect(filterAt(query, 3)).toBeNull();
  expect(filterAt(query, 9)).toBeNull();
});

describe("filters in a text", () => {
  test("come last, in place of another, and go", () => {
    expect(withFilter("rocket ", "from", "")).toBe("rocket from:");
    expect(withFilter("", "in", "big plans")).toBe('in:"big plans"');
    const text = "a from:ad b";
    const [former] = parseQuery(text).filters;
    expect(withFilter(text, "from", "ada", former)).toBe("a from:ada b");
    expect(withoutFilter(text, former!)).toBe("a b");
  });
});
