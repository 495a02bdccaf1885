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
	ask := func(id, in thread.MessageID, files ...message.File) session.Intake {
		asked := f.question("what now?")
		asked.Message, asked.CaughtUp, asked.Files, asked.Ref.Thread = id, id, files, string(in)
		f.accept(asked)
		f.finish(f.lease("r1"), session.Answered)
		return asked
	}
	attached := message.File{ID: "F1", Name: "notes.txt", Media: "text/plain", Text: "attached"}
	read := func(said ...string) message.File {
		return message.File{ID: session.TranscriptID, Name: "Earlier", Media: "text/plain", Text: "Ann: the code is 4711", Said: said}
	}
	const id, apart = thread.MessageID("150"), thread.MessageID("90")
	in := ask("200", "100", attached, read("100", string(id)))
	ask("250", "100", read("210"))
	ask("220", apart, read(string(apart)))
	want := func(what string, root, caughtUp thread.MessageID, files ...message.FileID) session.Turn {
		f.Helper()
		last := f.question("anything else?")
		last.Ref.Thread = string(root)
		asked := f.accept(last)
		past, err := f.Load(f.ctx, asked, 50)
		f.must(err)
		var got []message.FileID
		for _, m := range past {
			for _, file := range m.Files {
				got = append(got, file.ID)
			}
		}
		known, err := f.Thread(f.ctx, tenant, last.Ref)
		f.must(err)
		if !slices.Equal(got, files) || known.CaughtUp != caughtUp {
			f.Errorf("%s: the history has the files %q, and the thread is read up to %q", what, got, known.CaughtUp)
		}
		return f.lease("r1")
	}
	drop := func(at thread.Ref, id thread.MessageID) {
		f.Helper()
		f.must(f.DropTranscripts(f.ctx, tenant, at, id))
	}
	elsewhere, anywhere := in.Ref, in.Ref
	elsewhere.Channel, anywhere.Channel, anywhere.Thread = "elsewhere", "", ""
	drop(elsewhere, id)
	drop(in.Ref, "1")
	f.must(f.DropTranscripts(f.ctx, "other", in.Ref, id))
	f.finish(want("after other messages", "100", "250", attached.ID, session.TranscriptID, session.TranscriptID), session.Answered)
	drop(anywhere, id)
	drop(anywhere, id)
	f.finish(want("after a message of the first transcript", "100", session.Stale, attached.ID), session.Answered)
	running := want("in another thread", apart, "220", session.TranscriptID)

	_, err := f.Edit(f.ctx, session.Edit{
		Tenant: tenant, Ref: running.Session.Ref, Message: running.Message, Text: "what else?", Files: []message.File{attached, read(string(apart))},
	})
	f.must(err)
	drop(running.Session.Ref, apart)
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
