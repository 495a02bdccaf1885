package thread

// Class says how urgent a platform call is. A fifth of every tier is kept for Final, so that the
// last edit always lands.
type Class int

const (
	Final    Class = iota // the complete answer
	First                 // the first visible words
	Progress              // anything in between; the first to yield
)

// Call is what a write does to a message. Platforms limit each kind by itself.
type Call int

const (
	Create       Call = iota // a new message
	Edit                     // a message is replaced or deleted
	StreamStart              // a new message that is appended to
	StreamAppend             // a piece more of it
	StreamStop               // its last piece
)

// String names the call, for people who look at what was done.
func (c Call) String() string {
	names := [...]string{Create: "create", Edit: "edit", StreamStart: "stream_start", StreamAppend: "stream_append", StreamStop: "stream_stop"}
	if c < 0 || int(c) >= len(names) {
		return "unknown"
	}
	return names[c]
}

// ErrNoRoom says that the tier has no call left for a progress edit.
var ErrNoRoom = errNoRoom{}

type errNoRoom struct{}

func (errNoRoom) Error() string { return "no call is left in this rate tier" }
