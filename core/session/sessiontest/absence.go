package sessiontest

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
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

func traces(f *fixture) {
	newest := func(messages ...thread.MessageID) []session.Trace {
		f.Helper()
		var list []session.Newest
		for _, m := range messages {
			list = append(list, session.Newest{Channel: place.Channel, Message: m})
		}
		found, err := f.Traces(f.ctx, tenant, place.Platform, place.Workspace, append(list, session.Newest{Channel: "elsewhere", Message: "x1"}))
		f.must(err)
		f.equal("of a channel without traces", found[len(found)-1], session.Trace{})
		for i := range messages {
			if found[i].Asked { // the decision may be stored with the question
				found[i].Action = ""
			}
		}
		return found[:len(found)-1]
	}
	f.must(f.Judged(f.ctx, tenant, []session.Verdict{{Ref: place, Message: "x1", Action: "ignore", Reason: "not_addressed"}}))
	f.equal("before anything was asked", newest("x1", "x2"), []session.Trace{{Action: "ignore"}, {}})
	question := f.question("one")
	f.accept(question)
	f.equal("while a turn waits", newest("x1", question.Message), []session.Trace{{Action: "ignore", Open: true}, {Asked: true, Open: true}})
	f.finish(f.lease("r1"), session.Answered)
	f.equal("after the answer", newest("x1", question.Message), []session.Trace{{Action: "ignore"}, {Asked: true}})
	other := f.question("two")
	other.Ref.Thread = "another"
	f.accept(other)
	f.finish(f.lease("r1"), session.Superseded)
	f.equal("after a turn that was closed", newest("x1"), []session.Trace{{Action: "ignore", Open: true}})
}
