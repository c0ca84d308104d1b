import { describe, expect, test } from "vitest";
import { filterAt, parseQuery, withFilter, withoutFilter } from "./query.ts";

const filters = (text: string) => parseQuery(text).filters.map(({ name, value }) => `${name}=${value}`);

describe("parseQuery", () => {
  test("separates words and filters in any order", () => {
    expect(parseQuery("rocket from:ada  launch has:link").words).toBe("rocket launch");
    expect(filters("rocket from:ada  launch has:link")).toEqual(["from=ada", "has=link"]);
  });

  test("keeps quoted values together, even if unclosed", () => {
    expect(filters('from:"Ada Lovelace" in:"big pl')).toEqual(["from=Ada Lovelace", "in=big pl"]);
  });

  test("ignores case and accepts the full-width colon", () => {
    expect(filters("FROM：小明 火箭")).toEqual(["from=小明"]);
    expect(parseQuery("FROM：小明 火箭").words).toBe("火箭");
  });

  test("treats lookalikes of filters as words", () => {
    for (const text of ["http://in:8080", "within:x", "size:3", "from ada"]) {
      expect(parseQuery(text)).toEqual({ words: text, filters: [] });
    }
  });

  test("accepts a filter without a value yet", () => {
    expect(parseQuery("rocket from:")).toMatchObject({ words: "rocket", filters: [{ value: "" }] });
  });
});

test("filterAt returns the filter at the caret", () => {
  const query = parseQuery("from:ada rocket");
  expect(filterAt(query, 5)?.name).toBe("from");
  expect(filterAt(query, 8)?.name).toBe("from");
  expect(filterAt(query, 3)).toBeNull();
  expect(filterAt(query, 9)).toBeNull();
});

describe("filters", () => {
  test("are appended, replaced and removed", () => {
    expect(withFilter("rocket ", "from", "")).toBe("rocket from:");
    expect(withFilter("", "in", "big plans")).toBe('in:"big plans"');
    const text = "a from:ad b";
    const [former] = parseQuery(text).filters;
    expect(withFilter(text, "from", "ada", former)).toBe("a from:ada b");
    expect(withoutFilter(text, former!)).toBe("a b");
  });
});
