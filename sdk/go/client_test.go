package fanfare

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

type answer struct {
	status int
	body   string
}

func failed(kind string) answer {
	return answer{503, `{"ok":false,"error":{"type":"` + kind + `","message":"","retryable":true,"requestId":"r","data":{"retryAfterMs":1}}}`}
}

const messageSent = `{"ok":true,"data":{"message":{"id":"m"}}}`

// serve answers the calls with the given responses, in their order.
func serve(t *testing.T, answers ...answer) (*Client, *[]map[string]any) {
	t.Helper()
	var calls []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var params map[string]any
		if err := json.NewDecoder(r.Body).Decode(&params); err != nil {
			t.Error(err)
		}
		next := answers[len(calls)]
		calls = append(calls, params)
		w.WriteHeader(next.status)
		_, _ = w.Write([]byte(next.body))
	}))
	t.Cleanup(server.Close)
	client := NewClient(server.URL, "fbot.token")
	client.MaxTries = 3
	return client, &calls
}

func typeOf(err error) string {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Type
	}
	return ""
}

func TestAMessageIsRepeatedWithItsNonce(t *testing.T) {
	client, calls := serve(t, failed("UNAVAILABLE"), failed("OVERLOADED"), answer{200, messageSent})
	message, err := client.Send(context.Background(), MessageSendParams{ChannelID: "c", Content: "hello"})
	if err != nil || message.ID != "m" {
		t.Fatal(message, err)
	}
	first, second := (*calls)[0], (*calls)[1]
	if _, isResent := first["resend"]; isResent || second["resend"] != true || first["nonce"] == "" || first["nonce"] != second["nonce"] {
		t.Fatal(*calls)
	}
}

func TestReadsAreRepeatedAndOtherCallsOnlyIfTheyWereNotExecuted(t *testing.T) {
	ctx := context.Background()
	client, _ := serve(t, failed("UNAVAILABLE"), answer{200, `{"ok":true,"data":{"groups":[]}}`})
	if _, err := client.Group.ListMine(ctx); err != nil {
		t.Fatal(err)
	}
	client, _ = serve(t, failed("UNAVAILABLE"))
	if err := client.Channel.Delete(ctx, ChannelDeleteParams{ChannelID: "c"}); typeOf(err) != "UNAVAILABLE" {
		t.Fatal(err)
	}
	client, _ = serve(t, failed("RATE_LIMITED"), answer{200, `{"ok":true,"data":{}}`})
	if err := client.Channel.Delete(ctx, ChannelDeleteParams{ChannelID: "c"}); err != nil {
		t.Fatal(err)
	}
	client, calls := serve(t, failed("OVERLOADED"), failed("OVERLOADED"), failed("OVERLOADED"))
	if _, err := client.Group.ListMine(ctx); typeOf(err) != "OVERLOADED" || len(*calls) != 3 {
		t.Fatal(err)
	}
}

func TestResponsesOfProxiesAreErrors(t *testing.T) {
	client, _ := serve(t, answer{502, "<html>"})
	if _, err := client.Group.ListMine(context.Background()); typeOf(err) != "UNEXPECTED_ANSWER" {
		t.Fatal(err)
	}
}

func TestParamsCanBeAbsentNullOrAValue(t *testing.T) {
	for want, params := range map[string]ChannelUpdateParams{
		`{"channelId":"c"}`:                  {ChannelID: "c"},
		`{"channelId":"c","sectionId":null}`: {ChannelID: "c", SectionID: Null[string]()},
		`{"channelId":"c","sectionId":"s"}`:  {ChannelID: "c", SectionID: Value("s")},
	} {
		if got, err := json.Marshal(params); err != nil || string(got) != want {
			t.Errorf("%s instead of %s", got, want)
		}
	}
}

func TestRetryAfterIsInTheErrorOrTheHeader(t *testing.T) {
	if wait := retryAfter(json.RawMessage(`{"retryAfterMs":1500}`), "2"); wait != 1500*time.Millisecond {
		t.Error(wait)
	}
	if wait := retryAfter(nil, "2"); wait != 2*time.Second {
		t.Error(wait)
	}
}

func TestOnlyRecentSignaturesWithTheSecretAreValid(t *testing.T) {
	sign := func(secret string, seconds int64) (string, string) {
		timestamp := strconv.FormatInt(seconds, 10)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + ".{}"))
		return timestamp, "v1=" + hex.EncodeToString(mac.Sum(nil))
	}
	now := time.Now().Unix()
	for _, one := range []struct {
		secret  string
		seconds int64
		body    string
		want    bool
	}{
		{"secret", now, "{}", true},
		{"other", now, "{}", false},
		{"secret", now, "[]", false},
		{"secret", now - 301, "{}", false},
	} {
		timestamp, signature := sign(one.secret, one.seconds)
		if VerifyCallback("secret", []byte(one.body), timestamp, signature) != one.want {
			t.Error(one)
		}
	}
}
