package receive

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	api "github.com/slack-go/slack"
)

// sslCheck is a request parameter. Slack sets it when it only checks that the address of a command
// responds.
const sslCheck = "ssl_check"

// Handler returns an HTTP handler for events, commands and interactions that Slack sends as signed
// requests to one address. It rejects requests without a valid signature from the last five
// minutes. If an event was not accepted, it responds with an error so that Slack delivers the event
// again.
func (c *Receiver) Handler(h chat.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost && r.URL.Query().Get(sslCheck) != "" {
			return // Slack looks at the certificate, and wants a 200
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Slack sends POST requests here.", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, event.MaxPayload))
		if err != nil {
			status := http.StatusBadRequest
			var big *http.MaxBytesError
			if errors.As(err, &big) {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(w, "The request could not be read.", status)
			return
		}
		if err := c.verify(r.Header, body); err != nil {
			c.slack.Logger.WarnContext(r.Context(), "request with a bad signature refused", "error", err)
			http.Error(w, "The signature is not valid. Check SLACK_SIGNING_SECRET.", http.StatusUnauthorized)
			return
		}
		kind, payload, err := readRequest(r.Header.Get("Content-Type"), body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if kind == sslCheck {
			return
		}
		if kind == "url_verification" {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(payload) // fails only if Slack has gone
			return
		}
		// As with sockets, an accepted event is handled to its end, even after Slack has stopped
		// waiting.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), handleLimit)
		defer cancel()
		c.peek(ctx, kind, payload)
		handle := c.inTime
		if kind == "events_api" { // Slack repeats events that were not accepted
			handle = c.handle
		}
		sentence, err := handle(ctx, h, kind, payload)
		if err != nil {
			c.slack.Logger.WarnContext(r.Context(), "event not taken in", "kind", kind, "attempt", r.Header.Get("X-Slack-Retry-Num"), "error", err)
			if kind == "events_api" {
				http.Error(w, "The event could not be taken in.", http.StatusServiceUnavailable)
				return
			}
			sentence = sayFailed
		}
		if sentence == "" || kind != "slash_commands" {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(ephemeral(sentence)) // fails only if Slack has gone
	})
}

func (c *Receiver) verify(header http.Header, body []byte) error {
	return Verify(c.slack.Config.SigningSecret, header, body)
}

// Verify checks that Slack signed a body within the last five minutes. It always fails if secret is
// empty.
func Verify(secret string, header http.Header, body []byte) error {
	if secret == "" {
		return errors.New("SLACK_SIGNING_SECRET is not set")
	}
	v, err := api.NewSecretsVerifier(header, secret)
	if err != nil {
		return err
	}
	if _, err := v.Write(body); err != nil {
		return err
	}
	return v.Ensure()
}

// readRequest converts a signed HTTP request to the kind and payload of a Socket Mode envelope.
func readRequest(contentType string, body []byte) (kind string, payload []byte, err error) {
	if len(body) > 0 && body[0] == '{' {
		cb, err := event.Decode[event.Callback]("an event", body)
		if err != nil {
			return "", nil, errors.New("the body is not a Slack event")
		}
		if cb.Type == "url_verification" {
			return cb.Type, []byte(cb.Challenge), nil
		}
		return "events_api", body, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return "", nil, errors.New("the body is neither a Slack event nor a form, but " + contentType)
	}
	if raw := form.Get("payload"); raw != "" {
		return "interactive", []byte(raw), nil
	}
	fields := make(map[string]string, len(form))
	for key := range form {
		fields[key] = form.Get(key)
	}
	if fields[sslCheck] != "" {
		return sslCheck, nil, nil
	}
	if fields["command"] == "" {
		return "", nil, errors.New("the form is not a Slack command")
	}
	payload, err = json.Marshal(fields)
	return "slash_commands", payload, err
}
