package sessiontest

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

func active(f *fixture) {
	list := func(lately time.Duration, most int) []session.Active {
		f.Helper()
		found, err := f.Active(f.ctx, tenant, place.Platform, place.Workspace, lately, most)
		f.must(err)
		return found
	}
	f.equal("before anything was asked", len(list(time.Hour, 10)), 0)
	f.accept(f.question("one"))
	other := f.question("two")
	other.Ref.Thread = "another"
	f.accept(other)
	elsewhere := f.question("three")
	elsewhere.Ref.Workspace = "another"
	f.accept(elsewhere)
	unasked := f.question("four")
	unasked.Ref.Thread, unasked.Ambient = "unasked", true
	f.accept(unasked)
	f.seen("U3", false, "x9")
	f.equal("the newest first", list(time.Hour, 10), []session.Active{
		{Ref: place, LastSeen: "x9"}, {Ref: other.Ref, LastSeen: other.Message},
	})
	f.equal("no more than are wanted", list(time.Hour, 1), []session.Active{{Ref: place, LastSeen: "x9"}})
	f.equal("of long ago", len(list(0, 10)), 0)
}

func claims(f *fixture) {
	claim := func(key string, ttl time.Duration) bool {
		f.Helper()
		mine, err := f.Claim(f.ctx, tenant, place, key, ttl)
		f.must(err)
		return mine
	}
	var won atomic.Int32
	var racing sync.WaitGroup
	for range 8 {
		racing.Go(func() {
			if claim("a", time.Hour) {
				won.Add(1)
			}
		})
	}
	racing.Wait()
	f.equal("so many claimed the same", won.Load(), int32(1))
	f.equal("something else is claimed by itself", claim("b", time.Hour), true)
	f.equal("a claim that has had its time is another's", claim("a", 0), true)
	f.equal("from then on it holds again", claim("a", time.Hour), false)
}
