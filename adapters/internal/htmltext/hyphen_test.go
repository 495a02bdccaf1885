package htmltext_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
)

// Words that a manual page divides at the ends of lines are joined where the page says how they are
// written, and everything else is as it stands.
func TestWordsDividedAtTheEndsOfLines(t *testing.T) {
	t.Parallel()
	const known = "DESCRIPTION\n       The configuration file is read-only for users. A total count is no totalcount.\n\n"
	for name, c := range map[string]struct{ text, want string }{
		"a word that is known": {
			"       The program reads all of its config-\n       uration, then it begins.\n", "       The program reads all of its configuration,\n       then it begins.",
		},
		"as groff writes it": {
			"       The program reads all of its config‐\n       uration, then it begins.\n", "       The program reads all of its configuration,\n       then it begins.",
		},
		"with the last word of a line": {
			"       The program reads all of its config-\n       uration\n       then it begins.\n", "       The program reads all of its configuration\n       then it begins.",
		},
		"beside the name of an option": {
			"       --all     The program reads all of its config-\n                 uration.\n", "       --all     The program reads all of its configuration.",
		},
		"one that has a hyphen":     {"       Whatever else you do, the file stays read-\n       only for everybody.\n", ""},
		"one that is not known":     {"       The program reads all of its imagin-\n       ation, then it begins.\n", ""},
		"an option":                 {"       The program reads its files again with --config-\n       uration, then it begins.\n", ""},
		"a name":                    {"       The program reads its files again in my-config-\n       uration, then it begins.\n", ""},
		"several words":             {"       The program reads all of its config-\n       uration-file, then it begins.\n", ""},
		"a difference in a program": {"x = total-\n    count\n", ""},
		"another paragraph":         {"       The program reads all of its config-\n\n       uration, then it begins.\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			for _, s := range htmltext.Parse("<title>x</title><pre>" + known + c.text + "</pre>").Sections {
				for _, b := range s.Blocks {
					got += b.Text
				}
			}
			want := c.want
			if want == "" {
				want = strings.TrimRight(c.text, "\n")
			}
			if want = known + want; got != want {
				t.Errorf("it is\n%s\nwant\n%s", got, want)
			}
		})
	}
}
