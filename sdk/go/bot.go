package fanfare

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"time"
)

const (
	firstWait = 500 * time.Millisecond
	maxWait   = 15 * time.Second
	// Older callbacks are rejected as possible replays.
	maxAge = 5 * time.Minute
)

// Bot is a client that also receives the messages of all channels that it can read, and other events.
//
// It reconnects by itself. Messages sent in between are not received: to miss none, call
// channel.sync, or subscribe to callbacks. Register all handlers before Run; each event runs in a
// goroutine of its own.
type Bot struct {
	*Client
	// Info is the bot's own account, after Run has started.
	Info BotInfo
	// Log receives errors of the connection. Its default is slog.Default().
	Log *slog.Logger

	handlers     map[string][]func(json.RawMessage) error
	commands     map[string]command
	interactions map[string]func(Interaction) error
	modals       map[string]func(ModalSubmission) (map[string]string, error)
}

type command struct {
	description string
	handle      func(Invocation)
}

// NewBot returns a bot for the token that bot.create has returned.
func NewBot(url, token string) (*Bot, error) {
	if !strings.HasPrefix(token, "fbot.") {
		return nil, errors.New("a bot token starts with fbot.")
	}
	bot := &Bot{
		Client:       NewClient(url, token),
		Log:          slog.Default(),
		handlers:     map[string][]func(json.RawMessage) error{},
		commands:     map[string]command{},
		interactions: map[string]func(Interaction) error{},
		modals:       map[string]func(ModalSubmission) (map[string]string, error){},
	}
	bot.OnCommandInvoked(func(event CommandInvokedEvent) {
		if command, ok := bot.commands[event.Invocation.Command]; ok {
			command.handle(event.Invocation)
		}
	})
	bot.OnInteractionCreated(bot.interacted)
	bot.OnModalSubmitted(bot.submitted)
	return bot, nil
}

// OnMessage handles new messages of other users.
func (b *Bot) OnMessage(handle func(Message)) {
	b.OnMessageCreated(func(event MessageCreatedEvent) {
		for _, message := range event.Messages {
			if message.AuthorID != b.Info.ID {
				handle(message)
			}
		}
	})
}

// OnCommand handles /name in any channel that the bot can see.
func (b *Bot) OnCommand(name, description string, handle func(Invocation)) {
	b.commands[name] = command{description, handle}
}

// OnInteraction handles a button or select, and those whose id has more after a colon, such as
// "retry:7". The interaction is acknowledged when the handler returns nil, within 3 s.
func (b *Bot) OnInteraction(controlID string, handle func(Interaction) error) {
	b.interactions[controlID] = handle
}

// OnModal handles the submission of a modal, within 3 s. With errors of fields, by their id, the
// modal stays open.
func (b *Bot) OnModal(modalID string, handle func(ModalSubmission) (map[string]string, error)) {
	b.modals[modalID] = handle
}

// Reply answers a message in its channel.
func (b *Bot) Reply(ctx context.Context, message Message, content string) (Message, error) {
	return b.Send(ctx, MessageSendParams{ChannelID: message.ChannelID, Content: content, ReplyTo: &message.ID})
}

// Run registers the commands and handles events until the context ends. It returns an *Error when
// the server refuses the token.
func (b *Bot) Run(ctx context.Context) error {
	me, err := b.Bot.Me(ctx)
	if err != nil {
		return err
	}
	b.Info = me.Bot
	for name, command := range b.commands {
		params := CommandRegisterParams{Name: name, Description: command.description}
		if _, err := b.Command.Register(ctx, params); err != nil {
			return err
		}
	}
	for wait := firstWait; ; wait = min(maxWait, wait*2) {
		wasReady, err := b.receive(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var refusal *Error
		if errors.As(err, &refusal) && !refusal.Retryable {
			return refusal
		}
		b.Log.Info("connection ended", "err", err)
		if wasReady {
			wait = firstWait
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + mathrand.N(wait)):
		}
	}
}

func on[E any](b *Bot, event string, handle func(E)) {
	b.handlers[event] = append(b.handlers[event], func(payload json.RawMessage) error {
		var value E
		if err := json.Unmarshal(payload, &value); err != nil {
			return err
		}
		handle(value)
		return nil
	})
}

func (b *Bot) dispatch(event string, payload json.RawMessage) {
	for _, handle := range b.handlers[event] {
		go func() {
			if err := handle(payload); err != nil {
				b.Log.Error("event not understood", "event", event, "err", err)
			}
		}()
	}
}

func (b *Bot) interacted(event InteractionCreatedEvent) {
	id := event.Interaction.ControlID
	handle, ok := handlerOf(b.interactions, id)
	if !ok {
		return
	}
	err := handle(event.Interaction)
	if err == nil {
		params := InteractionAcknowledgeParams{InteractionID: event.Interaction.ID}
		err = b.Interaction.Acknowledge(context.Background(), params)
	}
	if err != nil {
		b.Log.Error("interaction failed", "controlId", id, "err", err)
	}
}

func (b *Bot) submitted(event ModalSubmittedEvent) {
	id := event.Submission.ModalID
	handle, ok := handlerOf(b.modals, id)
	if !ok {
		return
	}
	fieldErrors, err := handle(event.Submission)
	if err == nil {
		params := InteractionAcknowledgeParams{InteractionID: event.Submission.ID, Errors: fieldErrors}
		err = b.Interaction.Acknowledge(context.Background(), params)
	}
	if err != nil {
		b.Log.Error("modal failed", "modalId", id, "err", err)
	}
}

// handlerOf finds the handler of an id, of which the part after a colon is the bot's own.
func handlerOf[H any](handlers map[string]H, id string) (H, bool) {
	handle, ok := handlers[id]
	if !ok {
		prefix, _, _ := strings.Cut(id, ":")
		handle, ok = handlers[prefix]
	}
	return handle, ok
}

// VerifyCallback reports whether a callback was signed with the secret within the last five minutes.
// Its body is the raw body; timestamp and signature are the headers fanfare-timestamp and
// fanfare-signature.
func VerifyCallback(secret string, body []byte, timestamp, signature string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > maxAge {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := "v1=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}
