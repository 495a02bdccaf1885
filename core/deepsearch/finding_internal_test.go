package deepsearch

import "testing"

// A quotation keeps the text below its link, code with empty lines in it included; the reason for
// quoting before it goes.
func TestQuotedParagraphsKeepWhatFollowsALink(t *testing.T) {
	t.Parallel()
	const quotation = "**Restart** [2]\n\nStop it first:\n\n```\nstop\n\nstart\n```\n\nThen look."
	for name, tt := range map[string]struct{ text, want string }{
		"a reason first":  {"No model is set up, so these match best:\n\n" + quotation, quotation},
		"no reason":       {quotation, quotation},
		"nothing cited":   {"Nothing was found.\n\nAsk again.", ""},
		"nothing":         {"", ""},
		"a paragraph":     {"It is red. [1]", "It is red. [1]"},
		"empty ones only": {"\n\n\n\n", ""},
	} {
		if got := quotedParagraphs(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
