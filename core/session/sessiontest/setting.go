package sessiontest

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func settings(f *fixture) {
	channel := session.PlaceOf(place)
	workspace := session.Place{Platform: "slack", Workspace: "T1"}
	set := func(at session.Place, key, value, by string) {
		f.Helper()
		f.must(f.ChangeSettings(f.ctx, tenant, at, session.Actor{Platform: at.Platform, ID: by}, session.SettingChange{Key: key, Value: value}))
	}
	set(channel, "follow", "always", "U1")
	set(channel, "follow", "mention", "U2")
	set(workspace, "bots", "true", "U1")
	set(session.Place{Platform: "slack", Workspace: "T1", Channel: "C2"}, "follow", "always", "U1")
	set(session.Place{Platform: "slack", Workspace: "T2"}, "follow", "always", "U1")
	set(session.Place{Platform: "discord"}, "follow", "always", "U1")

	got, err := f.Settings(f.ctx, tenant, channel)
	f.must(err)
	for i := range got {
		if got[i].At.IsZero() {
			f.Errorf("%s has no time", got[i].Key)
		}
		got[i].At = time.Time{}
	}
	f.equal("the channel's", got, []session.Setting{
		{Place: workspace, Key: "bots", Value: "true", By: "U1"}, {Place: channel, Key: "follow", Value: "mention", By: "U2"},
	})
	all, err := f.AllSettings(f.ctx, tenant)
	f.must(err)
	f.equal("of the tenant", len(all), 5)

	for range 2 {
		set(channel, "follow", "", "U1")
	}
	got, err = f.Settings(f.ctx, tenant, channel)
	f.must(err)
	f.equal("left", len(got), 1)
}

func quotas(f *fixture) {
	ask := func(quotas ...session.Quota) session.Turn {
		f.Helper()
		in := f.question("q")
		in.Quotas = quotas
		return f.accept(in)
	}
	const day = 24 * time.Hour
	user := session.Quota{Counter: "user:1", Limit: 2, Window: day}
	channel := session.Quota{Counter: "channel:1", Limit: 3, Window: day}
	for range 2 {
		if t := ask(user, channel); !t.LimitedUntil.IsZero() {
			f.Errorf("limited until %v although there is room", t.LimitedUntil)
		}
	}
	limited := ask(user, channel)
	if wait := time.Until(limited.LimitedUntil); wait <= 0 || wait > day || limited.LimitedUntil.Unix()%int64(day/time.Second) != 0 {
		f.Errorf("limited until %v, want the end of the day", limited.LimitedUntil)
	}
	full, err := f.Exhausted(f.ctx, tenant, []session.Quota{user, channel}, limited.LimitedUntil)
	f.must(err)
	if len(full) != 1 || full[0] != user {
		f.Errorf("%v are exhausted, want the person's", full)
	}
	other := session.Quota{Counter: "user:2", Limit: 2, Window: day}
	// the refused question did not count against the channel
	if t := ask(other, channel); !t.LimitedUntil.IsZero() {
		f.Errorf("limited until %v", t.LimitedUntil)
	}
	if t := ask(other, channel); t.LimitedUntil.IsZero() {
		f.Error("the channel's quota has room for a fourth question")
	}
	if t := ask(session.Quota{Counter: "user:1", Limit: 5, Window: day}, user); t.LimitedUntil.IsZero() {
		f.Error("the smaller of two limits does not count")
	}
	in := f.question("twice")
	in.Quotas = []session.Quota{{Counter: "user:3", Limit: 1, Window: day}}
	first := f.accept(in)
	repeated, err := f.Accept(f.ctx, in)
	f.must(err)
	if !first.LimitedUntil.IsZero() || !repeated.Turn.LimitedUntil.IsZero() {
		f.Error("a repeated event counts")
	}
	if leased := f.lease("r1"); leased.Number != 1 || !leased.LimitedUntil.IsZero() {
		f.Errorf("leased %+v", leased)
	}
}

