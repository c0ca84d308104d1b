const COLORS = {
  open: 0x1a7f37,
  draft: 0x6e7781,
  closed: 0xcf222e,
  merged: 0x8250df,
  "not planned": 0x6e7781,
};

definePagePlugin({
  async messageCard(link, { call }) {
    const { found } = await call("get", { link });
    return found === null ? null : cardOf(found);
  },
});

function cardOf(found) {
  const { kind, repository, author, title, state } = found;
  const name = kind === "commit" ? found.sha : `#${found.number}`;
  return {
    author: { name: repository, url: `https://github.com/${repository}` },
    title: `${title} ${name}`,
    url: found.link,
    color: COLORS[state] ?? 0x6e7781,
    fields: [
      ...(state === undefined ? [] : [field("State", state)]),
      field("Author", author),
      ...(found.labels?.length > 0 ? [field("Labels", found.labels.join(", "))] : []),
      ...(found.comments > 0 ? [field("Comments", String(found.comments))] : []),
      ...(kind === "pull" ? [field("Branch", `${found.from} → ${found.to}`)] : []),
      ...(kind === "issues" ? [] : [field("Changes", `+${found.additions} −${found.deletions}`)]),
    ],
    footer: "GitHub",
  };
}

/** Values are Markdown, and others choose these texts. */
const field = (name, value) => ({
  name,
  value: value.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~@:]/g, "\\$&"),
  short: true,
});
