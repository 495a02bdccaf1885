package render_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/report"
	"pgregory.net/rapid"
)

// A text grows by no more than report.Weight says when it is escaped, so that a report fits into
// one message.
func TestReportsFitAMessage(t *testing.T) {
	t.Parallel()
	pieces := []string{"@everyone", "@here", "<@1>", "<#1>", "https://evil.example/a_b", "www.x.example", "*", "_", "`", "|", "~", "#", "-", ">", "[x](y)", "𝕏", "é", "1. ", " ", "\n", "\\", "a"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30), func(all []string) string { return strings.Join(all, "") })).Draw(t, "text")
		escaped := render.EscapeText(answer.Visible(text))
		if got, most := len(utf16.Encode([]rune(escaped))), report.Weight(text); got > most {
			t.Fatalf("%q has %d characters as %q, and weighs %d", text, got, escaped, most)
		}
	})
}