func unasked(f *fixture) {
	at := session.PlaceOf(place)
	in := f.question("does anyone know?")
	in.Ambient, in.Reason, in.Agent, in.Models = true, "ambient", "legal", []string{"left", "right"}
	t := f.accept(in)
	if !t.Ambient || t.Reason != "ambient" || t.Agent != "legal" || !slices.Equal(t.Models, in.Models) {
		f.Errorf("accepted %+v", t)
	}
	known, err := f.Thread(f.ctx, tenant, place)
	f.must(err)
	if known.Known || !known.Pending || known.People != 1 {
		f.Errorf("before there is an answer: %+v", known)
	}
	ago, err := f.Unasked(f.ctx, tenant, at)
	f.must(err)
	if ago != session.Never {
		f.Errorf("an unasked answer was given %s ago", ago)
	}
	f.must(f.Seen(f.ctx, session.Sighting{Tenant: tenant, Ref: place, Message: "m9", Person: "U9", Helper: true}))
	if known, err = f.Thread(f.ctx, tenant, place); err != nil || known.People != 2 || !known.Helped {
		f.Errorf("after a helper replied: %+v, %v", known, err)
	}
	f.finish(f.lease("r1"), session.Declined)
	if known, err = f.Thread(f.ctx, tenant, place); err != nil || known.Known {
		f.Errorf("after it was declined: %+v, %v", known, err)
	}

	in = f.question("and this?")
	in.Ambient = true
	f.accept(in)
	f.finish(f.lease("r1"), session.Answered)
	if known, err = f.Thread(f.ctx, tenant, place); err != nil || !known.Known || known.Pending || !known.Helped {
		f.Errorf("after it was answered: %+v, %v", known, err)
	}
	if ago, err = f.Unasked(f.ctx, tenant, at); err != nil || ago < 0 || ago > time.Minute {
		f.Errorf("the unasked answer was given %s ago, %v", ago, err)
	}
	late := f.question("an unasked question that is edited")
	late.Ambient = true
	edited := f.accept(late)
	f.complete(f.lease("r1"), "an answer")
	f.edit(edited.Message, "now it is asked")
	if again := f.lease("r1"); again.Ambient {
		f.Error("an edited question counts as unasked although its answer can be seen")
	} else {
		f.finish(again, session.Answered)
	}
	f.accept(f.question("@bot"))
	if known, err = f.Thread(f.ctx, tenant, place); err != nil || known.Helped {
		f.Errorf("after the bot was asked: %+v, %v", known, err)
	}
}

func unaskedWaits(f *fixture) {
	in := f.question("does anyone know?")
	in.Ambient, in.After = true, time.Hour
	waiting := f.accept(in)
	f.noLease("r1")
	asked := f.accept(f.question("@bot do you?"))
	if got := f.lease("r1"); got.ID != asked.ID {
		f.Errorf("leased turn %d; who asks does not wait behind who did not", got.Number)
	}
	t, err := f.Turn(f.ctx, tenant, waiting.ID)
	f.must(err)
	if t.Outcome != session.Declined || t.State != session.Done {
		f.Errorf("the unasked turn is %s, %s", t.State, t.Outcome)
	}
}

func verdicts(f *fixture) {
	none, err := f.Verdict(f.ctx, tenant, place, "m1")
	f.must(err)
	f.equal("nothing is known", none, session.Verdict{})
	f.must(f.Judged(f.ctx, tenant, []session.Verdict{
		{Ref: place, Message: "m1", Action: "ignore", Reason: "not_addressed"}, {Ref: place, Message: "m2", Action: "observe", Reason: "idle"},
	}))
	f.must(f.Judged(f.ctx, tenant, []session.Verdict{{Ref: place, Message: "m1", Action: "answer", Reason: "mention"}}))
	got, err := f.Verdict(f.ctx, tenant, thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}, "m1")
	f.must(err)
	if got.At.IsZero() || got.Reason != "mention" || got.Action != "answer" || got.Ref != place {
		f.Errorf("verdict %+v", got)
	}
	f.must(f.Sweep(f.ctx))
	if got, err = f.Verdict(f.ctx, tenant, place, "m2"); err != nil || got.Reason != "idle" {
		f.Errorf("after a sweep: %+v, %v", got, err)
	}
}

