package sessiontest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (f *fixture) trail(q session.AuditQuery) []session.Entry {
	f.Helper()
	if q.Tenant == "" {
		q.Tenant = tenant
	}
	var all []session.Entry
	for e, err := range f.Trail(f.ctx, q) {
		f.must(err)
		if len(all) > 0 && e.Sequence == all[len(all)-1].Sequence {
			f.Errorf("entry %d comes twice", e.Sequence)
		}
		all = append(all, e)
	}
	return all
}

func (f *fixture) deeds() []session.Deed {
	f.Helper()
	var all []session.Deed
	for _, e := range f.trail(session.AuditQuery{}) {
		all = append(all, e.Deed)
	}
	return all
}

func (f *fixture) ends(id session.TurnID) []session.Outcome {
	f.Helper()
	var all []session.Outcome
	for _, e := range f.trail(session.AuditQuery{}) {
		if e.Deed == session.TurnEnded && e.Turn == id {
			all = append(all, e.Outcome)
		}
	}
	return all
}

func auditTurns(f *fixture) {
	f.accept(f.question("what was asked"))
	t := f.lease("r1")
	cited := document.Ref{ID: "d1", Source: "wiki", URL: "https://example.org/1", Title: "One"}
	read := document.Ref{ID: "d2", Source: "wiki", Title: "Two"}
	saved := session.Saved{Outcome: session.Answered, Runs: []session.Run{{
		Model: "m1", Usage: llm.Usage{Input: 100, Output: 7}, Ending: session.Ending{Outcome: session.Answered, Closest: []document.Ref{{ID: "d4"}}},
		Searches: []retrieve.Account{{Trace: retrieve.Trace{Queries: []string{"a query"}}, Found: []retrieve.Found{{Document: "d2"}, {Document: "d3"}}}},
		Messages: []message.Message{{Role: message.Assistant, Text: "what was answered",
			Citations: []message.Citation{{Number: 1, ModelSees: 4, Document: cited}}, Documents: []message.Reference{{Number: 4, Document: cited}, {Number: 5, Document: read}}}},
	}}}
	f.must(f.Finish(f.ctx, t.Fence(), saved))
	f.wantErr(f.Finish(f.ctx, t.Fence(), saved), session.ErrFinished)
	f.expire("r1")
	again := f.lease("r2") // a take-over does not end a turn again
	f.must(f.Delivered(f.ctx, again.Fence(), ""))
	entries := f.trail(session.AuditQuery{})
	if len(entries) != 1 {
		f.Fatalf("there are %d entries: %+v", len(entries), entries)
	}
	e := entries[0]
	if e.At.IsZero() || e.Sequence == 0 || e.Alias == "" || e.Took < 0 || e.Took > time.Minute {
		f.Errorf("the entry is %+v", e)
	}
	e.At, e.Sequence, e.Alias, e.Took, e.Details = time.Time{}, 0, "", 0, nil
	f.equal("the entry", e, session.Entry{
		Deed: session.TurnEnded, Who: session.Actor{Platform: "slack", ID: "U1"}, Ref: place, Turn: t.ID, Outcome: session.Answered,
		Models: []session.ModelUse{{Model: "m1", Outcome: session.Answered, Input: 100, Output: 7}},
		Documents: []session.Shown{
			{Document: "d1", Source: "wiki", URL: "https://example.org/1", As: session.Cited}, {Document: "d2", Source: "wiki", As: session.Read},
			{Document: "d3", As: session.Read}, {Document: "d4", As: session.Listed},
		},
	})
}

func auditUnrun(f *fixture) {
	waits := f.question("not addressed to the bot")
	waits.Ambient, waits.After = true, time.Hour
	overtaken := f.accept(waits)
	withdrawn := f.accept(f.question("deleted before it was begun"))
	removed := f.accept(f.question("removed before it was begun"))
	f.withdraw(withdrawn.Message)
	_, err := f.Remove(f.ctx, tenant, removed.ID, "k", session.Removal{By: mod})
	f.must(err)
	for id, want := range map[session.TurnID]session.Outcome{
		overtaken.ID: session.Declined, withdrawn.ID: session.Superseded, removed.ID: session.Stopped,
	} {
		f.equal("ends", f.ends(id), []session.Outcome{want})
	}
}

