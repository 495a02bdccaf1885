package access

import "errors"

// ErrPending means that the audience is still being loaded. It makes no one an outsider or a
// member.
var ErrPending = errors.New("who listens is still being found out")
