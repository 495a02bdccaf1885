package access

import "errors"

// ErrPending means that the audience is still being loaded, so it is unknown whether a person is a
// member or an outsider.
var ErrPending = errors.New("who listens is still being found out")