func auditEdited(f *fixture) {
	first := f.accept(f.question("first"))
	f.complete(f.lease("r1"), "old answer")
	f.edit(first.Message, "second")
	f.complete(f.lease("r1"), "new answer")
	f.equal("a turn whose question was edited after its answer", f.ends(first.ID), []session.Outcome{session.Answered, session.Answered})

	running := f.accept(f.question("third"))
	t := f.lease("r1")
	f.edit(running.Message, "fourth")
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Stopped, Runs: []session.Run{answer("half")}}), session.ErrEdited)
	entries := f.trail(session.AuditQuery{})
	last := entries[len(entries)-1]
	if len(entries) != 3 || last.Turn == running.ID || last.Outcome != session.Superseded || len(last.Models) != 1 {
		f.Errorf("the attempt that an edit ended is %+v", last)
	}
	f.finish(f.lease("r1"), session.Answered)
	f.equal("a turn whose question was edited while it ran", f.ends(running.ID), []session.Outcome{session.Answered})
}

func auditChanges(f *fixture) {
	at := session.PlaceOf(place)
	want := []session.Deed{}
	expect := func(deeds ...session.Deed) {
		f.Helper()
		want = append(want, deeds...)
		f.equal("deeds", f.deeds(), want)
	}
	set := func(at session.Place, key, value string) {
		f.Helper()
		f.must(f.ChangeSettings(f.ctx, tenant, at, session.Actor{Platform: "slack", ID: "U8"}, session.SettingChange{Key: key, Value: value}))
	}
	set(at, "follow", "always")
	set(at, "follow", "mention")
	entries := f.trail(session.AuditQuery{})
	last := entries[len(entries)-1]
	f.equal("details", last.Details, map[string]string{"key": "follow", "value": "mention", "before": "always"})
	f.equal("who and where", []any{last.Who, last.Ref}, []any{session.Actor{Platform: "slack", ID: "U8"}, thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}})
	for range 2 { // the second changes nothing
		set(at, "follow", "")
	}
	expect(session.SettingSet, session.SettingSet, session.SettingReset)
	_, err := f.SetPrompt(f.ctx, tenant, "secret words", "root")
	f.must(err)
	_, err = f.SetPrompt(f.ctx, tenant, "", "root")
	f.must(err)
	expect(session.PromptSet, session.PromptReset)

	t := f.answered(f.question("q"), "A")
	for range 2 { // a repeated press
		f.must(f.Correct(f.ctx, tenant, t.ID, "c", session.Correction{Text: "secret words", By: mod}))
	}
	f.must(f.Delivered(f.ctx, f.lease("r1").Fence(), ""))
	expect(session.TurnEnded, session.AnswerCorrected)
	private := f.derive(t.ID, session.Privately, func(d *session.Derive) { d.By = "U1" }).Turn
	f.derive(t.ID, session.Privately, func(d *session.Derive) { d.By = "U1" })
	f.answerNext("B")
	expect(session.AnswerPrivate, session.TurnEnded)
	f.must(f.Keep(f.ctx, tenant, private.ID, "keep", false))
	shared := f.derive(private.ID, session.Shared, func(d *session.Derive) {
		d.By, d.Saved = "U1", session.Saved{Outcome: session.Answered, Runs: []session.Run{answer("B")}}
	}).Turn
	expect(session.AnswerKept, session.TurnEnded, session.AnswerShared)
	f.must(f.Delivered(f.ctx, f.lease("r1").Fence(), ""))
	for range 2 {
		_, err = f.Remove(f.ctx, tenant, shared.ID, "gone", session.Removal{By: mod, Reason: "secret words"})
		f.must(err)
	}
	expect(session.AnswerRemoved)
	entries = f.trail(session.AuditQuery{})
	removal := entries[len(entries)-1]
	if removal.Who.ID != "U8" || removal.Turn != shared.ID || removal.Ref != place || removal.Private {
		f.Errorf("the removal is %+v", removal)
	}
	for _, e := range entries {
		if slices.Contains([]session.Deed{session.AnswerKept, session.AnswerPrivate}, e.Deed) && e.Who.ID != "U1" {
			f.Errorf("%s was done by %+v", e.Deed, e.Who)
		}
		if text := fmt.Sprintf("%+v", e); containsAny(text, "secret words", "always be", "A is", "Ada", "Mo ") {
			f.Errorf("the trail holds words: %s", text)
		}
	}
}

func auditDirect(f *fixture) {
	in := f.question("q")
	in.Direct, in.Ref.Channel, in.Ref.Thread = true, "D1", "5.5"
	f.answered(in, "A")
	in = f.question("q")
	in.Owner = "U1"
	f.answered(in, "A")
	entries := f.trail(session.AuditQuery{})
	if len(entries) != 2 {
		f.Fatalf("the trail is %+v", entries)
	}
	if e := entries[0]; !e.Direct || e.Private || e.Ref.Channel != "D1" || e.Ref.Thread != "5.5" || e.Who.ID != "U1" {
		f.Errorf("the direct message is %+v", e)
	}
	if e := entries[1]; e.Direct || !e.Private || e.Ref != place || e.Alias == entries[0].Alias {
		f.Errorf("the private question is %+v", e)
	}
	_, err := f.Forget(f.ctx, tenant, "slack", "U1")
	f.must(err)
	for _, e := range f.trail(session.AuditQuery{}) {
		if e.Who.ID != "" || e.Direct && (e.Ref.Channel != "" || e.Ref.Thread != "") {
			f.Errorf("of who was forgotten the trail says %+v", e)
		}
	}
}

