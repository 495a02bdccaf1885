package answer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/session"
)

// tokens keeps tokens in memory.
type tokens struct {
	all    []mcp.Token
	hashes []mcp.Hash
	by     []session.Actor
}

func (k *tokens) Create(_ context.Context, _ access.TenantID, t mcp.Token, hash mcp.Hash, lifetime time.Duration, by session.Actor) (time.Time, error) {
	t.Expires = time.Now().Add(lifetime)
	k.all, k.hashes, k.by = append(k.all, t), append(k.hashes, hash), append(k.by, by)
	return t.Expires, nil
}

func (k *tokens) Of(_ context.Context, _ access.TenantID, person access.Account) ([]mcp.Token, error) {
	return slices.DeleteFunc(slices.Clone(k.all), func(t mcp.Token) bool { return t.Person.Workspace != person.Workspace || t.Person.ID != person.ID }), nil
}

func (k *tokens) Revoke(_ context.Context, _ access.TenantID, ids []string, _ session.Actor) (ended []string, err error) {
	for i := range k.all {
		if slices.Contains(ids, k.all[i].ID) {
			k.all[i].Revoked, ended = time.Now(), append(ended, k.all[i].ID)
		}
	}
	return ended, nil
}

func TestTokensAreMadeInChat(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, rules := s.judging()
		kept := &tokens{}
		s.says("without MCP_URL", s.command(r, "token"), "set `MCP_URL`")
		r.Tokens, r.AssistantsAt = kept, "https://footnote.example/mcp"
		s.says("no tokens", s.command(r, "token list"), "You have no tokens")
		got := s.command(r, "token")
		s.says("a token", got, "shown only now", "https://footnote.example/mcp", "It expires on")
		_, rest, _ := strings.Cut(got, "`")
		secret, _, _ := strings.Cut(rest, "`")
		if len(kept.all) != 1 || kept.hashes[0] != mcp.HashOf(secret) || kept.all[0].Person.Workspace.ID != "T1" || kept.all[0].Person.ID != "U1" || kept.by[0] != (session.Actor{Platform: "slack", ID: "U1"}) {
			s.Fatalf("kept %+v of %q", kept, secret)
		}
		id := kept.all[0].ID
		if list := s.command(r, "token list"); !strings.Contains(list, id) || strings.Contains(list, secret) {
			s.Errorf("the list is %q", list)
		}
		other := func(c *command.Request) {
			c.By.ID = "U2"
			c.Alone = func(context.Context) (access.Presence, error) {
				return access.Presence{Tenant: tenant, People: []access.Account{{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U2"}}}, nil
			}
		}
		s.says("another person's token", s.command(r, "token revoke "+id, other), "You have no token")
		s.says("misspelt", s.command(r, "token please"), "Write `/footnote token`")
		s.says("revoked", s.command(r, "token revoke "+id), "Revoked.")
		s.says("revoked again", s.command(r, "token revoke "+id), "You have no token")
		for name, change := range map[string]func(*command.Request){
			"away": func(c *command.Request) {
				alone := c.Alone
				c.Alone = func(ctx context.Context) (access.Presence, error) {
					p, _ := alone(ctx)
					return p, errors.New("away")
				}
			},
			"another person": func(c *command.Request) { c.By.ID = "U2" },
			"nobody asked":   func(c *command.Request) { c.Alone = nil },
		} {
			s.says(name, s.command(r, "token", change), "no token was made")
		}
		rules.say("askers", "group:staff")
		s.says("who may not ask", s.command(r, "token"), "You may not use assistants here.")
		rules.say("askers", "members")
		for i := range 10 {
			s.says(fmt.Sprint("token ", i), s.command(r, "token"), "shown only now")
		}
		s.says("an eleventh", s.command(r, "token"), "You have 10 tokens")
	})
}
