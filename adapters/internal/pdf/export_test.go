package pdf

import (
	"context"

	"github.com/footnotehq/footnote/core/footprint"
)

// Occupy calls while in the middle of reading a file, with the sandbox and the memory that it takes.
func Occupy(ctx context.Context, while func()) error {
	_, err := footprint.Hold(ctx, footprint.PDF, 0, func(ctx context.Context) (struct{}, error) {
		box, err := open(ctx)
		if err != nil {
			return struct{}{}, err
		}
		defer box.close()
		while()
		return struct{}{}, nil
	})
	return err
}
