package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// inlineLimit is how long a request is held open for its answer. The platform waits for ackLimit.
const inlineLimit = 2700 * time.Millisecond

// maxInbound bounds the body of a request; the platform's own are far smaller.
const maxInbound = 4 << 20

// parsePublicKey reads the key of the application's General Information page, with which Discord signs its requests.
func parsePublicKey(s string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(s)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("DISCORD_PUBLIC_KEY is not a public key: copy the 64 characters from the Developer Portal (General Information → Public Key)")
	}
	return key, nil
}

// Handler takes interactions as signed requests, for an application whose Interactions Endpoint URL is set: those with a signature that
// is not Discord's get 401, as Discord itself tries out, and without Config.PublicKey all do. It answers while Run runs.
func (c *Client) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxInbound))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusRequestEntityTooLarge)
			return
		}
		if !signed(c.key, r.Header, body, time.Now()) {
			http.Error(w, "invalid request signature", http.StatusUnauthorized)
			return
		}
		var i discordgo.Interaction
		var more struct {
			Channel *discordgo.Channel `json:"channel"`
		}
		if json.Unmarshal(body, &i) != nil || json.Unmarshal(body, &more) != nil {
			http.Error(w, "the body is no interaction", http.StatusBadRequest)
			return
		}
		if i.Type == discordgo.InteractionPing {
			respond(w, map[string]any{"type": discordgo.InteractionResponsePong})
			return
		}
		c.mu.Lock()
		take := c.inbound
		c.mu.Unlock()
		if take == nil {
			http.Error(w, "the bot is not running", http.StatusServiceUnavailable)
			return
		}
		source := &inline{ready: make(chan any, 1)}
		take(&i, more.Channel, source)
		if source.serve(r.Context(), w) {
			c.acknowledge(i.ID)
		}
	})
}

// maxSkew is how far the time of a request may lie from now. Whoever recorded one cannot use it for longer.
const maxSkew = 5 * time.Minute

// signed reports whether a request is Discord's, and of now: Ed25519 over the timestamp, which is in seconds, and the body as it came.
func signed(key ed25519.PublicKey, h http.Header, body []byte, now time.Time) bool {
	timestamp := h.Get("X-Signature-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if at := time.Unix(seconds, 0); err != nil || at.Before(now.Add(-maxSkew)) || at.After(now.Add(maxSkew)) {
		return false
	}
	signature, err := hex.DecodeString(h.Get("X-Signature-Ed25519"))
	return len(key) == ed25519.PublicKeySize && err == nil && len(signature) == ed25519.SignatureSize &&
		ed25519.Verify(key, append([]byte(timestamp), body...), signature)
}

// inline is a request that brought an interaction and can be answered with its first response.
type inline struct {
	ready chan any

	mu   sync.Mutex
	over bool // it was answered
}

// answer gives the request its answer, and reports false when it has one.
func (i *inline) answer(response any) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over {
		return false
	}
	i.over = true
	i.ready <- response
	return true
}

// serve writes the answer and reports true, or, when that takes too long, leaves it to a request of its own.
func (i *inline) serve(ctx context.Context, w http.ResponseWriter) bool {
	timer := time.NewTimer(inlineLimit)
	defer timer.Stop()
	select {
	case response := <-i.ready:
		respond(w, response)
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	i.mu.Lock()
	late := i.over
	i.over = true
	i.mu.Unlock()
	if late {
		respond(w, <-i.ready)
		return true
	}
	w.WriteHeader(http.StatusAccepted)
	return false
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	// The client is gone if this fails, and there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(body)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
