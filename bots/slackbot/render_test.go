package slackbot_test

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/stream"
)

type plain struct{}

func renderer() plain { return plain{} }

func (plain) Render(v *stream.View) []slack.Page {
	text := v.Text() + v.Message
	if text == "" {
		return nil
	}
	p := slack.Page{Markdown: slack.Neutral(text), Text: text, Done: v.Phase == stream.Done}
	if p.Done {
		p.Notes = []string{"fin"}
	}
	return []slack.Page{p}
}
func (plain) Hash(p slack.Page) string      { return p.Markdown + strings.Join(p.Notes, "") }
func (plain) Tail() stream.Tail[slack.Page] { return &tail{} }

type tail struct{ sent int }

func (t *tail) Next(v *stream.View) (slack.Page, bool) {
	p := slack.Page{Markdown: slack.Neutral(v.TextFrom(t.sent)), Done: v.Phase == stream.Done}
	t.sent = v.Len()
	if p.Done {
		p.Markdown += v.Message
		p.Notes = []string{"fin"}
	}
	return p, p.Markdown != "" || p.Done
}

func finished(m slacktest.Message) bool { return strings.HasSuffix(m.Shown(), "fin") }
