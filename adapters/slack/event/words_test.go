package event

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/google/go-cmp/cmp"
	api "github.com/slack-go/slack"
)

func TestMessagesOfOtherAppsAreReadable(t *testing.T) {
	t.Parallel()
	const alert = `[{"type":"header","text":{"type":"plain_text","text":"Deploy failed"}},{"type":"divider"},` +
		`{"type":"section","text":{"type":"mrkdwn","text":"*api* in <https://ci.example|run 7>"},"fields":[{"type":"mrkdwn","text":"By ann"},{"type":"mrkdwn","text":"On main"}]},` +
		`{"type":"context","elements":[{"type":"mrkdwn","text":"1 min ago"},{"type":"image","image_url":"https://x.example","alt_text":"x"}]},` +
		`{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"Retry"}}]}]`
	const list = `[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"Ask "},{"type":"user","user_id":"U1"},` +
		`{"type":"text","text":" in "},{"type":"channel","channel_id":"C1"},{"type":"text","text":" about "},{"type":"link","url":"https://a.example","text":"this"}]},` +
		`{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]},{"type":"rich_text_section","elements":[{"type":"link","url":"https://b.example"}]}]}]}]`
	tests := []struct{ name, raw, want string }{
		{"text", `{"text":"hi","blocks":` + alert + `}`, "hi"},
		{"blocks", `{"text":" ","blocks":` + alert + `}`, "Deploy failed\n*api* in <https://ci.example|run 7>\nBy ann\nOn main\n1 min ago"},
		{"rich text", `{"blocks":` + list + `}`, "Ask <@U1> in <#C1> about <https://a.example|this>\none\n<https://b.example>"},
		{"attachments", `{"attachments":[{"fallback":"f","pretext":"Alert","title":"CPU","text":"too high","fields":[{"title":"host","value":"db1"},{"value":"now"}]},{"fallback":"only this"}]}`,
			"Alert\nCPU\ntoo high\nhost: db1\nnow\nonly this"},
		{"blocks in attachments", `{"attachments":[{"blocks":` + alert + `}]}`, "Deploy failed\n*api* in <https://ci.example|run 7>\nBy ann\nOn main\n1 min ago"},
		{"nothing", `{}`, ""},
		{"blocks that are none", `{"blocks":"x","attachments":[{"blocks":[1]}]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := Decode[wireMessage]("a message", []byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, m.Words(m.Text)); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
			read, err := Decode[api.Message]("a message", []byte(tt.raw))
			if err != nil {
				return // the library cannot read it
			}
			if diff := cmp.Diff(tt.want, ExtrasOf(read).Words(read.Text)); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`{"blocks":[{"type":"rich_text","elements":[{"type":"x","text":{"type":"y","text":"z"}}]}]}`)
	f.Add(`{"attachments":[{"fields":[{"title":"a"}]}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		defer hostiletest.Bound(t, len(raw), 0)()
		m, err := Decode[wireMessage]("a message", []byte(raw))
		if err != nil {
			return
		}
		if m.Text != "" && m.Words(m.Text) == "" {
			t.Error("the text was lost")
		}
	})
}
