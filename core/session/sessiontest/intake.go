package sessiontest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func dedupe(f *fixture) {
	in := f.question("first")
	first := f.accept(in)
	again, err := f.Accept(f.ctx, in)
	f.must(err)
	if !again.Duplicate || again.Turn.ID != first.ID {
		f.Errorf("a redelivered event became %v, duplicate %v; want turn %v again", again.Turn.ID, again.Duplicate, first.ID)
	}
	f.lease("r1")
	f.noLease("r1")
	other := in
	other.Ref.Workspace, other.Message = "T2", ""
	f.accept(other) // the same key in another workspace is another event
}

func twins(f *fixture) {
	mention := f.question("hello")
	first := f.accept(mention)
	twin := mention
	twin.EventKey = "another"
	for range 2 { // the twin, and the twin redelivered
		got, err := f.Accept(f.ctx, twin)
		f.must(err)
		if !got.Duplicate || got.Turn.ID != first.ID || got.Turn.Question.Text != "hello" {
			f.Errorf("the twin became turn %v, duplicate %v; want %v", got.Turn.ID, got.Duplicate, first.ID)
		}
	}
}

func racingTwins(f *fixture) {
	in := f.question("hello")
	var wg sync.WaitGroup
	ids := make([]session.TurnID, 8)
	fresh := make([]bool, 8)
	for i := range ids {
		wg.Go(func() {
			mine := in
			mine.EventKey = fmt.Sprint("twin", i/2) // each event arrives twice
			got, err := f.Accept(f.ctx, mine)
			if err != nil {
				f.Error(err)
			}
			ids[i], fresh[i] = got.Turn.ID, !got.Duplicate
		})
	}
	wg.Wait()
	if n := len(slices.Compact(slices.Sorted(slices.Values(ids)))); n != 1 {
		f.Errorf("one message became %d turns", n)
	}
	if n := len(slices.DeleteFunc(fresh, func(b bool) bool { return !b })); n != 1 {
		f.Errorf("%d intakes were told that they were the first", n)
	}
}

func invalid(f *fixture) {
	for name, spoil := range map[string]func(*session.Intake){
		"tenant":       func(in *session.Intake) { in.Tenant = "" },
		"event key":    func(in *session.Intake) { in.EventKey = "" },
		"channel":      func(in *session.Intake) { in.Ref.Channel = "" },
		"asker":        func(in *session.Intake) { in.Asker.ID = "" },
		"other tenant": func(in *session.Intake) { in.Audience = access.NewAudience("other") },
	} {
		in := f.question(name)
		spoil(&in)
		if _, err := f.Accept(f.ctx, in); err == nil {
			f.Errorf("without its %s an intake is accepted", name)
		} else {
			f.wantErr(err, session.ErrInvalid)
		}
	}
}

func intakeRoundTrip(f *fixture) {
	in := f.question("what is in there?")
	in.Owner, in.Direct, in.Tokens = "U1", true, 7
	in.Files = []message.File{
		{ID: "f1", Name: "a.md", Media: "text/markdown", Text: "# A", Tokens: 3},
		{ID: "f2", Name: "b.png", Media: "image/png", Image: []byte{0, 1, 2}, Tokens: 85},
		{ID: "f3", Name: "c.zip", Media: "application/zip", Failed: "This kind of file cannot be read."},
	}
	// the grant from the source is not stored
	in.Audience = access.NewAudience(tenant, access.Members, access.User("slack", "U1"), "group:eng").With(access.SourceAll("wiki"))
	in.Reply = &session.ReplyToken{Sealed: []byte("sealed"), Expires: time.Unix(4_000_000_000, 0).UTC()}
	accepted := f.accept(in)
	leased := f.lease("r1")
	want := session.Turn{
		ID: accepted.ID, Session: session.Session{ID: accepted.Session.ID, Tenant: tenant, Ref: place, Owner: "U1"}, Number: 1, Attempt: 1,
		Question: message.Message{ID: accepted.Question.ID, Turn: 1, Role: message.User, Author: "Ada", Text: in.Text, Files: in.Files,
			Tokens: 7, At: in.At},
		Asker: in.Asker, Message: in.Message, Direct: true, Intake: accepted.Intake, Reply: in.Reply, State: session.Running,
	}
	if got := leased.Audience.Key(); got != in.Audience.Platform().Key() {
		f.Errorf("the audience came back as %q", got)
	}
	leased.Audience = access.Audience{}
	f.equal("leased turn", leased, want)
	if accepted.Intake.IsZero() || accepted.ID == "" || accepted.Session.ID == "" || accepted.Question.ID == "" {
		f.Errorf("the accepted turn lacks what names it: %+v", accepted)
	}
}

