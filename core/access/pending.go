package access

import "errors"

// ErrPending says that it will soon be known who listens, and is not yet: it makes no one an
// outsider, and no one a member.
var ErrPending = errors.New("who listens is still being found out")
