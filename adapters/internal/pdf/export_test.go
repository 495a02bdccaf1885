package pdf

import (
	"context"

	"github.com/footnotehq/footnote/core/footprint"
)

// Occupy calls while in the middle of reading a file, with the sandbox that it takes. The context
// that while gets carries the grant of the memory.
func Occupy(ctx context.Context, while func(context.Context)) error {
	_, err := footprint.Hold(ctx, footprint.PDF, 0, func(ctx context.Context) (struct{}, error) {
		box, err := open(ctx)
		if err != nil {
			return struct{}{}, err
		}
		defer box.close()
		while(ctx)
		return struct{}{}, nil
	})
	return err
}
