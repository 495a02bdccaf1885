package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/session"
)

// Tokens stores personal tokens for assistants. It is safe for concurrent use.
type Tokens interface {
	// Create stores a token and returns its expiry time.
	Create(ctx context.Context, tenant access.TenantID, t mcp.Token, hash mcp.Hash, lifetime time.Duration, by session.Actor) (expires time.Time, err error)
	// Of returns the tokens of a person, oldest first.
	Of(ctx context.Context, tenant access.TenantID, person access.Account) ([]mcp.Token, error)
	// Revoke revokes tokens at once. It returns the ids of the tokens that it revoked.
	Revoke(ctx context.Context, tenant access.TenantID, ids []string, by session.Actor) (ended []string, err error)
}

// maxTokens is the maximum number of valid tokens that a person can create in chat.
const maxTokens = 10

const (
	sentenceNoAssistants = "Assistants cannot be connected here. Ask the people who run Footnote to set `MCP_URL`."
	sentenceNoPerson     = "Who you are cannot be found out at the moment, so no token was made. Try again in a minute."
	sentenceMayNotAsk    = "You may not use assistants here."
	sentenceTokenUsage   = "Write `/footnote token` for a new token, `/footnote token list`, or `/footnote token revoke ID`."
)

func (s *Service) tokenCommand(ctx context.Context, c Request, words []string) (string, error) {
	if s.Tokens == nil || s.AssistantsAt == "" {
		return sentenceNoAssistants, nil
	}
	alone, held, err := s.held(ctx, c)
	if err != nil || len(alone.People) != 1 || alone.People[0].ID != c.By.ID || alone.People[0].Gone || alone.Tenant != c.Tenant {
		if err != nil {
			s.Logger.WarnContext(ctx, "a person is unknown, so no token was made", "error", err)
		}
		return sentenceNoPerson, nil
	}
	person := alone.People[0]
	own, err := s.Tokens.Of(ctx, c.Tenant, person)
	if err != nil {
		return "", err
	}
	own = slices.DeleteFunc(own, func(t mcp.Token) bool { return t.Invalid(time.Now()) != nil })
	switch {
	case len(words) == 0:
		return s.newToken(ctx, c, person, access.AudienceOf(c.Tenant, held), len(own))
	case len(words) == 1 && strings.EqualFold(words[0], "list"):
		return listTokens(own), nil
	case len(words) == 2 && strings.EqualFold(words[0], "revoke"):
		return s.revokeToken(ctx, c, own, words[1])
	}
	return sentenceTokenUsage, nil
}

func (s *Service) newToken(ctx context.Context, c Request, person access.Account, holds access.Audience, have int) (string, error) {
	rules, err := s.policy(ctx, c.Tenant, session.Place{Platform: c.Ref.Platform, Workspace: person.Workspace.ID, Channel: mcp.Channel})
	if err != nil {
		return "", err
	}
	if !rules.Enabled || !rules.MayAsk(holds) {
		return sentenceMayNotAsk, nil
	}
	if have >= maxTokens {
		return fmt.Sprintf("You have %d tokens. Revoke one first: write `/footnote token list`.", have), nil
	}
	secret, id := mcp.NewSecret()
	t := mcp.Token{ID: id, Name: "made in chat", Person: person}
	expires, err := s.Tokens.Create(ctx, c.Tenant, t, mcp.HashOf(secret), mcp.DefaultLifetime, session.Actor{Platform: c.Ref.Platform, ID: c.By.ID})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Your token for assistants is shown only now:\n\n`%s`\n\nThe server's address is %s. With the token an assistant reads what you may read. Give it to no one. "+
		"It expires on %s. To end it before, write `/footnote token revoke %s`.", secret, s.AssistantsAt, expires.Format("2006-01-02"), id), nil
}

func listTokens(own []mcp.Token) string {
	if len(own) == 0 {
		return "You have no tokens for assistants. For one, write `/footnote token`."
	}
	var b strings.Builder
	b.WriteString("Your tokens for assistants:\n")
	for _, t := range own {
		used := "never used"
		if !t.Used.IsZero() {
			used = "used on " + t.Used.Format("2006-01-02")
		}
		fmt.Fprintf(&b, "\n- `%s`: %s, expires on %s, %s", t.ID, strings.Trim(asCode(t.Name), "`"), t.Expires.Format("2006-01-02"), used)
	}
	return b.String()
}

func (s *Service) revokeToken(ctx context.Context, c Request, own []mcp.Token, id string) (string, error) {
	if !slices.ContainsFunc(own, func(t mcp.Token) bool { return t.ID == id }) {
		return "You have no token " + asCode(id) + ". Write `/footnote token list`.", nil
	}
	if _, err := s.Tokens.Revoke(ctx, c.Tenant, []string{id}, session.Actor{Platform: c.Ref.Platform, ID: c.By.ID}); err != nil {
		return "", err
	}
	return "Revoked. It opens nothing from now on.", nil
}
