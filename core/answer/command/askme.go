package command

import (
	"context"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Owners stores which people do not want to be asked about pages that they own. session.Owners
// implements it. It is safe for concurrent use.
type Owners interface {
	Undisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (bool, error)
	SetUndisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string, undisturbed bool) (changed bool, err error)
}

const (
	sentenceAskMeOn  = "If no document answers a question and you own the nearest page, people may have you asked in the thread. `/footnote ask-me off` ends that."
	sentenceAskMeOff = "You are not asked about your pages. `/footnote ask-me on` undoes that."
)

func (s *Service) askMeCommand(ctx context.Context, c Request, words []string) (string, error) {
	if s.Owners == nil {
		return sentenceNoSettings, nil
	}
	switch {
	case len(words) == 1 && slices.Contains([]string{"on", "off"}, strings.ToLower(words[0])):
		off := strings.EqualFold(words[0], "off")
		if _, err := s.Owners.SetUndisturbed(ctx, c.Tenant, c.Ref.Platform, c.By.ID, off); err != nil {
			return "", err
		}
		return askMe(off), nil
	default:
		off, err := s.Owners.Undisturbed(ctx, c.Tenant, c.Ref.Platform, c.By.ID)
		return askMe(off), err
	}
}

func askMe(off bool) string {
	if off {
		return sentenceAskMeOff
	}
	return sentenceAskMeOn
}