func auditNameless(f *fixture) {
	f.must(f.ChangeSettings(f.ctx, tenant, session.PlaceOf(place), session.Actor{Platform: "slack", ID: "U8"}, session.SettingChange{Key: "askers", Value: "group:ops, user:slack:U7,public"}))
	f.equal("value", f.trail(session.AuditQuery{})[0].Details["value"], "group:ops, user:slack:*,public")
}

func auditQueries(f *fixture) {
	for i := range 3 {
		in := f.question("q")
		in.Asker.ID = fmt.Sprint("U", i)
		f.answered(in, "A")
	}
	all := f.trail(session.AuditQuery{})
	middle := all[1]
	for name, c := range map[string]struct {
		q    session.AuditQuery
		want int
	}{
		"all": {session.AuditQuery{}, 3}, "of another tenant": {session.AuditQuery{Tenant: access.TenantID("other")}, 0},
		"by the person": {session.AuditQuery{Who: "U1"}, 1}, "by the alias": {session.AuditQuery{Who: middle.Alias}, 1},
		"of an unknown person": {session.AuditQuery{Who: "U9"}, 0}, "since": {session.AuditQuery{Since: middle.At}, 2}, "until": {session.AuditQuery{Until: middle.At}, 1},
		"between": {session.AuditQuery{Since: middle.At, Until: all[2].At}, 1}, "later": {session.AuditQuery{Since: time.Now().Add(time.Hour)}, 0},
	} {
		if got := f.trail(c.q); len(got) != c.want {
			f.Errorf("%s: %d entries, want %d", name, len(got), c.want)
		}
	}
	for _, err := range f.Trail(f.ctx, session.AuditQuery{Tenant: tenant}) { // it may stop early
		f.must(err)
		break
	}
}

func auditForgotten(f *fixture) {
	f.answered(f.question("q"), "A")
	before := f.trail(session.AuditQuery{})[0]
	_, err := f.Forget(f.ctx, tenant, "slack", "U1")
	f.must(err)
	entries := f.trail(session.AuditQuery{})
	if len(entries) != 2 || entries[1].Deed != session.PersonForgotten || entries[1].Details["turns"] != "1" {
		f.Fatalf("the trail is %+v", entries)
	}
	for _, e := range entries {
		if e.Who != (session.Actor{}) || e.Alias != before.Alias {
			f.Errorf("%s was done by %+v, %q", e.Deed, e.Who, e.Alias)
		}
	}
	if got := f.trail(session.AuditQuery{Who: "U1"}); len(got) != 0 {
		f.Errorf("by the id of who was forgotten there is %+v", got)
	}
	entries[0].Who = before.Who
	f.equal("nothing else of the entry has changed", entries[0], before)
}

func forgetChanges(f *fixture) {
	t := f.answered(f.question("q"), "A")
	other := f.answered(f.question("q2"), "B")
	f.must(f.ChangeSettings(f.ctx, tenant, session.PlaceOf(place), session.Actor{Platform: "slack", ID: mod.ID}, session.SettingChange{Key: "follow", Value: "always"}))
	f.must(f.ChangeSettings(f.ctx, tenant, session.Place{Platform: "discord", Workspace: "G1"}, session.Actor{Platform: "slack", ID: mod.ID}, session.SettingChange{Key: "follow", Value: "always"}))
	f.must(f.Correct(f.ctx, tenant, t.ID, "c", session.Correction{Text: "better", By: mod}))
	_, err := f.Remove(f.ctx, tenant, other.ID, "r", session.Removal{By: mod, Reason: "because"})
	f.must(err)
	_, err = f.Forget(f.ctx, tenant, "slack", mod.ID)
	f.must(err)
	settings, err := f.AllSettings(f.ctx, tenant)
	f.must(err)
	if len(settings) != 2 || settings[0].Value+settings[1].Value != "alwaysalways" || settings[0].By+settings[1].By != "" {
		f.Errorf("the settings are %+v", settings)
	}
	if r := f.find(session.Target{Turn: t.ID}); r.Correction == nil || r.Correction.Text != "better" || r.Correction.By != (thread.Person{}) {
		f.Errorf("the correction is %+v", r.Correction)
	}
	if r := f.find(session.Target{Turn: other.ID}); r.Removed == nil || r.Removed.By != (thread.Person{}) || r.Removed.Reason != "" {
		f.Errorf("the removal is %+v", r.Removed)
	}
}

