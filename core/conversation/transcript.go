package conversation

import (
	"cmp"
	"strings"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// EarlierName is the name of the file with the earlier messages of a thread, as the model and
	// the reader see it.
	EarlierName = "Earlier messages of this thread"
	// transcriptLength is the maximum length of a transcript in characters. The oldest text is cut,
	// except for the beginning of the first message.
	transcriptLength = 24_000
	firstLength      = 1_000
)

// earlierMessages returns which earlier messages of a thread to read for a question, or nil for
// none. For a mention, these are the messages since the bot last read the thread, or all messages
// if it never did. Other questions read only a thread that is [session.Stale].
func earlierMessages(m chat.Message, j answer.Judgement) *chat.Reading {
	known, root := j.Thread, thread.MessageID(m.Ref.Thread)
	gap := known.Known && (m.Mentioned || known.CaughtUp == session.Stale) && newer(known.LastSeen, known.CaughtUp) && newer(known.LastSeen, root)
	if m.Direct || m.Forum || !m.InThread || !j.CatchUp && !gap || !newer(m.ID, known.CaughtUp) {
		return nil
	}
	after := known.CaughtUp
	switch {
	case after == session.Unread, after == session.Stale:
		after = ""
	case after == "" && known.Known:
		after = root // the root is a question in the history
	}
	return &chat.Reading{After: after}
}

// caughtUp returns up to where the store knows a thread once a question is accepted. The next
// mention reads only later messages. It returns nothing if that does not change, or if a worker
// will find out.
func caughtUp(m chat.Message, known session.Thread, reading *chat.Reading, with chat.Gathered) thread.MessageID {
	switch {
	case !m.InThread || m.Direct:
		return ""
	case reading == nil && (known.CaughtUp == session.Unread || known.CaughtUp == session.Stale):
		return ""
	case !with.Unread:
		return m.ID
	case with.Pending != nil || reading == nil:
		return ""
	}
	return cmp.Or(reading.After, session.Unread)
}

// newer reports whether a is newer than b. Message ids increase on every platform.
func newer(a, b thread.MessageID) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// Said is a message before a question, by a person or another bot. Messages of this bot are in the
// history instead.
type Said struct {
	ID     thread.MessageID
	Author string // display name; empty if unknown
	Bot    bool
	Text   string
	Files  []string // names
}

// Transcript formats messages as a text file with the given name. more says that some messages were
// not read. ok is false if there is no text.
func Transcript(name string, said []Said, more bool) (file message.File, ok bool) {
	var lines, ids []string
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
		lines, ids = append(lines, line), append(ids, string(s.ID))
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		return message.File{}, false
	}
	if r := []rune(text); len(r) > transcriptLength {
		first := []rune(lines[0]) // it says what the thread is about
		first = first[:min(len(first), firstLength)]
		text, more = string(first)+"\n…\n"+string(r[len(r)-transcriptLength+len(first):]), true
	}
	if more {
		text = "(Not all of it could be read.)\n" + text
	}
	return message.File{ID: session.TranscriptID, Name: name, Media: "text/plain", Text: text, Said: ids}, true
}

// Unreadable returns the file that stands for the earlier messages of a thread that could not be
// read. The answer shows why they are missing.
func Unreadable() message.File {
	return message.File{ID: session.TranscriptID, Name: EarlierName, Media: "text/plain", Failed: sayUnreadable}
}
