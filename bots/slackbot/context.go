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
	// contextLimit bounds the reading, which stands between a question and its answer.
	contextLimit = 5 * time.Second
)

// reading says what of its thread is to be read for a mention: what was said since the bot last knew of it, which is all in a thread that it
// enters half-way. It is read once, since the question carries it from then on.
func reading(m slack.Message, j answer.Judgement) *before {
	known := j.Thread
	gap := known.Known && m.Mentioned && known.LastSeen > max(known.CaughtUp, thread.MessageID(m.Ref.Thread))
	if m.Direct || !m.InThread || !j.CatchUp && !gap || known.CaughtUp >= m.ID {
		return nil
	}
	after := known.CaughtUp
	if after == "" && known.Known {
		after = thread.MessageID(m.Ref.Thread) // the root was asked, and is in the history
	}
	return &before{After: after}
}

// readBefore returns what was said in a thread after one message and before a question. A thread that cannot be read is answered without it.
// starter is who began the thread, where that was read along.
func (b *Bot) readBefore(ctx context.Context, at thread.Ref, after, question thread.MessageID) (file message.File, starter string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, contextLimit)
	defer cancel()
	said, more, err := b.client.Replies(ctx, at, after, question)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what was said before in the thread is not known", "error", err)
		return message.File{}, "", false
	}
	if len(said) > 0 && said[0].ID == thread.MessageID(at.Thread) {
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
