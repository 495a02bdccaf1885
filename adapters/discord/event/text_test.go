package event

import (
	"strings"
	"testing"

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
			if got := Mentions(tt.text, "1"); got != tt.want {
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
	got := Question(m, func(id string) string { return names[id] }, "1")
	if want := "ask @Ada L., @someone or @role in #general or #channel :party: :wave:"; got != want {
		t.Errorf("question = %q, want %q", got, want)
	}
}

func FuzzMentions(f *testing.F) {
	f.Add("<@1> ` `` ``` <@1>", "1")
	f.Fuzz(func(t *testing.T, text, user string) {
		defer hostiletest.Bound(t, len(text), 0)()
		if Mentions(text, user) && !strings.Contains(text, user) {
			t.Errorf("%q mentions %q", text, user)
		}
	})
}
