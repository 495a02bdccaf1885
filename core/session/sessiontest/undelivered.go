package sessiontest

import "github.com/footnotehq/footnote/core/session"

func undelivered(f *fixture) {
	const why = "The bot may not write there."
	message := f.accept(f.question("q")).Message
	told := func(what, want string) {
		f.Helper()
		got, err := f.TurnOf(f.ctx, tenant, place, message)
		f.must(err)
		f.equal(what, got.Undelivered, want)
	}
	t := f.lease("r1")
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
	told("before the end", "")
	f.must(f.Delivered(f.ctx, t.Fence(), why))
	told("an answer that was given up", why)
	f.edit(message, "asked again")
	told("an edited question", "")
	f.finish(f.lease("r1"), session.Answered)
	told("and was delivered", "")
}
