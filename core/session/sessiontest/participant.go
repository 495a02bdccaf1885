package sessiontest

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (f *fixture) seen(person string, bot bool, id thread.MessageID) {
	f.Helper()
	f.must(f.Seen(f.ctx, session.Sighting{Tenant: tenant, Ref: place, Message: id, Person: person, Bot: bot}))
}

// known returns the stored state of the test's thread. It checks that Idle is short, and then
// clears Idle in the result.
func (f *fixture) known() session.Thread {
	f.Helper()
	t, err := f.Thread(f.ctx, tenant, place)
	f.must(err)
	if t.Idle < 0 || t.Idle > time.Minute {
		f.Errorf("the thread was silent for %s", t.Idle)
	}
	t.Idle = 0
	return t
}

func participants(f *fixture) {
	f.seen("U7", false, "early")
	f.must(f.Unfollow(f.ctx, tenant, place, "U1"))
	f.equal("a thread without questions", f.known(), session.Thread{})
	f.accept(f.question("q"))
	f.equal("after a question", f.known(), session.Thread{Known: true, Starter: "U2", People: 1, LastSeen: "m1"})
	f.seen("U1", false, "x1")
	f.seen("U3", false, "x2")
	f.seen("B1", true, "x3")
	f.seen("B1", true, "x4")
	f.seen("B1", true, "x4") // reported twice, counted once
	f.must(f.Unfollow(f.ctx, tenant, place, "U1"))
	f.equal("after replies", f.known(),
		session.Thread{Known: true, Unfollowed: true, Starter: "U2", People: 2, BotTurns: 2, LastSeen: "x4"})
	private := f.question("private")
	private.Owner = "U1"
	f.accept(private)
	again := f.question("again")
	again.Starter = "U9" // the starter of a thread does not change
	f.accept(again)
	f.equal("after another question", f.known(), session.Thread{Known: true, Starter: "U2", People: 2, LastSeen: "m3"})
	ofBot := f.question("of a bot")
	ofBot.Bot, ofBot.Asker.ID = true, "B1"
	f.seen("B1", true, ofBot.Message) // every message of a thread is seen before it is accepted
	f.accept(ofBot)
	if t := f.known(); t.BotTurns != 1 || t.People != 2 {
		f.Errorf("after a bot's question there are %d bot turns and %d people", t.BotTurns, t.People)
	}
}
