package event

import (
	"github.com/footnotehq/footnote/core/thread"
)

// Note is something that was said beside an answer.
type Note struct{ Channel, Message string }

// NoteAt returns a note that is remembered with a place.
func NoteAt(at thread.Ref, id thread.MessageID) Note {
	return Note{Channel: at.Thread, Message: string(id)}
}

// ID is the id of the note's message.
func (n Note) ID() thread.MessageID { return thread.MessageID(n.Message) }
