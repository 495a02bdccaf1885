package wire

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/spend"
)

// Review returns the reader through which people look at stored questions and answers.
func (b *Base) Review() review.Reader {
	return review.Reader{
		Tenant: b.Tenant, Store: b.Sessions(), Library: library{b.checked()},
		Prices: func() spend.Prices { return b.File().Prices },
	}
}

// TerminalViewer returns the viewer for the person who runs the program. CONSOLE_PRINCIPALS decides
// which documents that person sees.
func (b *Base) TerminalViewer(account string) review.Viewer {
	return review.Viewer{
		Person:   access.Account{Workspace: access.Workspace{Platform: review.Terminal}, ID: account},
		Audience: b.ConsoleAudience(), Terminal: true,
	}
}
