package slackbot

import (
	"context"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// contextID marks the file that holds what was said in a thread before a question.
	contextID message.FileID = "thread"
	// contextName is how the model and the reader know it.
	contextName = "Earlier messages of this thread"
	// contextLength is how many characters of it are kept, the newest. A fuller thread tells little more.
	contextLength = 24_000
	// contextLimit bounds the reading: the event is to be acknowledged within three seconds.
	contextLimit = 2 * time.Second
)

// before returns what was said in the thread of a mention since the bot last knew of it: all of it in a thread that it enters half-way.
// It is read once, since the question carries it from then on. A thread that cannot be read is answered without it. starter is who began
// the thread, where that was read along.
func (b *Bot) before(ctx context.Context, m slack.Message, j answer.Judgement) (file message.File, starter string, ok bool) {
	known := j.Thread
	gap := known.Known && m.Mentioned && known.LastSeen > max(known.CaughtUp, thread.MessageID(m.Ref.Thread))
	if m.Direct || !m.InThread || !j.CatchUp && !gap || known.CaughtUp >= m.ID {
		return message.File{}, "", false
	}
	ctx, cancel := context.WithTimeout(ctx, contextLimit)
	defer cancel()
	after := known.CaughtUp
	if after == "" && known.Known {
		after = thread.MessageID(m.Ref.Thread) // the root was asked, and is in the history
	}
	said, more, err := b.client.Replies(ctx, m.Ref, after, m.ID)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what was said before in the thread is not known", "error", err)
		return message.File{}, "", false
	}
	if len(said) > 0 && said[0].ID == thread.MessageID(m.Ref.Thread) {
		starter = said[0].Author
	}
	text := b.transcript(ctx, said)
	if text == "" {
		return message.File{}, starter, false
	}
	if r := []rune(text); len(r) > contextLength {
		text, more = string(r[len(r)-contextLength:]), true
	}
	if more {
		text = "(Not all of it could be read.)\n" + text
	}
	return message.File{ID: contextID, Name: contextName, Media: "text/plain", Text: text}, starter, true
}

// transcript is what people, and other bots, said.
func (b *Bot) transcript(ctx context.Context, said []slack.Message) string {
	names := make(map[string]string)
	var lines []string
	for _, m := range said {
		if m.Own || m.System || m.Text == "" && len(m.Files) == 0 {
			continue
		}
		name, ok := names[m.Author]
		if !ok {
			name = b.person(ctx, m.Author).Name
			names[m.Author] = name
		}
		switch {
		case name != "":
		case m.Bot:
			name = "A bot"
		default:
			name = "Somebody"
		}
		line := strings.Join(strings.Fields(name), " ") + ": " + m.Text
		for _, f := range m.Files {
			line += " [file: " + strings.Join(strings.Fields(f.Name), " ") + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