func auditStopped(f *fixture) {
	stop := func(id thread.MessageID, by session.Stopper) {
		f.Helper()
		_, err := f.Request(f.ctx, session.StopRequest{Tenant: tenant, Ref: place, Message: id, By: by})
		f.must(err)
	}
	waits := f.accept(f.question("q"))
	stop(waits.Message, stranger) // the person may not stop the turn
	for range 2 {
		stop(waits.Message, starter)
	}
	stop("m2", asker) // before the question arrives
	early := f.accept(f.question("q"))
	runs := f.accept(f.question("q"))
	f.finish(f.lease("r1"), session.Stopped)
	f.finish(f.lease("r1"), session.Stopped)
	t := f.lease("r1")
	stop("p1", session.Stopper{Privileged: true}) // a page of the turn, before it is recorded
	f.must(f.Intend(f.ctx, t.Fence(), firstPage, place))
	f.must(f.Posted(f.ctx, t.Fence(), firstPage, "p1", "h"))
	f.finish(t, session.Stopped)
	stop(runs.Message, asker) // too late
	got := []string{}
	for _, e := range f.trail(session.AuditQuery{}) {
		if e.Deed == session.TurnStopped {
			got = append(got, fmt.Sprint(e.Turn, " by ", e.Who.ID))
			f.equal("where", e.Ref, place)
		}
	}
	f.equal("stops", got, []string{fmt.Sprint(waits.ID, " by U2"), fmt.Sprint(early.ID, " by U1"), fmt.Sprint(t.ID, " by ")})
}

func auditFollowed(f *fixture) {
	f.must(f.Unfollow(f.ctx, tenant, place, "U1")) // the thread is not known yet
	f.accept(f.question("q"))
	direct := f.question("q")
	direct.Direct, direct.Ref.Channel, direct.Ref.Thread = true, "D1", "5.5"
	f.accept(direct)
	for range 2 {
		f.must(f.Unfollow(f.ctx, tenant, place, "U1"))
	}
	f.must(f.Unfollow(f.ctx, tenant, direct.Ref, "U1"))
	for range 2 {
		f.must(f.Follow(f.ctx, tenant, place, "U8"))
	}
	entries := f.trail(session.AuditQuery{})
	f.equal("deeds", f.deeds(), []session.Deed{session.ThreadUnfollowed, session.ThreadUnfollowed, session.ThreadFollowed})
	f.equal("who", []string{entries[0].Who.ID, entries[1].Who.ID, entries[2].Who.ID}, []string{"U1", "U1", "U8"})
	f.equal("where", []thread.Ref{entries[0].Ref, entries[1].Ref}, []thread.Ref{place, direct.Ref})
	if entries[0].Direct || !entries[1].Direct || entries[0].Alias == entries[1].Alias {
		f.Errorf("the direct message is %+v", entries[1])
	}
}

func auditRefused(f *fixture) {
	r := session.Refusal{Tenant: tenant, Ref: place, Key: "message C1 m1", Person: "U1", Reason: "paused"}
	var racing sync.WaitGroup
	for range 4 {
		racing.Go(func() {
			if err := f.Refused(f.ctx, r); err != nil {
				f.Error(err)
			}
		})
	}
	racing.Wait()
	r.Key, r.Direct, r.Reason = "", true, "too_long"
	r.Ref.Channel, r.Ref.Thread = "D1", "5.5"
	for range 2 { // refusals without a Key count as different
		f.must(f.Refused(f.ctx, r))
	}
	entries := f.trail(session.AuditQuery{Who: "U1"})
	if len(entries) != 3 {
		f.Fatalf("the trail is %+v", entries)
	}
	got := entries[0]
	got.At, got.Sequence, got.Alias, got.Models, got.Documents = time.Time{}, 0, "", nil, nil
	f.equal("the entry", got, session.Entry{
		Deed: session.QuestionRefused, Who: session.Actor{Platform: "slack", ID: "U1"}, Ref: place, Details: map[string]string{"reason": "paused"},
	})
	f.equal("the direct message", entries[1].Ref, r.Ref)
	_, err := f.Forget(f.ctx, tenant, "slack", "U1")
	f.must(err)
	for _, e := range f.trail(session.AuditQuery{}) {
		if e.Who.ID != "" || e.Direct && (e.Ref.Channel != "" || e.Ref.Thread != "") {
			f.Errorf("of who was forgotten the trail says %+v", e)
		}
	}
}
