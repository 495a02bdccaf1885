package render_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/render"
)

// A mark that has no other of its kind in its paragraph formats nothing, and is left as it was
// written, so that it can be copied.
func TestLoneMarksAreLeftAlone(t *testing.T) {
	t.Parallel()
	const g = "\u200b"
	for name, tt := range map[string]struct{ text, want string }{
		"a pattern":                     {`ls \*.go`, "ls *.go"},
		"a home":                        {`cd \~/bin`, "cd ~/bin"},
		"a private name":                {`the field \_private`, "the field _private"},
		"a product":                     {`2 \* 3`, "2 * 3"},
		"two patterns":                  {`cp \*.go \*.md`, "cp " + g + "*" + g + ".go " + g + "*" + g + ".md"},
		"beside bold text":              {`ls \*.go is **quick**`, "ls " + g + "*" + g + ".go is *quick*"},
		"beside bold text before":       {`**quick**: ls \*.go`, "*quick*: ls " + g + "*" + g + ".go"},
		"beside code with one":          {"ls \\*.go or `ls *.md`", "ls " + g + "*" + g + ".go or `ls *.md`"},
		"of different kinds":            {`cd \~/\_bin and \*.go`, "cd ~/_bin and *.go"},
		"the lines of a paragraph":      {"ls \\*.go\nls \\*.md", "ls " + g + "*" + g + ".go\nls " + g + "*" + g + ".md"},
		"one in each of two paragraphs": {"ls \\*.go\n\nls \\*.md", "ls *.go\n\nls *.md"},
		"mentions stay broken":          {`@here \*.go`, "@" + g + "here *.go"},
	} {
		if got := render.Mrkdwn(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
