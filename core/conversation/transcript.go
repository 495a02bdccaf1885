package conversation

import (
	"strings"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// TranscriptID marks the file that holds what was said before a question.
	TranscriptID message.FileID = "thread"
	// EarlierName is how the model and the reader know what was said in its thread.
	EarlierName = "Earlier messages of this thread"
	// transcriptLength is how many characters of it are kept, the newest. A fuller thread tells
	// little more.
	transcriptLength = 24_000
)

// reading says what of its thread is to be read for a mention: what was said since the bot last
// knew of it, which is all in a thread that it enters half-way; nil for nothing. It is read once,
// since the question carries it from then on.
func reading(m chat.Message, j answer.Judgement) *chat.Reading {
	known, root := j.Thread, thread.MessageID(m.Ref.Thread)
	gap := known.Known && m.Mentioned && newer(known.LastSeen, known.CaughtUp) && newer(known.LastSeen, root)
	if m.Direct || m.Forum || !m.InThread || !j.CatchUp && !gap || !newer(m.ID, known.CaughtUp) {
		return nil
	}
	after := known.CaughtUp
	if after == "" && known.Known {
		after = root // the root was asked, and is in the history
	}
	return &chat.Reading{After: after}
}

// newer compares ids of messages, which grow on every platform.
func newer(a, b thread.MessageID) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// Said is a message that someone wrote before a question. Those of the bot itself are in the
// history.
type Said struct {
	Author string // as displayed; empty when not known
	Bot    bool
	Text   string
	Files  []string // names
}

// Transcript is what people, and other bots, said, as a file of that name; ok is false for nothing.
// more says that there was more than was read.
func Transcript(name string, said []Said, more bool) (file message.File, ok bool) {
	var lines []string
	for _, s := range said {
		who := strings.Join(strings.Fields(s.Author), " ")
		switch {
		case s.Text == "" && len(s.Files) == 0:
			continue
		case who != "":
		case s.Bot:
			who = "A bot"
		default:
			who = "Someone"
		}
		line := who + ": " + s.Text
		for _, f := range s.Files {
			line += " [file: " + strings.Join(strings.Fields(f), " ") + "]"
		}
		lines = append(lines, line)
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		return message.File{}, false
	}
	if r := []rune(text); len(r) > transcriptLength {
		text, more = string(r[len(r)-transcriptLength:]), true
	}
	if more {
		text = "(Not all of it could be read.)\n" + text
	}
	return message.File{ID: TranscriptID, Name: name, Media: "text/plain", Text: text}, true
}
