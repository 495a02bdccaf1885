package access

import "errors"

// ErrPending means that the people in a conversation are still being loaded. It is unknown whether
// a person is a member or an outsider.
var ErrPending = errors.New("who listens is still being found out")
