// FANFARE_BOT_TOKEN=fbot.… go run ./examples/ping-bot [http://127.0.0.1:3000]
//
// Answers "ping", and the command /ping with a button. Scopes: messages.read, messages.write, commands.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"strings"

	"fanfare"
)

func main() {
	url := "http://127.0.0.1:3000"
	if len(os.Args) > 1 {
		url = os.Args[1]
	}
	bot, err := fanfare.NewBot(url, os.Getenv("FANFARE_BOT_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	send := func(message fanfare.MessageSendParams) error {
		_, err := bot.Send(ctx, message)
		return err
	}

	bot.OnMessage(func(message fanfare.Message) {
		if strings.EqualFold(message.Content, "ping") {
			if _, err := bot.Reply(ctx, message, "pong"); err != nil {
				log.Print(err)
			}
		}
	})
	bot.OnCommand("ping", "Answer with a button", func(invocation fanfare.Invocation) {
		again := fanfare.Control{Kind: "button", ID: fanfare.Ptr("again"), Label: "Again"}
		message := fanfare.MessageSendParams{
			ChannelID: invocation.ChannelID,
			Content:   "pong",
			Controls:  []fanfare.Control{again},
		}
		if err := send(message); err != nil {
			log.Print(err)
		}
	})
	bot.OnInteraction("again", func(interaction fanfare.Interaction) error {
		content := "pong again, <@" + interaction.UserID + ">"
		return send(fanfare.MessageSendParams{ChannelID: interaction.ChannelID, Content: content})
	})
	if err := bot.Run(ctx); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}
