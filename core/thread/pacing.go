package thread

// Class is the urgency of a platform call. A fifth of every rate limit is reserved for [Final], so
// that the last edit of an answer always succeeds.
type Class int

const (
	Final    Class = iota // the complete answer
	First                 // the first visible words
	Progress              // all other writes; they yield to both other classes
)

// Call is the kind of a write. Platforms limit the rate of each kind separately.
type Call int

const (
	Create       Call = iota // a new message
	Edit                     // a message is replaced or deleted
	StreamStart              // a new message that is appended to
	StreamAppend             // a further piece of that message
	StreamStop               // the last piece of that message
)

// String returns the name of the call for logs and traces.
func (c Call) String() string {
	names := [...]string{Create: "create", Edit: "edit", StreamStart: "stream_start", StreamAppend: "stream_append", StreamStop: "stream_stop"}
	if c < 0 || int(c) >= len(names) {
		return "unknown"
	}
	return names[c]
}

// ErrNoRoom means that the rate limit has no call left for a write of class [Progress].
var ErrNoRoom = errNoRoom{}

type errNoRoom struct{}

func (errNoRoom) Error() string { return "no call is left in this rate tier" }
