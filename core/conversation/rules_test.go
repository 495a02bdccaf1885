package conversation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// shaky is a source of the channel's rules that fails while the stage says so.
type shaky struct {
	policy.Source
	stage *stage
}

func (p shaky) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	if p.stage.away.Add(-1) >= 0 {
		return policy.Effective{}, errors.New("the database restarts")
	}
	return p.Source.Policy(ctx, tenant, at)
}

// Boards do not redeliver events. While the rules of a channel are unknown nothing is answered, and
// who addressed the bot is told so in the end. Once the rules are known again, they hold.
func TestUnknownRulesPermitNothing(t *testing.T) {
	t.Parallel()
	paused := policy.SettingValue{Key: "paused", Value: "true"}
	for name, test := range map[string]struct {
		rules    []policy.SettingValue
		failures int32
		patience time.Duration // 0: the whole schedule
		text     string
		asked    bool
		said     int
	}{
		"rules that are read at last":          {nil, 2, 0, "@bot when?", true, 0},
		"rules that forbid it, read at last":   {[]policy.SettingValue{paused}, 2, 0, "@bot when?", false, 1},
		"rules that stay unknown":              {nil, 1000, time.Nanosecond, "@bot when?", false, 1},
		"rules that stay unknown, and chatter": {nil, 1000, time.Nanosecond, "when?", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, common.Setting{Said: test.rules, Replies: []llmtest.Reply{{llmtest.Text("An answer.")}}}).(*stage)
			question := s.pin(s.channel(common.Place{}), "ann", page{Text: test.text}, 0)
			s.away.Store(test.failures)
			ctx, cancel := s.ctx, context.CancelFunc(func() {})
			if test.patience > 0 {
				ctx, cancel = context.WithTimeout(s.ctx, test.patience)
			}
			defer cancel()
			if err := s.talk.Message(ctx, s.heard(*question)); err != nil {
				t.Error(err)
			}
			s.talk.Wait()
			s.away.Store(0)
			if _, err := s.store.TurnOf(s.ctx, access.DefaultTenant, question.at, question.id); (err == nil) != test.asked {
				t.Errorf("the turn: %v, want one: %t", err, test.asked)
			}
			s.board.mu.Lock()
			defer s.board.mu.Unlock()
			if said := s.board.alone["ann"]; len(said) != test.said {
				t.Errorf("ann is told %q, want %d sentences", said, test.said)
			}
		})
	}
}
