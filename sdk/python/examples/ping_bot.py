"""FANFARE_BOT_TOKEN=fbot.… python examples/ping_bot.py [http://127.0.0.1:3000]

Answers "ping", and the command /ping with a button. Scopes: messages.read, messages.write, commands.
"""

import os
import sys

from fanfare import Bot

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:3000"
bot = Bot(url, os.environ["FANFARE_BOT_TOKEN"])


@bot.on_message
def answer(message):
    if message["content"].lower() == "ping":
        bot.reply(message, "pong")


@bot.on_command("ping", "Answer with a button")
def offer(invocation):
    again = {"kind": "button", "id": "again", "label": "Again"}
    bot.send(invocation["channelId"], "pong", controls=[again])


@bot.on_interaction("again")
def again(interaction):
    bot.send(interaction["channelId"], f"pong again, <@{interaction['userId']}>")


bot.run()
