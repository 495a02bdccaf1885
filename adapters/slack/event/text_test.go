package event

import (
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/google/go-cmp/cmp"
)

func TestReadText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw         string
		want              string
		mentioned, others bool
	}{
		{name: "mention first", raw: "<@U0BOT> how?", want: "how?", mentioned: true},
		{name: "mention last", raw: "how? <@U0BOT>", want: "how?", mentioned: true},
		{name: "mention within", raw: "hey <@U0BOT|footnote> how?", want: "hey how?", mentioned: true},
		{name: "mention within, without blanks", raw: "hey<@U0BOT>how?", want: "hey how?", mentioned: true},
		{name: "mention in code does not count", raw: "write `<@U0BOT>` to ask", want: "write `<@U0BOT>` to ask"},
		{name: "mention in a block of code does not count", raw: "```\n<@U0BOT>\n``` so", want: "```\n<@U0BOT>\n``` so"},
		{name: "a lone quote is no code", raw: "it`s <@U0BOT>", want: "it`s", mentioned: true},
		{name: "code does not go over lines", raw: "a `b\n<@U0BOT> c` d", want: "a `b\nc` d", mentioned: true},
		{name: "somebody else", raw: "<@U1> and <@U2|bob>?", want: "@U1 and @bob?", others: true},
		{name: "bot and somebody else", raw: "<@U0BOT> ask <@U1>", want: "ask @U1", mentioned: true, others: true},
		{name: "channel", raw: "in <#C1|general>", want: "in #general"},
		{name: "channel without a name", raw: "in <#C1>", want: "in #C1"},
		{name: "link", raw: "<https://a.example/x>", want: "https://a.example/x"},
		{name: "link with a label", raw: "<https://a.example/x|the page>", want: "the page (https://a.example/x)"},
		{name: "mail", raw: "<mailto:a@b.example|a@b.example>", want: "a@b.example"},
		{name: "broadcast", raw: "<!here> <!subteam^S1|@ops> <!date^1^{date}|today>", want: "@here @ops today"},
		{name: "entities", raw: "a &lt; b &amp;&amp; c &gt; d", want: "a < b && c > d"},
		{name: "an entity is decoded once", raw: "&amp;lt;", want: "&lt;"},
		{name: "open bracket", raw: "a <b", want: "a <b"},
		{name: "empty", raw: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, mentioned, others := ReadText(tt.raw, "U0BOT")
			if diff := cmp.Diff(tt.want, text); diff != "" || mentioned != tt.mentioned || others != tt.others {
				t.Errorf("mentioned %v, others %v, text (-want +got):\n%s", mentioned, others, diff)
			}
		})
	}
}

func FuzzReadText(f *testing.F) {
	f.Add("<@U0BOT> `a` ```b``` <https://x|y> &lt;")
	f.Add("`<@U0BOT>")
	f.Add("<")
	f.Fuzz(func(t *testing.T, raw string) {
		defer hostiletest.Bound(t, len(raw), 0)()
		text, _, _ := ReadText(raw, "U0BOT")
		if utf8.ValidString(raw) && !utf8.ValidString(text) {
			t.Errorf("%q became %q, which is not UTF-8", raw, text)
		}
	})
}

func TestCommandsAreReadable(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		" how so? ": "how so?", "what does <@U1|bob> do in <#C1|general>?": "what does @bob do in #general?",
		"see <https://a.example/x|a.example/x> and <https://b.example>": "see a.example/x (https://a.example/x) and https://b.example",
		"is a < b and c > d?": "is a < b and c > d?", "is a &lt; b &amp;&amp; c?": "is a < b && c?", "List<String> or <T>?": "List<String> or <T>?",
		"call <!here> and <mailto:a@b.example|a@b.example>": "call @here and a@b.example",
	} {
		if got := TypedText(raw); got != want {
			t.Errorf("%q is read as %q, want %q", raw, got, want)
		}
	}
}
