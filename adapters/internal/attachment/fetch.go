package attachment

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/message"
	"golang.org/x/sync/errgroup"
)

// FetchLimit bounds the fetching of all files of a message.
const FetchLimit = 8 * time.Second

// Head is what is known of a file before it is read.
type Head struct{ ID, Name, Media string }

// Fetch reads the files of a message, some side by side, in FetchLimit altogether. It never fails: read says of a file that cannot be read why. What
// is more than MaxFiles is not read.
func Fetch[F any](ctx context.Context, list []F, head func(F) Head, read func(context.Context, F) message.File) []message.File {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, FetchLimit)
	defer cancel()
	out := make([]message.File, len(list))
	var group errgroup.Group
	group.SetLimit(4)
	for i, f := range list {
		group.Go(func() error {
			h := head(f)
			if i < MaxFiles {
				out[i] = read(ctx, f)
			} else {
				out[i] = Unread(h.Name, h.Media, sayTooMany)
			}
			out[i].ID = message.FileID(h.ID)
			return nil
		})
	}
	_ = group.Wait() // nothing of it fails
	return out
}
