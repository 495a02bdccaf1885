package attachment

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/chat"
)

const eachLimit = 60 * time.Second

// Each downloads the files of a message and yields them in order, without parsing them. It
// downloads one file at a time. most is the maximum size of a file in bytes. Each never fails. A
// file that cannot be downloaded has a sentence that says why.
func Each[F any](ctx context.Context, list []F, most int64, head func(F) Head, download Download[F]) iter.Seq[chat.Attachment] {
	return func(yield func(chat.Attachment) bool) {
		for _, f := range list {
			if !yield(whole(ctx, f, most, head, download)) {
				return
			}
		}
	}
}

func whole[F any](ctx context.Context, f F, most int64, head func(F) Head, download Download[F]) chat.Attachment {
	h := head(f)
	if h.Size > most {
		return chat.Attachment{Name: h.Name, Failed: sayMoreThan(most)}
	}
	if ctx.Err() != nil {
		return chat.Attachment{Name: h.Name, Failed: sayLate}
	}
	ctx, cancel := context.WithTimeout(ctx, eachLimit)
	defer cancel()
	into := &Buffer{most: most}
	into.data.Grow(int(max(h.Size, 0)))
	known, refused := download(ctx, f, into)
	switch {
	case refused != "" && ctx.Err() != nil:
		return chat.Attachment{Name: known.Name, Failed: saySlow}
	case refused == SayTooLarge:
		return chat.Attachment{Name: known.Name, Failed: sayMoreThan(most)}
	case refused != "":
		return chat.Attachment{Name: known.Name, Failed: refused}
	}
	return chat.Attachment{Name: known.Name, Data: into.Bytes()}
}

func sayMoreThan(most int64) string {
	return fmt.Sprintf("It is larger than %d MB. Attach the part that matters.", most>>20)
}
