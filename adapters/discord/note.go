package discord

import (
	"github.com/footnotehq/footnote/core/thread"
)

// Note is something that was said beside an answer.
type Note struct{ channel, id string }

// NoteAt returns a note that is remembered with a place.
func NoteAt(at thread.Ref, id thread.MessageID) Note { return Note{channel: at.Thread, id: string(id)} }

// ID is the id of the note's message.
func (n Note) ID() thread.MessageID { return thread.MessageID(n.id) }
