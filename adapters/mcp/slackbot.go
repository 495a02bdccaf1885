package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/footnotehq/footnote/adapters/internal/inbound"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/mcp"
)

const signature = "X-Slack-Signature"

type signedKey struct{}

// signed is the caller of a request that Slack signed. named is false if the request names no
// person, because it calls no tool.
type signed struct {
	caller mcp.Caller
	named  bool
}

// maxUnsigned is the maximum number of bodies that are read at the same time before their
// signatures are checked.
const maxUnsigned = 16

// slackbot passes requests that Slack signed to in, with the person whom the request names. It
// passes all other requests to others. A request with a bearer token is never treated as signed.
func slackbot(service *mcp.Service, config HTTPConfig, in, others http.Handler) http.Handler {
	unsigned := inbound.NewBodies(maxMessage, maxUnsigned)
	check := func(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
		body, done, ok := unsigned.Take(w, r)
		if !ok {
			return nil, false
		}
		defer done()
		if err := config.SignedBySlack(r.Header, body); err != nil {
			config.Logger.WarnContext(r.Context(), "a request to the assistants' address has a bad signature", "error", err)
			http.Error(w, "the signature is not valid: check SLACK_SIGNING_SECRET", http.StatusUnauthorized)
			return nil, false
		}
		return body, true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if config.SignedBySlack == nil || r.Header.Get(signature) == "" || r.Header.Get("Authorization") != "" {
			others.ServeHTTP(w, r)
			return
		}
		body, ok := check(w, r)
		if !ok {
			return
		}
		by := signed{}
		if account, ok := named(body); ok {
			by = signed{caller: service.For(account, mcp.Slackbot), named: true}
		}
		r = r.WithContext(context.WithValue(r.Context(), signedKey{}, by))
		r.Body = io.NopCloser(bytes.NewReader(body))
		in.ServeHTTP(w, r)
	})
}

// named returns the person whom a message of Slackbot names, if any.
func named(message []byte) (access.Account, bool) {
	var of struct {
		Params struct {
			Meta struct {
				Slack struct {
					User string `json:"user_id"`
					Team string `json:"team_id"`
				} `json:"slack"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &of) != nil {
		return access.Account{}, false
	}
	slack := of.Params.Meta.Slack
	return access.Account{Workspace: access.Workspace{Platform: "slack", ID: slack.Team}, ID: slack.User}, slack.User != "" && slack.Team != ""
}
