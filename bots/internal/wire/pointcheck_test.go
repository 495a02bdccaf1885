package wire

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/pointcheck"
	"github.com/footnotehq/footnote/core/retrieve"
)

// askable is a connector whose source answers point checks.
type askable struct {
	index.Connector
	says  map[document.ID]index.Permission
	asked int
}

func (a *askable) MayRead(_ context.Context, _ string, points []index.Point) map[index.Point]index.Permission {
	out := make(map[index.Point]index.Permission)
	for _, p := range points {
		a.asked++
		if said := a.says[p.Document]; said != index.CheckFailed {
			out[p] = said
		}
	}
	return out
}

func TestPrivateAnswersShowWhatTheSourceStillAllows(t *testing.T) {
	t.Parallel()
	source := &askable{says: map[document.ID]index.Permission{"open": index.Allowed, "restricted": index.Denied, "never": index.CannotAsk}}
	now, reachable := time.Now(), true
	c := &checks{
		connect: func(context.Context, access.TenantID, document.SourceID) (index.Connector, error) {
			if !reachable {
				return nil, errors.New("unreachable")
			}
			return source, nil
		},
		acls: func(_ context.Context, _ access.TenantID, ids []document.ID) (map[document.ID]access.ACL, error) {
			out := make(map[document.ID]access.ACL)
			for _, id := range ids {
				out[id] = access.ACL{access.Node("wiki", "space:1")}
			}
			return out, nil
		},
		now: func() time.Time { return now }, logger: slog.New(slog.DiscardHandler),
		known: make(map[access.TenantID]map[pointcheck.Question]pointcheck.Answer),
	}
	group := access.NewAudience("t", access.Members).With(access.SourceAll("wiki"))
	private := group.With(access.SourceAll("wiki"), access.SourceGroup("wiki", access.SourcePerson, "ada"))
	show := func(audience access.Audience, unchecked int, want ...document.ID) {
		t.Helper()
		var passages []retrieve.Passage
		for i, id := range []document.ID{"open", "restricted", "never", "failing"} {
			passages = append(passages, retrieve.Passage{ID: document.ChunkID(i), Document: document.Ref{ID: id}})
		}
		got, n, err := c.passages(t.Context(), audience, passages, []document.ChunkID{3, 1})
		if err != nil || len(got) != len(want) || n != unchecked {
			t.Fatalf("%d passages, want %v, %d unchecked, want %d: %v", len(got), want, n, unchecked, err)
		}
		for i, p := range got {
			if p.Document.ID != want[i] {
				t.Errorf("passage %d is of %s, want %s", i, p.Document.ID, want[i])
			}
		}
	}
	show(group, 0, "open", "restricted", "never", "failing")
	if source.asked != 0 {
		t.Error("a point check was made for a group")
	}
	show(private, 1, "open", "never")
	show(private, 1, "open", "never")
	if source.asked != 5 { // what failed is asked again
		t.Errorf("%d questions", source.asked)
	}
	source.says["open"], source.says["restricted"] = index.Denied, index.Allowed
	now = now.Add(pointcheck.FreshFor)
	show(private, 1, "restricted", "never")
	reachable, now = false, now.Add(pointcheck.FreshFor)
	show(private, 3) // one was denied before
}
