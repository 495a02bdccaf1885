package receive

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
)

// maxInbound is the largest accepted request body, in bytes. Requests of Discord are far smaller.
const maxInbound = 1 << 20

var interactions = boundedjson.Limits{Bytes: maxInbound, Elements: 50_000, Depth: 32}

// Handler returns an HTTP handler for interactions that Discord sends as signed requests. It
// responds with status 401 to an invalid signature or without Config.PublicKey. It responds with
// status 503 while Run is not running.
func (c *Receiver) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxInbound))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusRequestEntityTooLarge)
			return
		}
		if !signed(c.discord.Key, r.Header, body, time.Now()) {
			http.Error(w, "invalid request signature", http.StatusUnauthorized)
			return
		}
		var i discordgo.Interaction
		var more struct {
			Channel *discordgo.Channel `json:"channel"`
		}
		if interactions.Unmarshal(body, &i) != nil || json.Unmarshal(body, &more) != nil {
			http.Error(w, "the body is no interaction", http.StatusBadRequest)
			return
		}
		if i.Type == discordgo.InteractionPing {
			event.Respond(w, map[string]any{"type": discordgo.InteractionResponsePong})
			return
		}
		c.mu.Lock()
		take := c.inbound
		c.mu.Unlock()
		if take == nil {
			http.Error(w, "the bot is not running", http.StatusServiceUnavailable)
			return
		}
		source := event.NewInline()
		take(&i, more.Channel, source)
		if source.Serve(r.Context(), w) {
			c.writer.Acknowledge(i.ID)
		}
	})
}

// maxSkew is the largest allowed difference between a request's timestamp and the local time. It
// limits how long a recorded request can be replayed.
const maxSkew = 5 * time.Minute

// signed reports whether a request has a valid signature of Discord and a recent timestamp. The
// Ed25519 signature covers the timestamp (in seconds) and the unchanged body.
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