func found(f *fixture) {
	channel := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}
	_, err := f.Latest(f.ctx, tenant, channel, "U1")
	f.wantErr(err, session.ErrUnknownTurn)
	first := f.accept(f.question("first"))
	private := f.question("private")
	private.Owner = "U1"
	secret := f.accept(private)
	for name, want := range map[string]session.TurnID{"U1": secret.ID, "U2": first.ID} {
		got, err := f.Latest(f.ctx, tenant, channel, name)
		f.must(err)
		f.equal("latest for "+name, got.ID, want)
	}
	_, err = f.Latest(f.ctx, tenant, thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "999"}, "U1")
	f.wantErr(err, session.ErrUnknownTurn)
	got, err := f.TurnOf(f.ctx, tenant, channel, first.Message)
	f.must(err)
	f.equal("turn of its question", got.ID, first.ID)
	_, err = f.TurnOf(f.ctx, tenant, channel, "nothing")
	f.wantErr(err, session.ErrUnknownTurn)
	_, err = f.Turn(f.ctx, tenant, "no id")
	f.wantErr(err, session.ErrUnknownTurn)
	_, err = f.Turn(f.ctx, "other", first.ID)
	f.wantErr(err, session.ErrUnknownTurn)
	n, err := f.Waiting(f.ctx, tenant, session.PlaceOf(place))
	f.must(err)
	f.equal("waiting, what is private aside", n, 1)
	other := f.question("another person's")
	other.Asker.ID = "U9"
	f.accept(other)
	deleted := f.question("deleted")
	f.accept(deleted)
	_, err = f.Withdraw(f.ctx, tenant, deleted.Ref, deleted.Message, session.SentenceWithdrawn)
	f.must(err)
	for most, want := range map[int][]session.TurnID{5: {secret.ID, first.ID}, 1: {secret.ID}} {
		asked, err := f.AskedBy(f.ctx, tenant, channel, "U1", most)
		f.must(err)
		var ids []session.TurnID
		for _, t := range asked {
			ids = append(ids, t.ID)
		}
		if !slices.Equal(ids, want) {
			f.Errorf("the person's questions are %v, want %v", ids, want)
		}
	}
	elsewhere := channel
	elsewhere.Workspace = "T2"
	if asked, err := f.AskedBy(f.ctx, tenant, elsewhere, "U1", 5); err != nil || len(asked) > 0 {
		f.Errorf("in another workspace the person asked %v, %v", asked, err)
	}
}

func stopChannel(f *fixture) {
	other := f.question("elsewhere")
	other.Ref.Thread = "200.2"
	mine, elsewhere := f.accept(f.question("mine")), f.accept(other)
	theirs := f.question("theirs")
	theirs.Asker.ID, theirs.Ref.Thread = "U3", "300.3"
	f.accept(theirs)
	result, err := f.Request(f.ctx, session.StopRequest{
		Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}, By: session.Stopper{ID: "U1"},
	})
	f.must(err)
	f.equal("stopped", result, session.StopResult{Turns: []session.TurnID{mine.ID, elsewhere.ID}})
}

func accounts(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	want := []retrieve.Account{{
		Trace:    retrieve.Trace{Queries: []string{"q\x00", "r"}, Alpha: 0.25, Embedder: "e", Allowed: 7},
		Evidence: true,
		Found: []retrieve.Found{{Document: "d1", Title: "One", Chunk: 3, Ordinal: 1,
			Scores: retrieve.Scores{Score: 0.5, Flat: 3.25, KeywordPos: 1, VectorPos: 2, Coverage: 0.75}}},
	}}
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{{
		Model: "m", Searches: want, Messages: []message.Message{{Role: message.Assistant, Text: "a"}}, Ending: session.Ending{Outcome: session.Answered},
	}}}))
	saved, err := f.Saved(f.ctx, t)
	f.must(err)
	got := saved.Runs[0].Searches
	if len(got) != 1 || len(got[0].Queries) != 2 || got[0].Found[0] != want[0].Found[0] || got[0].Alpha != 0.25 || !got[0].Evidence {
		f.Errorf("searches %+v", got)
	}
}

func forget(f *fixture) {
	mine := f.question("mine")
	t := f.accept(mine)
	f.complete(f.lease("r1"), "an answer")
	alone := f.question("alone")
	alone.Ref.Thread = "200.2"
	f.accept(alone)
	theirs := f.question("theirs")
	theirs.Asker.ID = "U2"
	kept := f.accept(theirs)
	running := f.lease("r1")

	gone, err := f.Forget(f.ctx, tenant, "slack", "U1")
	f.must(err)
	f.equal("forgotten", gone, session.Forgotten{Turns: 2, Sessions: 1, Running: []session.TurnID{running.ID}})
	_, err = f.Turn(f.ctx, tenant, t.ID)
	f.wantErr(err, session.ErrUnknownTurn)
	_, err = f.TurnOf(f.ctx, tenant, place, "page")
	f.wantErr(err, session.ErrUnknownTurn)
	f.wantErr(f.Finish(f.ctx, running.Fence(), session.Saved{Outcome: session.Answered}), session.ErrUnknownTurn)
	if left := f.lease("r1"); left.ID != kept.ID {
		f.Errorf("leased %+v", left)
	}
	again, err := f.Accept(f.ctx, mine) // a late delivery of the event
	f.must(err)
	if !again.Duplicate {
		f.Error("what was forgotten was taken in again")
	}
	known, err := f.Thread(f.ctx, tenant, place)
	f.must(err)
	f.equal("people left in the thread", known.People, 1)
	gone, err = f.Forget(f.ctx, tenant, "slack", "U1")
	f.must(err)
	f.equal("forgotten twice", gone, session.Forgotten{})
}
