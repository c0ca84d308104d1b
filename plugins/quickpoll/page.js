definePagePlugin({
  composerActions: {
    open: (_context, { openPanel }) => openPanel("polls"),
  },
  panels: {
    polls(container, { channelId }, { call, subscribe }) {
      const form = newPollForm((question, options) => call("create", { channelId, question, options }));
      const list = element("div", { className: "list" });
      const problem = element("p", { role: "alert" });
      container.append(form, problem, list);
      /** By the id of the poll. */
      const boxes = new Map();

      async function load() {
        const { polls } = await call("list", { channelId });
        // Boxes that are there stay, and keep the focus. New polls come first.
        for (const { id, question, options, own } of polls.toReversed()) {
          const texts = options.map(({ text }) => text);
          const box = boxes.get(id) ?? pollBox(question, texts, (option) => vote(id, option));
          if (!boxes.has(id)) list.prepend(box.section);
          boxes.set(id, box);
          box.setVotes(options.map(({ votes }) => votes));
          box.setOwn(own);
        }
        for (const [id, { section }] of boxes) {
          if (polls.some((poll) => poll.id === id)) continue;
          section.remove();
          boxes.delete(id);
        }
      }
      async function vote(pollId, option) {
        await attempt(async () => {
          await call("vote", { channelId, pollId, option });
          boxes.get(pollId)?.setOwn(option);
        });
      }
      async function attempt(work) {
        problem.textContent = "";
        try {
          await work();
        } catch (error) {
          problem.textContent = error.message;
        }
      }
      form.addEventListener("failed", ({ detail }) => (problem.textContent = detail));
      void attempt(load);
      return subscribe((published) => {
        const box = published === null ? undefined : boxes.get(published.data.id);
        if (box === undefined) void attempt(load);
        else box.setVotes(published.data.votes);
      });
    },
  },
});

function newPollForm(create) {
  const question = element("input", { placeholder: "Question", ariaLabel: "Question", maxLength: 200 });
  const options = element("textarea", {
    placeholder: "One option per line",
    ariaLabel: "Options, one per line",
    rows: 3,
  });
  const form = element("form", {}, question, options, element("button", { textContent: "Start poll" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const lines = options.value.split("\n").map((line) => line.trim());
    try {
      await create(
        question.value,
        lines.filter((line) => line !== ""),
      );
      form.reset();
    } catch (error) {
      form.dispatchEvent(new CustomEvent("failed", { detail: error.message }));
    }
  });
  return form;
}

function pollBox(question, options, vote) {
  const buttons = options.map((_, index) => {
    const button = element("button", { type: "button" });
    button.addEventListener("click", () => vote(index));
    return button;
  });
  const setVotes = (counts) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    for (const [index, button] of buttons.entries())
      button.textContent = `${options[index]}: ${counts[index]} of ${total}`;
  };
  const setOwn = (option) => {
    for (const [index, button] of buttons.entries()) button.ariaPressed = String(index === option);
  };
  const section = element("section", {}, element("h2", { textContent: question }), ...buttons);
  return { section, setVotes, setOwn };
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
