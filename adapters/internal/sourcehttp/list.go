package sourcehttp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
)

// MaxPlace is the maximum length of a cursor in bytes.
const MaxPlace = 16 << 10

// ErrIncomplete reports a page of a list that has no items field or has an invalid item. Callers
// must not treat items that are missing from the page as deleted.
var ErrIncomplete = errors.New("the answer lacks a part of the list that was asked for")

// ErrEndless reports a list that repeats a cursor or has too many pages.
var ErrEndless = errors.New("the list leads back to a page that was read, or does not end")

// CheckItems checks the items of one page of a list. It returns [ErrIncomplete] if items is nil or
// an item is invalid. It returns [ErrItems] if there are more items than most.
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

// MaxList is the maximum size in bytes of all responses of one list. A list of 100,000 people has
// some 50 MB.
const MaxList = 128 << 20

// ErrLongList reports a list whose responses are larger than [MaxList].
var ErrLongList = fmt.Errorf("a list that is read whole has more than %d MB", MaxList>>20)

type listKey struct{}

// Whole returns a context for the requests of one list that is read into memory completely.
// Requests fail with [ErrLongList] once all responses together exceed [MaxList].
func Whole(ctx context.Context) context.Context {
	room := new(atomic.Int64)
	room.Store(MaxList)
	return context.WithValue(ctx, listKey{}, room)
}

func countListBytes(ctx context.Context, answer []byte) error {
	room, is := ctx.Value(listKey{}).(*atomic.Int64)
	if is && room.Add(-int64(len(answer))) < 0 {
		return ErrLongList
	}
	return nil
}

// Pages detects loops and endless lists while a list is read page by page. The zero value is ready
// to use. It is not safe for concurrent use.
type Pages struct {
	Read int // pages of the list that earlier runs have read
	been map[[sha256.Size]byte]bool
}

// Next records the cursor of the next page. It returns [ErrEndless] if the cursor was recorded
// before, if it is longer than [MaxPlace], or after [MaxPages] pages.
func (p *Pages) Next(place string) error {
	if len(place) > MaxPlace {
		return fmt.Errorf("%w: it names its next page by %d bytes", ErrEndless, len(place))
	}
	key := sha256.Sum256([]byte(place)) // a fixed length, whatever the server sends
	if p.been[key] || p.Read+len(p.been) >= MaxPages {
		return ErrEndless
	}
	if p.been == nil {
		p.been = make(map[[sha256.Size]byte]bool)
	}
	p.been[key] = true
	return nil
}

// EachPage calls fetch for each page of a list, beginning with the cursor first. fetch returns the
// cursor of the next page, or "" after the last page. If the list does not end, EachPage returns an
// error that wraps [ErrEndless]. what names the list in that error.
func EachPage(what, first string, fetch func(cursor string) (next string, err error)) error {
	var pages Pages
	for cursor := first; ; {
		next, err := fetch(cursor)
		if err != nil || next == "" {
			return err
		}
		if next == first {
			err = ErrEndless
		} else {
			err = pages.Next(next)
		}
		if err != nil {
			return fmt.Errorf("%s cannot be read to its end: the next run tries again (%w)", what, err)
		}
		cursor = next
	}
}
