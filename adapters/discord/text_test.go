package discord

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
)

func TestMentionsCountOutsideOfCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"plain", "<@1> hello", true},
		{"as a nickname", "hello <@!1>", true},
		{"somebody else", "<@12> hello", false},
		{"in code", "write `<@1>` to ask", false},
		{"in a code block", "```\n<@1>\n```", false},
		{"in a code block that is never closed", "```\n<@1>", false},
		{"beside code", "`x` <@1> `y`", true},
		{"between single backticks of two lines", "a ` b\n<@1> ` c", true},
		{"nobody", "hello", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := mentions(tt.text, "1"); got != tt.want {
				t.Errorf("mentions(%q) = %v", tt.text, got)
			}
		})
	}
}

func TestQuestionReadsAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	m := &discordgo.Message{
		Content: "<@1> ask <@2>, <@!3> or <@&4> in <#5> or <#6> <:party:77> <a:wave:78>",
		Mentions: []*discordgo.User{
			{ID: "1", Username: "bot"}, {ID: "2", Username: "ada", GlobalName: "Ada L."},
		},
	}
	names := map[string]string{"5": "general"}
	got := question(m, func(id string) string { return names[id] }, "1")
	if want := "ask @Ada L., @somebody or @role in #general or #channel :party: :wave:"; got != want {
		t.Errorf("question = %q, want %q", got, want)
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"a question", "How do I reset it?", "How do I reset it?"},
		{"only the first line", "How?\nI tried a lot.", "How?"},
		{"without Markdown", "How does **`x`** work, ~~not~~ _y_?", "How does x work, not y?"},
		{"nothing", " \n ", "Question"},
		{"only Markdown", "***", "Question"},
		{"cut at a word", strings.Repeat("word ", 30), strings.TrimSpace(strings.Repeat("word ", 18)) + "…"},
		{"one long word", strings.Repeat("x", 200), strings.Repeat("x", 89) + "…"},
		{"emoji count twice", strings.Repeat("😀", 60), strings.Repeat("😀", 44) + "…"},
		{"control characters", "a\x00b\u202ec", "a b c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := title(tt.text); got != tt.want {
				t.Errorf("title(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// Discord takes names of 1 to 100 characters.
func FuzzTitle(f *testing.F) {
	f.Add("How do I reset it?")
	f.Add(strings.Repeat("😀 ", 99))
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text))()
		text = strings.ToValidUTF8(text, "?") // as questions are once they are stored
		got := title(text)
		if n := units(got); n < 1 || n > 100 || !utf8.ValidString(got) || strings.Contains(got, "\n") {
			t.Errorf("title(%q) = %q with %d units", text, got, n)
		}
	})
}

func FuzzMentions(f *testing.F) {
	f.Add("<@1> ` `` ``` <@1>", "1")
	f.Fuzz(func(t *testing.T, text, user string) {
		defer hostiletest.Bound(t, len(text))()
		if mentions(text, user) && !strings.Contains(text, user) {
			t.Errorf("%q mentions %q", text, user)
		}
	})
}
