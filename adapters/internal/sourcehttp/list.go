package sourcehttp

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// MaxPlace is how many bytes the place of a page may have that a server names.
const MaxPlace = 16 << 10

// ErrIncomplete marks a page that lacks the list that was asked for, or an item of which it does not
// say what it is. What such a page leaves out is not gone.
var ErrIncomplete = errors.New("the answer lacks a part of the list that was asked for")

// ErrEndless marks a list that does not end.
var ErrEndless = errors.New("the list leads back to a page that was read, or does not end")

// CheckItems looks at the items of one page of a list, as it was decoded. It returns ErrIncomplete
// for a page without a list (nil) and for one with an item that is not valid, and ErrItems for one
// with more than most items.
func CheckItems[T any](items []T, most int, valid func(T) bool) error {
	switch {
	case items == nil:
		return ErrIncomplete
	case len(items) > most:
		return ErrItems
	}
	for _, item := range items {
		if !valid(item) {
			return ErrIncomplete
		}
	}
	return nil
}

// Pages guards the reading of one list page by page. The zero value is ready. It is for one
// goroutine.
type Pages struct {
	Read int // pages of the list that earlier runs have read
	been map[[sha256.Size]byte]bool
}

// Next notes the place of the next page. It returns ErrEndless for a place that was noted before, for
// one of more than MaxPlace bytes, and after MaxPages pages.
func (p *Pages) Next(place string) error {
	if len(place) > MaxPlace {
		return fmt.Errorf("%w: it names its next page by %d bytes", ErrEndless, len(place))
	}
	key := sha256.Sum256([]byte(place)) // of a length that no server chooses
	if p.been[key] || p.Read+len(p.been) >= MaxPages {
		return ErrEndless
	}
	if p.been == nil {
		p.been = make(map[[sha256.Size]byte]bool)
	}
	p.been[key] = true
	return nil
}
