// Package fanfare has bots and scripts for Fanfare, a self-hosted chat platform.
package fanfare

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is a failed call. Handle it by Type; Message is for people.
//
// Types without a response of the server: CONNECTION_LOST (the call may have been executed), and
// UNEXPECTED_ANSWER (the response is not from Fanfare, for example from a proxy).
type Error struct {
	Type      string          `json:"type"`
	Message   string          `json:"message"`
	Data      json.RawMessage `json:"data"`
	Retryable bool            `json:"retryable"`
	RequestID string          `json:"requestId"`
	// RetryAfter is zero if the server does not say it.
	RetryAfter time.Duration `json:"-"`
	cause      error
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// Unwrap returns the error of the network, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Client calls the actions of a server with a bot's token or an access token.
//
// A call that was not executed is repeated after the time that the server asks for. One whose
// outcome is unknown is only repeated if it only reads, or is a message with a nonce.
type Client struct {
	Actions
	// HTTP can be replaced before the first call. Its default timeout is 15 s.
	HTTP *http.Client
	// MaxTries is 5 by default.
	MaxTries int

	url   string
	token string
}

// NewClient returns a client. The token can be empty for public actions.
func NewClient(url, token string) *Client {
	client := &Client{
		HTTP:     &http.Client{Timeout: 15 * time.Second},
		MaxTries: 5,
		url:      strings.TrimRight(url, "/"),
		token:    token,
	}
	client.Actions = newActions(client)
	return client
}

// Send sends a message once, however often it is repeated.
func (c *Client) Send(ctx context.Context, message MessageSendParams) (Message, error) {
	if message.Nonce == "" {
		message.Nonce = rand.Text()
	}
	result, err := c.Message.Send(ctx, message)
	return result.Message, err
}

// Ptr returns a pointer to a value, for optional fields.
func Ptr[T any](value T) *T { return &value }

// Nullable is a parameter that can be absent (its zero value), null or a value.
type Nullable[T any] struct {
	value *T
	isSet bool
}

// Null removes what is stored.
func Null[T any]() Nullable[T] { return Nullable[T]{isSet: true} }

// Value sets a value.
func Value[T any](value T) Nullable[T] { return Nullable[T]{value: &value, isSet: true} }

// IsZero reports whether it is absent.
func (n Nullable[T]) IsZero() bool { return !n.isSet }

// MarshalJSON returns the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

func call[R any](ctx context.Context, c *Client, action string, params any, isReadOnly bool) (R, error) {
	var result R
	for tries := 1; ; tries++ {
		failure := c.callOnce(ctx, action, params, &result)
		if failure == nil {
			return result, nil
		}
		message, isMessage := params.(MessageSendParams)
		if tries >= c.MaxTries || !canRepeat(failure, isReadOnly || isMessage) {
			return result, failure
		}
		if isMessage {
			message.Resend = Ptr(true)
			params = message
		}
		wait := failure.RetryAfter
		if wait == 0 {
			wait = time.Duration(500*math.Pow(2, float64(tries))) * time.Millisecond
		}
		select {
		case <-ctx.Done():
			return result, failure
		case <-time.After(wait + mathrand.N(wait/2+1)):
		}
	}
}

func canRepeat(failure *Error, isSafe bool) bool {
	switch failure.Type {
	case "RATE_LIMITED", "OVERLOADED", "MAINTENANCE":
		return true
	case "UNAVAILABLE", "CONNECTION_LOST":
		return isSafe
	}
	return false
}

func (c *Client) callOnce(ctx context.Context, action string, params, result any) *Error {
	body, err := json.Marshal(params)
	if err != nil {
		return &Error{Type: "VALIDATION_FAILED", Message: err.Error(), cause: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/"+action, bytes.NewReader(body))
	if err != nil {
		return &Error{Type: "VALIDATION_FAILED", Message: err.Error(), cause: err}
	}
	request.Header.Set("content-type", "application/json")
	if c.token != "" {
		request.Header.Set("authorization", "Bearer "+c.token)
	}
	lost := func(err error) *Error {
		return &Error{Type: "CONNECTION_LOST", Message: err.Error(), Retryable: true, cause: err}
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return lost(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return lost(err)
	}
	var answer struct {
		OK    bool            `json:"ok"`
		Data  json.RawMessage `json:"data"`
		Error *Error          `json:"error"`
	}
	if err := json.Unmarshal(content, &answer); err != nil || (!answer.OK && answer.Error == nil) {
		message := fmt.Sprintf("The response with status %d is not from Fanfare.", response.StatusCode)
		return &Error{Type: "UNEXPECTED_ANSWER", Message: message, cause: err}
	}
	if answer.OK {
		if err := json.Unmarshal(answer.Data, result); err != nil {
			return &Error{Type: "UNEXPECTED_ANSWER", Message: err.Error(), cause: err}
		}
		return nil
	}
	answer.Error.RetryAfter = retryAfter(answer.Error.Data, response.Header.Get("retry-after"))
	return answer.Error
}

func retryAfter(data json.RawMessage, header string) time.Duration {
	var exact struct {
		RetryAfterMs float64 `json:"retryAfterMs"`
	}
	if json.Unmarshal(data, &exact) == nil && exact.RetryAfterMs > 0 {
		return time.Duration(exact.RetryAfterMs) * time.Millisecond
	}
	seconds, _ := strconv.Atoi(header)
	return time.Duration(seconds) * time.Second
}