func apart(f *fixture) {
	public := f.question("in the thread")
	private, elsewhere := f.question("next to it"), f.question("in another guild")
	private.Owner = "U1"
	elsewhere.Ref.Workspace = "T2"
	first := f.accept(public)
	seen := map[session.ID]bool{first.Session.ID: true}
	for _, in := range []session.Intake{private, elsewhere} {
		t := f.accept(in)
		if seen[t.Session.ID] || t.Number != 1 {
			f.Errorf("%q became turn %d of session %s, which is another's", in.Text, t.Number, t.Session.ID)
		}
		seen[t.Session.ID] = true
	}
	if again := f.accept(f.question("again")); again.Session.ID != first.Session.ID || again.Number != 2 {
		f.Errorf("the thread's second question became turn %d of session %s", again.Number, again.Session.ID)
	}
}

func hostileText(f *fixture) {
	in := f.question("a\x00b\xffc")
	in.Asker.Name, in.Ref.Thread = "N\x00", "100.9"
	f.accept(in)
	t := f.lease("r1")
	if t.Question.Text == "" {
		f.Error("the text is lost")
	}
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Sentence: "\x00", Runs: []session.Run{{
		Model: "m", Messages: []message.Message{
			{Role: message.ToolCall, Calls: []message.Call{{ID: "c\x00", Name: "n", Arguments: []byte(`{"q":"\u0000`)}}},
			{Role: message.Assistant, Text: "x\x00y\xff", Documents: []message.Reference{{Number: 1, Text: "t\x00"}}},
		}}}}))
	if _, err := f.Saved(f.ctx, t); err != nil {
		f.Error(err)
	}
}

func cancelled(f *fixture) {
	f.accept(f.question("one"))
	ctx, cancel := contextCancelled(f)
	defer cancel()
	if _, err := f.Accept(ctx, f.question("two")); err == nil {
		f.Error("a cancelled intake succeeds")
	}
	if _, err := One(f.Lease(ctx, session.LeaseRequest{Replica: "r1"})); err == nil {
		f.Error("a cancelled lease succeeds")
	}
	if t := f.lease("r1"); t.Number != 1 {
		f.Errorf("leased turn %d", t.Number)
	}
}

func prompts(f *fixture) {
	p, err := f.Prompt(f.ctx, tenant)
	f.must(err)
	if p.Text != "" || p.Version != 0 {
		f.Errorf("an untouched prompt is %+v", p)
	}
	for i, text := range []string{"Be brief.", "Be kind.", ""} {
		set, err := f.SetPrompt(f.ctx, tenant, text, "U1")
		f.must(err)
		got, err := f.Prompt(f.ctx, tenant)
		f.must(err)
		if got.Text != text || got.Version != i+1 || set.Version != got.Version || got.By != "U1" || got.At.IsZero() {
			f.Errorf("after %q the prompt is %+v", text, got)
		}
	}
}

func sweep(f *fixture) {
	_, err := f.Request(f.ctx, session.StopRequest{Tenant: tenant, Ref: place, Message: "later", By: session.Stopper{ID: "U1"}})
	f.must(err)
	f.accept(f.question("one"))
	held := f.lease("r1")
	f.expire("r1")
	f.must(f.Sweep(f.ctx))
	late := f.question("two")
	late.Message = thread.MessageID("later")
	if t := f.accept(late); !t.StopRequested {
		f.Error("sweeping took a tombstone before its time")
	}
	if t := f.lease("r2"); t.ID != held.ID || t.Takeovers != 1 {
		f.Errorf("after sweeping, turn %d was leased with %d take-overs; the expired replica's was due", t.Number, t.Takeovers)
	}
}
