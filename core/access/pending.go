package access

import "errors"

// ErrPending means that the audience is still being loaded. Callers must not conclude that a person
// is an outsider or a member.
var ErrPending = errors.New("who listens is still being found out")
