package conversationtest

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// Policies are fixed settings that apply to every channel. They implement [command.Policies].
type Policies []policy.SettingValue

var _ command.Policies = Policies{}

// Policy implements command.Policies.
func (p Policies) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	return policy.Resolve(p...), nil
}

// Accept implements [command.Policies]. It accepts every value.
func (Policies) Accept(context.Context, access.TenantID, session.Place, string, string) error {
	return nil
}

// Hash implements command.Policies.
func (Policies) Hash(context.Context) (string, error) { return "test", nil }
