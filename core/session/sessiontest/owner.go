package sessiontest

import (
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func asksOwner(f *fixture) {
	standing := func(t session.Turn) session.OwnerStanding {
		s, err := f.OwnerStanding(f.ctx, t)
		f.must(err)
		return s
	}
	claim := func(t session.Turn, person string, want bool) {
		f.Helper()
		if first, err := f.ClaimOwner(f.ctx, t, person); err != nil || first != want {
			f.Errorf("the claim is the first: %v (%v), want %v", first, err, want)
		}
	}
	running := f.accept(f.question("q"))
	_, err := f.ClaimOwner(f.ctx, running, "U7")
	f.wantErr(err, session.ErrUnfinished)
	t := f.answerNext("A")
	f.equal("before", standing(t), session.OwnerStanding{})

	// A person who does not want to be asked is not asked, and can change that.
	for _, off := range []bool{true, false} {
		for _, changed := range []bool{true, false} {
			got, err := f.SetUndisturbed(f.ctx, tenant, t.Session.Ref.Platform, "U7", off)
			f.must(err)
			f.equal("changed", got, changed)
		}
		is, err := f.Undisturbed(f.ctx, tenant, t.Session.Ref.Platform, "U7")
		f.must(err)
		f.equal("undisturbed", is, off)
		elsewhere, err := f.Undisturbed(f.ctx, tenant, "discord", "U7")
		f.must(err)
		f.equal("undisturbed on another platform", elsewhere, false)
		if off {
			claim(t, "U7", false)
			f.equal("while undisturbed", standing(t), session.OwnerStanding{})
		}
	}

	claim(t, "U7", true)
	claim(t, "U7", false)
	claim(t, "U8", false)
	f.equal("once asked", standing(t), session.OwnerStanding{Asked: true})
	again := f.derive(t.ID, session.Retried).Turn
	f.answerNext("B")
	again, err = f.Turn(f.ctx, tenant, again.ID)
	f.must(err)
	claim(again, "U7", false)
	f.equal("asked again", standing(again), session.OwnerStanding{Asked: true})

	other := f.answered(f.question("another"), "A")
	f.equal("of another question", standing(other), session.OwnerStanding{})
	claim(other, "U7", true)
	f.must(f.ReleaseOwner(f.ctx, other))
	f.equal("once released", standing(other), session.OwnerStanding{})
	claim(other, "U7", true)

	for _, c := range []struct {
		question thread.MessageID // the question, if it began the thread; empty: another message did
		want     bool
	}{{"m77", false}, {"", true}} {
		in := f.question("on Discord")
		in.Ref.Platform, in.Ref.Thread = "discord", "m77"
		if in.Message = c.question; c.question == "" {
			in.Message, in.Ref.Thread = "m79", "m78"
		}
		f.equal("enclosed", standing(f.answered(in, "A")).Enclosed, c.want)
	}
	_, err = f.OwnerStanding(f.ctx, session.Turn{ID: "unknown", Session: session.Session{Tenant: tenant}})
	f.wantErr(err, session.ErrUnknownTurn)
}
