package consolebot

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

var _ chat.Platform = (*Bot)(nil)

// Features implements chat.Platform. Redelivers is set because Ask passes on a line again after a
// failure.
func (*Bot) Features(thread.Ref) chat.Features { return chat.Features{Redelivers: true} }

// Tenant implements chat.Platform.
func (b *Bot) Tenant(thread.Ref) access.TenantID { return b.config.Present.Tenant }

// Alone implements chat.Platform.
func (b *Bot) Alone(context.Context, thread.Ref, string) (access.Presence, error) {
	return b.config.Present, nil
}

// Listeners implements chat.Platform. The person at the terminal is always the only listener.
func (b *Bot) Listeners(context.Context, session.Turn) (access.Presence, error) {
	return b.config.Present, nil
}

// Gather implements chat.Platform.
func (b *Bot) Gather(_ context.Context, m chat.Message, _ bool, _ *chat.Reading) (chat.Gathered, error) {
	files, ok := m.Source.([]message.File)
	if !ok {
		return chat.Gathered{}, fmt.Errorf("gather what goes with a line: it has a source of type %T", m.Source)
	}
	return chat.Gathered{Text: m.Text, Files: files, Listens: access.AudienceOf(b.config.Present.Tenant, b.config.Present.Held)}, nil
}

// Say implements chat.Platform. It stores the sentence, which Ask returns.
func (b *Bot) Say(_ context.Context, _ chat.Message, sentence string, _ bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = sentence
}

// Taken implements chat.Platform.
func (b *Bot) Taken(_ chat.Message, t session.Turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = t.ID
}
