package sessiontest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func completed(f *fixture) {
	in := f.question("what is in it?")
	in.Asker.Name, in.Starter = "", ""
	in.Audience = access.NewAudience(tenant)
	in.Pending = &session.Pending{Ask: json.RawMessage(`{"files": ["f1"]}`)}
	f.accept(in)
	first := f.lease("r1")
	if first.Pending == nil || len(first.Pending.Ask) == 0 || first.Pending.Unsettled {
		f.Fatalf("what is pending came back as %+v", first.Pending)
	}
	f.expire("r1") // the replica dies before it sends the request
	second := f.lease("r2")
	if second.Pending == nil {
		f.Fatal("the next attempt does not know what is pending")
	}
	with := session.Completion{
		Name: "Ada", Starter: "U7", Audience: access.NewAudience(tenant, access.Members).With(access.SourceAll("wiki")),
		Files: []message.File{{ID: "f1", Name: "a.md", Media: "text/markdown", Text: "# A", Tokens: 3}},
	}
	f.wantErr(f.Complete(f.ctx, first.Fence(), with), session.ErrFenced)
	for range 2 { // the second call is a retry after an unknown result
		f.must(f.Complete(f.ctx, second.Fence(), with))
	}
	f.expire("r2")
	third := f.lease("r3")
	if third.Pending != nil || third.Asker.Name != "Ada" || third.Question.Author != "Ada" || third.Audience.Key() != with.Audience.Platform().Key() {
		f.Errorf("the completed turn is %+v", third)
	}
	f.equal("files", third.Question.Files, with.Files)
	if got := f.known().Starter; got != "U7" {
		f.Errorf("the thread was begun by %q", got)
	}
	f.finish(third, session.Answered)
	f.wantErr(f.Complete(f.ctx, third.Fence(), with), session.ErrFinished)
}

func settledOnce(f *fixture) {
	quotas := []session.Quota{{Counter: "settled", Limit: 2, Window: 24 * time.Hour}}
	var until []time.Time
	for i := range 3 {
		in := f.question(fmt.Sprint("question ", i))
		in.Ref.Thread = fmt.Sprint("t", i)
		in.Pending = &session.Pending{Unsettled: true, Ask: json.RawMessage(`{}`)}
		f.accept(in)
		t := f.lease("r1")
		if t.Pending == nil || !t.Pending.Unsettled {
			f.Fatalf("what is pending came back as %+v", t.Pending)
		}
		for range 2 {
			at, err := f.Settle(f.ctx, t.Fence(), quotas)
			f.must(err)
			until = append(until, at)
		}
		f.must(f.Release(f.ctx, t.Fence(), 0))
		again := f.lease("r1")
		if again.Pending == nil || again.Pending.Unsettled || again.LimitedUntil.IsZero() != (i < 2) {
			f.Errorf("question %d is pending as %+v, and limited until %s", i, again.Pending, again.LimitedUntil)
		}
		f.finish(again, session.Answered)
	}
	for i, at := range until {
		if at.IsZero() != (i < 4) {
			f.Errorf("call %d was told to wait until %s", i, at)
		}
	}
}

func pendingWithdrawn(f *fixture) {
	in := f.question("what is in it?")
	in.Pending = &session.Pending{Ask: json.RawMessage(`{}`)}
	f.accept(in)
	t := f.lease("r1")
	_, err := f.Withdraw(f.ctx, tenant, in.Ref, in.Message, "It was deleted.")
	f.must(err)
	f.wantErr(f.Complete(f.ctx, t.Fence(), session.Completion{Audience: in.Audience}), session.ErrWithdrawn)
}

func transcriptsDropped(f *fixture) {
	ask := func(id thread.MessageID, files ...message.File) session.Intake {
		in := f.question("what now?")
		in.Message, in.CaughtUp, in.Files = id, id, files
		f.accept(in)
		f.finish(f.lease("r1"), session.Answered)
		return in
	}
	attached := message.File{ID: "F1", Name: "notes.txt", Media: "text/plain", Text: "attached"}
	read := message.File{ID: session.TranscriptID, Name: "Earlier", Media: "text/plain", Text: "Ann: the code is 4711"}
	in := ask("100", read)
	ask("200", attached, read)
	last := f.question("anything else?")
	last.Message, last.CaughtUp = "300", "300"
	asked := f.accept(last)
	want := func(what string, caughtUp thread.MessageID, files ...message.FileID) {
		f.Helper()
		var got []message.FileID
		past, err := f.Load(f.ctx, asked, 50)
		f.must(err)
		for _, m := range past {
			for _, file := range m.Files {
				got = append(got, file.ID)
			}
		}
		if !slices.Equal(got, files) || f.known().CaughtUp != caughtUp {
			f.Errorf("%s: the history has the files %q, and the thread is read up to %q", what, got, f.known().CaughtUp)
		}
	}
	drop := func(at thread.Ref, id thread.MessageID) {
		f.must(f.DropTranscripts(f.ctx, tenant, at, id))
	}
	elsewhere, apart := in.Ref, in.Ref
	elsewhere.Channel, apart.Thread = "elsewhere", "apart"
	drop(elsewhere, "50")
	drop(apart, "50")
	drop(in.Ref, "250")
	f.must(f.DropTranscripts(f.ctx, "other", in.Ref, "50"))
	want("after other messages", last.Message, read.ID, attached.ID, read.ID)
	drop(in.Ref, "150")
	want("after a message between the questions", session.Unread, read.ID, attached.ID)
	whole := in.Ref
	whole.Thread = ""
	drop(whole, "50")
	want("after a message before them", session.Unread, attached.ID)
	drop(in.Ref, "50")
	want("again", session.Unread, attached.ID)

	running := f.lease("r1")
	_, err := f.Edit(f.ctx, session.Edit{Tenant: tenant, Ref: in.Ref, Message: last.Message, Text: "what else?", Files: []message.File{attached, read}})
	f.must(err)
	drop(in.Ref, "50")
	f.wantErr(f.Finish(f.ctx, running.Fence(), session.Saved{Outcome: session.Answered}), session.ErrEdited)
	if files := f.lease("r1").Question.Files; len(files) != 1 || files[0].ID != attached.ID {
		f.Errorf("the edited question has the files %+v", files)
	}
}

func caughtUp(f *fixture) {
	in := f.question("first")
	in.CaughtUp = in.Message
	f.accept(in)
	second := f.question("second")
	second.Pending = &session.Pending{Ask: json.RawMessage(`{}`)}
	f.accept(second)
	want := func(want thread.MessageID) {
		if got := f.known().CaughtUp; got != want {
			f.Errorf("the thread was read up to %q, want %q", got, want)
		}
	}
	want(in.Message)
	f.finish(f.lease("r1"), session.Answered)
	t := f.lease("r1")
	f.must(f.Complete(f.ctx, t.Fence(), session.Completion{Audience: second.Audience, CaughtUp: second.Message}))
	want(second.Message)
	f.finish(t, session.Answered)
	for _, read := range []thread.MessageID{session.Unread, in.Message} { // it never moves back
		third := f.question("third")
		third.Pending = &session.Pending{Ask: json.RawMessage(`{}`)}
		f.accept(third)
		t := f.lease("r1")
		f.must(f.Complete(f.ctx, t.Fence(), session.Completion{Audience: third.Audience, CaughtUp: read}))
		want(second.Message)
		f.finish(t, session.Answered)
	}
}
