package discordbot

import (
	"context"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// How long a question is tried to be taken in: Discord delivers a message or a command once, and whoever used a command looks at it.
const (
	messagePatience = 30 * time.Second
	commandPatience = 10 * time.Second
)

// ask takes a question in, with its files and what was said before it.
func (b *Bot) ask(ctx context.Context, m discord.Message, j answer.Judgement) {
	starter := j.Thread.Starter
	if starter == "" {
		starter = m.Starter
	}
	files := b.before(ctx, m, j)
	attached := b.client.Fetch(ctx, m.Files)
	text := m.Text
	if text == "" && len(attached) > 0 {
		text = conversation.AboutFiles
	}
	private := j.Private && !m.Event.Direct
	listens, err := b.audience(ctx, m.Ref, m.Author.ID, m.Event.Direct || private)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "nobody knows who listens; the answer uses public documents only", "error", err)
	}
	q := answer.Question{
		Mention: thread.Mention{
			Ref: m.Ref, EventKey: m.EventKey, Message: m.ID, Asker: m.Author, Starter: starter, Text: text, Files: append(files, attached...), At: m.At,
			Direct: m.Event.Direct, Tenant: b.tenant(m.Ref), Listens: listens,
		},
		Judgement: j, Bot: m.Event.Bot,
	}
	accepted, refusal, err := b.talk.Take(ctx, q, messagePatience)
	switch {
	case refusal != "":
		if !m.Late { // it was said then
			b.say(ctx, m, refusal)
		}
		return
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "question not taken in", "event", m.EventKey, "error", err)
		b.say(ctx, m, conversation.SayLost)
		return
	}
	b.client.Asked(m)
	if m.Event.InThread && !m.Event.Direct {
		// What was said up to here is known; at the next mention only what follows is read.
		if err := b.deps.Threads.CaughtUp(ctx, q.Tenant, m.Ref, m.ID); err != nil {
			b.deps.Logger.WarnContext(ctx, "how far a thread was read is not noted; some of it may be read again", "error", err)
		}
	}
	if !accepted.Duplicate && accepted.Notice != "" {
		b.talk.Queued(m.Place(), accepted.Turn)
	}
}

func (b *Bot) unsay(ctx context.Context, note discord.Note) {
	if err := b.client.Unsay(ctx, note); err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not taken back", "error", err)
	}
}

const (
	// contextID marks the file that holds what was said before a question.
	contextID message.FileID = "thread"
	// contextLength is how many characters of it are kept, the newest. A fuller thread tells little more.
	contextLength = 24_000
	// contextLimit bounds the reading.
	contextLimit = 5 * time.Second
)

// before returns what was said before a question that the bot does not know of: in a thread that it enters half-way all of it, later what
// was said since; outside threads the messages that the question replies to. It is read once, since the question carries it from then on.
// A conversation that cannot be read is answered without it.
func (b *Bot) before(ctx context.Context, m discord.Message, j answer.Judgement) []message.File {
	known := j.Thread
	ctx, cancel := context.WithTimeout(ctx, contextLimit)
	defer cancel()
	var said []discord.Said
	var more bool
	var err error
	name := "Earlier messages of this thread"
	gap := known.Known && m.Event.Mentioned && newer(known.LastSeen, max(known.CaughtUp, thread.MessageID(m.Ref.Thread)))
	switch {
	case m.Event.Direct || m.Event.Forum:
		return nil
	case m.Event.InThread && !m.Event.AnswersBot && (j.CatchUp || gap):
		after := known.CaughtUp
		if after == "" && known.Known {
			after = thread.MessageID(m.Ref.Thread) // the root was asked, and is in the history
		}
		said, more, err = b.client.Earlier(ctx, m, after)
	case !m.Event.InThread && m.IsReply():
		name = "Messages that the question replies to"
		said, err = b.client.Chain(ctx, m)
	}
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what was said before is not known", "error", err)
		return nil
	}
	text := transcript(said)
	if text == "" {
		return nil
	}
	if r := []rune(text); len(r) > contextLength {
		text, more = string(r[len(r)-contextLength:]), true
	}
	if more {
		text = "(Not all of it could be read.)\n" + text
	}
	return []message.File{{ID: contextID, Name: name, Media: "text/plain", Text: text}}
}

// newer compares ids of messages, which grow.
func newer(a, b thread.MessageID) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// transcript is what people, and other bots, said.
func transcript(said []discord.Said) string {
	var lines []string
	for _, s := range said {
		if s.Own {
			continue
		}
		name := strings.Join(strings.Fields(s.Author), " ")
		if name == "" {
			name = "Somebody"
		}
		line := name + ": " + s.Text
		for _, f := range s.Files {
			line += " [file: " + strings.Join(strings.Fields(f), " ") + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
