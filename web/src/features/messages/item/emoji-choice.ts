/** What people react with most: offered at once, without loading all emoji. */
export const EMOJI_CHOICE: readonly string[] =
  "👍 ❤️ 😂 🎉 😮 😢 🙏 🔥 👀 ✅ ❌ 💯 🚀 👏 🙌 🤔 😍 😅 😭 😡 🥳 🤝 💪 👋 ☕ 🍻 🐛 💡 ⭐ 📌 ➕ 👎".split(
    " ",
  );
