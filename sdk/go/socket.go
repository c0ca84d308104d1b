package fanfare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// A packet that the server sends has at most this many bytes.
const maxPacketBytes = 16 << 20

// Packets of Engine.IO 4, and of Socket.IO 5 within its messages.
const (
	packetOpen         = "0"
	packetClose        = "1"
	packetPing         = "2"
	packetPong         = "3"
	packetConnect      = "40"
	packetDisconnect   = "41"
	packetEvent        = "42"
	packetConnectError = "44"
)

const readyTimeout = 15 * time.Second

// receive connects and dispatches events until the connection ends. It reports whether the server
// was ready.
func (b *Bot) receive(ctx context.Context) (bool, error) {
	address := "ws" + strings.TrimPrefix(b.url, "http") + "/socket.io/?EIO=4&transport=websocket"
	connection, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		return false, err
	}
	defer connection.CloseNow()
	connection.SetReadLimit(maxPacketBytes)
	wasReady := false
	// Until the first packet has the server's own times.
	silence := readyTimeout
	readyBy := time.Now().Add(readyTimeout)
	for {
		packet, err := readPacket(ctx, connection, silence)
		if err != nil {
			return wasReady, err
		}
		if !wasReady && time.Now().After(readyBy) {
			return false, errors.New("the server did not become ready")
		}
		switch {
		case strings.HasPrefix(packet, packetConnect):
		case strings.HasPrefix(packet, packetConnectError):
			return wasReady, refusalOf(packet[len(packetConnectError):])
		case strings.HasPrefix(packet, packetEvent):
			name, payload, err := eventOf(packet[len(packetEvent):])
			if err != nil {
				return wasReady, err
			}
			wasReady = wasReady || name == "ready"
			b.dispatch(name, payload)
		case packet == packetPing:
			if err := connection.Write(ctx, websocket.MessageText, []byte(packetPong)); err != nil {
				return wasReady, err
			}
		case packet == packetClose, strings.HasPrefix(packet, packetDisconnect):
			return wasReady, errors.New("the server closed the connection")
		case strings.HasPrefix(packet, packetOpen):
			var open struct{ PingInterval, PingTimeout int64 }
			if err := json.Unmarshal([]byte(packet[len(packetOpen):]), &open); err != nil {
				return wasReady, err
			}
			silence = time.Duration(open.PingInterval+open.PingTimeout) * time.Millisecond
			auth, _ := json.Marshal(map[string]string{"token": b.token})
			if err := connection.Write(ctx, websocket.MessageText, append([]byte(packetConnect), auth...)); err != nil {
				return wasReady, err
			}
		}
	}
}

func readPacket(ctx context.Context, connection *websocket.Conn, silence time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	_, packet, err := connection.Read(ctx)
	return string(packet), err
}

// eventOf splits `["message.created",{…}]`, perhaps with a number before it.
func eventOf(packet string) (string, json.RawMessage, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(strings.TrimLeft(packet, "0123456789")), &parts); err != nil {
		return "", nil, err
	}
	if len(parts) == 0 {
		return "", nil, errors.New("an event has no name")
	}
	var name string
	if err := json.Unmarshal(parts[0], &name); err != nil {
		return "", nil, err
	}
	if len(parts) == 1 {
		return name, json.RawMessage("null"), nil
	}
	return name, parts[1], nil
}

func refusalOf(packet string) error {
	var refusal struct {
		Message string
		Data    *Error
	}
	if err := json.Unmarshal([]byte(packet), &refusal); err != nil {
		return err
	}
	if refusal.Data == nil {
		return fmt.Errorf("connection refused: %s", refusal.Message)
	}
	return refusal.Data
}
