package access

import "errors"

// ErrPending says that it will soon be known who listens, and is not yet: nobody is taken for an
// outsider because of it, and nobody for a member.
var ErrPending = errors.New("who listens is still being found out")
