package access

import "errors"

// ErrPending means that the list of people in a conversation is still being loaded. Until it is
// complete, the audience is unknown.
var ErrPending = errors.New("who listens is still being found out")
