package indextest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Suite tests an implementation of [index.Store]. It calls open, which must return an empty store,
// once per test case.
func Suite(t *testing.T, open func(t *testing.T) index.Store) {
	t.Run("lists", func(t *testing.T) { listingSuite(t, open) })
	t.Run("known and removed", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		s.put("acme", s.entry("docs", "docs:a", 1), s.entry("docs", "docs:b", 2))
		s.put("acme", s.entry("wiki", "wiki:a", 3))
		s.put("other", s.entry("docs", "docs:a", 4))
		s.known("acme", "docs", []document.ID{"docs:a", "docs:none"}, map[document.ID]index.Stamp{"docs:a": stamp(1)})
		s.known("acme", "docs", nil, map[document.ID]index.Stamp{"docs:a": stamp(1), "docs:b": stamp(2)})
		s.known("acme", "docs", []document.ID{}, map[document.ID]index.Stamp{})
		s.remove("acme", "wiki", "docs:a")
		s.remove("acme", "docs", "docs:b", "docs:none")
		s.known("acme", "docs", nil, map[document.ID]index.Stamp{"docs:a": stamp(1)})
		s.known("other", "docs", nil, map[document.ID]index.Stamp{"docs:a": stamp(4)})
	})
	t.Run("who holds an address", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		at := func(tenant access.TenantID, source document.SourceID, id document.ID, address string) {
			e := s.entry(source, id, 1)
			e.Document.URL = address
			s.put(tenant, e)
		}
		at("acme", "docs", "docs:a", "https://d.example/a")
		at("acme", "docs", "docs:b", "https://d.example/a")
		at("acme", "wiki", "wiki:c", "https://d.example/c")
		at("other", "docs", "docs:a", "https://d.example/other")
		got, err := s.store.Holders(t.Context(), "acme", []string{"https://d.example/a", "https://d.example/c", "https://d.example/A", "https://d.example/other"})
		for _, ids := range got {
			slices.Sort(ids)
		}
		want := map[string][]document.ID{"https://d.example/a": {"docs:a", "docs:b"}, "https://d.example/c": {"wiki:c"}}
		if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("Holders() = %v, %v, want %v", got, err, want)
		}
	})
	t.Run("vectors of documents", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		with := func(id document.ID, model string, text string, vector ...float32) index.Entry {
			e := s.entry("docs", id, 1)
			e.SearchText, e.Model, e.Vectors = []string{text + e.Chunks[0].Text}, model, [][]float32{vector}
			return e
		}
		s.put("acme", with("docs:a", "one", "A. ", 1, 0), with("docs:b", "one", "B. ", 0, 1))
		s.put("other", with("docs:a", "one", "Other. ", 1, 0))
		got, err := s.store.Vectors(t.Context(), "acme", "one", []document.ID{"docs:a", "docs:none"})
		if want := map[string][]float32{"A. Some text.": {1, 0}}; err != nil || !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("Vectors() = %v, %v, want %v", got, err, want)
		}
		if got, err := s.store.Vectors(t.Context(), "acme", "another", []document.ID{"docs:a"}); err != nil || len(got) != 0 {
			t.Errorf("Vectors() of another model = %v, %v", got, err)
		}
	})
	t.Run("a new version replaces the old one", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		s.put("acme", s.entry("docs", "docs:a", 1))
		s.put("acme", s.entry("docs", "docs:a", 5))
		s.known("acme", "docs", nil, map[document.ID]index.Stamp{"docs:a": stamp(5)})
		empty := s.entry("docs", "docs:a", 6)
		empty.Chunks, empty.SearchText = nil, nil
		s.put("acme", empty)
		s.known("acme", "docs", nil, map[document.ID]index.Stamp{"docs:a": stamp(6)})
	})
	t.Run("who may read changes alone", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		s.put("acme", s.entry("docs", "docs:a", 1), s.entry("docs", "docs:b", 2), s.entry("docs", "docs:c", 3))
		s.put("other", s.entry("docs", "docs:a", 4))
		stored, err := s.store.Known(s.ctx, "acme", "docs", nil)
		if err != nil {
			t.Fatal(err)
		}
		for source, changes := range map[document.SourceID][]index.Access{
			"docs": {
				{ID: "docs:a", ACL: access.ACL{"group:b", "group:a", "group:b"}, Hash: index.Hash{7}}, {ID: "docs:b", Hash: index.Hash{8}},
				{ID: "docs:none", ACL: access.ACL{access.Public}},
			},
			"wiki": {{ID: "docs:c", ACL: access.ACL{access.Public}, Hash: index.Hash{9}}},
		} {
			if err := s.store.SetACL(s.ctx, "acme", source, changes); err != nil {
				t.Fatal(err)
			}
		}
		a, b := stamp(1), stamp(2)
		a.Hash, b.Hash = index.Hash{7}, index.Hash{8}
		s.known("acme", "docs", nil, map[document.ID]index.Stamp{"docs:a": a, "docs:b": b, "docs:c": stamp(3)})
		s.known("other", "docs", nil, map[document.ID]index.Stamp{"docs:a": stamp(4)})
		got, err := s.store.Known(s.ctx, "acme", "docs", nil)
		want := map[document.ID]access.ACL{"docs:a": {"group:a", "group:b"}, "docs:b": nil, "docs:c": {access.Members}}
		if !maps.EqualFunc(got, want, func(s index.Stamp, acl access.ACL) bool { return slices.Equal(s.ACL, acl) }) {
			t.Errorf("Known() = %v, %v, want the access lists %v", got, err, want)
		}
		if !maps.EqualFunc(got, stored, func(now, before index.Stamp) bool { return now.CheckedAt.Equal(before.CheckedAt) }) {
			t.Errorf("documents count as read again: %v, before %v", got, stored)
		}
	})
	t.Run("a newer access list stays", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		at := func(n byte) time.Time { return stamp(n).UpdatedAt }
		readers := func(want access.Principal) {
			t.Helper()
			got, err := s.store.Known(s.ctx, "acme", "docs", nil)
			if acl := got["docs:a"].ACL; err != nil || len(acl) != 1 || acl[0] != want {
				t.Errorf("it is read by %v, %v, want %s", acl, err, want)
			}
		}
		put := func(n, read byte, p access.Principal) {
			t.Helper()
			e := s.entry("docs", "docs:a", n)
			e.Document.ACL, e.ACLReadAt = access.ACL{p}, at(read)
			s.put("acme", e)
		}
		set := func(read byte, p access.Principal) {
			t.Helper()
			if err := s.store.SetACL(s.ctx, "acme", "docs", []index.Access{{ID: "docs:a", ACL: access.ACL{p}, Hash: index.Hash{1}, ReadAt: at(read)}}); err != nil {
				t.Fatal(err)
			}
		}
		put(1, 5, "group:5")
		set(4, "group:4")
		readers("group:5")
		set(5, "group:6") // of the same run
		readers("group:6")
		set(7, "group:7")
		readers("group:7")
		put(2, 6, "group:8")
		readers("group:7")
		if got, err := s.store.Known(s.ctx, "acme", "docs", nil); err != nil || got["docs:a"].Hash != stamp(2).Hash {
			t.Errorf("the older list kept the text out: %v, %v", got, err)
		}
		set(6, "group:9")
		readers("group:7")
		put(3, 7, "group:10")
		readers("group:10")
	})
	t.Run("a zero time stays zero", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		e := s.entry("docs", "docs:a", 1)
		e.UpdatedAt, e.Document.UpdatedAt = time.Time{}, time.Time{}
		s.put("acme", e)
		s.known("acme", "docs", nil, map[document.ID]index.Stamp{"docs:a": {Hash: e.Hash}})
	})
	t.Run("runs", func(t *testing.T) {
		s := suite{t, t.Context(), open(t)}
		run := index.Run{Source: source("docs"), Settings: "one", StartedAt: stamp(1).UpdatedAt}
		s.begins("acme", run, index.Run{})
		run.Checkpoint = index.Checkpoint("half")
		s.save("acme", run)
		s.begins("acme", run, index.Run{Checkpoint: index.Checkpoint("half")}) // as after a crash
		run.Succeeded, run.FinishedAt, run.LastSuccess = true, stamp(9).UpdatedAt, stamp(9).UpdatedAt
		run.Failures = []index.Notice{{Name: "b.md", Sentence: "It cannot be read."}}
		s.save("acme", run)
		last := index.Run{Settings: "one", Checkpoint: index.Checkpoint("half"), LastSuccess: stamp(9).UpdatedAt}
		s.begins("acme", run, last)
		s.save("acme", index.Run{Source: source("docs"), Settings: "two", Checkpoint: run.Checkpoint, StartedAt: run.StartedAt, Error: "It was stopped."})
		s.begins("acme", run, last) // the settings of a run that failed do not count
		s.begins("other", run, index.Run{})
	})
	t.Run("passes", func(t *testing.T) { passes(suite{t, t.Context(), open(t)}) })
}

func passes(s suite) {
	run := index.Run{Source: source("docs"), Settings: "one"}
	first := s.begin("acme", run)
	if first.Continues || first.PassStartedAt.IsZero() || !first.StartedAt.Equal(first.PassStartedAt) {
		s.t.Errorf("the first run begins as %+v", first)
	}
	run.StartedAt, run.PassStartedAt, run.Counts = first.StartedAt, first.PassStartedAt, index.Counts{Indexed: 3}
	run.Slow = map[document.ID]int{"docs:slow": 2}
	s.save("acme", run)
	second := s.begin("acme", run)
	if !second.Continues || !second.PassStartedAt.Equal(first.PassStartedAt) || second.StartedAt.Before(first.StartedAt) || second.Counts != run.Counts || !maps.Equal(second.Slow, run.Slow) {
		s.t.Errorf("after an interruption it begins as %+v, want to go on with %+v", second, first)
	}
	other := run
	other.Settings = "two"
	if s.begin("acme", other).Continues {
		s.t.Error("a pass with other settings is continued")
	}
	other = run
	other.Again = true
	if s.begin("acme", other).Continues {
		s.t.Error("a pass that stores changes is continued by one that stores everything")
	}
	run.Succeeded, run.FinishedAt = true, stamp(9).UpdatedAt
	s.save("acme", run)
	if s.begin("acme", run).Continues {
		s.t.Error("a pass that has ended is continued")
	}

	s.put("acme", s.entry("docs", "docs:a", 1), s.entry("docs", "docs:b", 2))
	stamps := func() map[document.ID]index.Stamp {
		got, err := s.store.Known(s.ctx, "acme", "docs", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		return got
	}
	before := stamps()
	if err := s.store.Checked(s.ctx, "acme", "docs", []document.ID{"docs:a", "docs:none"}); err != nil {
		s.t.Fatal(err)
	}
	if err := s.store.Checked(s.ctx, "acme", "wiki", []document.ID{"docs:b"}); err != nil {
		s.t.Fatal(err)
	}
	after := stamps()
	if before["docs:a"].CheckedAt.Before(second.StartedAt) || !after["docs:a"].CheckedAt.After(before["docs:a"].CheckedAt) ||
		!after["docs:b"].CheckedAt.Equal(before["docs:b"].CheckedAt) {
		s.t.Errorf("documents were seen %v, and then %v", before, after)
	}
}

func (s suite) begin(tenant access.TenantID, run index.Run) index.Run {
	s.t.Helper()
	got, err := s.store.Begin(s.ctx, tenant, run)
	if err != nil {
		s.t.Fatalf("Begin() = %v", err)
	}
	return got
}

type suite struct {
	t     *testing.T
	ctx   context.Context //nolint:containedctx // of one test
	store index.Store
}

func source(id document.SourceID) document.Source {
	return document.Source{ID: id, Kind: "file", Name: "/srv/" + string(id)}
}

func stamp(n byte) index.Stamp {
	return index.Stamp{UpdatedAt: time.Date(2026, 5, 1, 10, 0, int(n), 123000, time.UTC), Hash: index.Hash{n}}
}

func (s suite) entry(from document.SourceID, id document.ID, n byte) index.Entry {
	d := Document(id, "Some text.")
	d.Source, d.Kind = from, "file"
	return index.Entry{
		Document:   d,
		Stamp:      stamp(n),
		Chunks:     []document.Chunk{{Text: "Some text.", End: 10, Tokens: 3}},
		SearchText: []string{"About it\n\nSome text."},
	}
}

func (s suite) put(tenant access.TenantID, entries ...index.Entry) {
	s.t.Helper()
	if _, err := s.store.Begin(s.ctx, tenant, index.Run{Source: source(entries[0].Document.Source)}); err != nil {
		s.t.Fatalf("Begin() = %v", err)
	}
	if err := s.store.Put(s.ctx, tenant, entries); err != nil {
		s.t.Fatalf("Put() = %v", err)
	}
}

func (s suite) remove(tenant access.TenantID, from document.SourceID, ids ...document.ID) {
	s.t.Helper()
	if err := s.store.Remove(s.ctx, tenant, from, ids); err != nil {
		s.t.Fatalf("Remove(%v) = %v", ids, err)
	}
}

func (s suite) known(tenant access.TenantID, from document.SourceID, ids []document.ID, want map[document.ID]index.Stamp) {
	s.t.Helper()
	got, err := s.store.Known(s.ctx, tenant, from, ids)
	if err != nil {
		s.t.Fatalf("Known(%v) = %v", ids, err)
	}
	same := func(a, b index.Stamp) bool { return a.Hash == b.Hash && a.UpdatedAt.Equal(b.UpdatedAt) }
	if !maps.EqualFunc(got, want, same) {
		s.t.Errorf("Known(%s, %s, %v) = %v, want %v", tenant, from, ids, got, want)
	}
}

func (s suite) begins(tenant access.TenantID, run, want index.Run) {
	s.t.Helper()
	got, err := s.store.Begin(s.ctx, tenant, run)
	if err != nil {
		s.t.Fatalf("Begin() = %v", err)
	}
	if got.Settings != want.Settings || !bytes.Equal(got.Checkpoint, want.Checkpoint) || !got.LastSuccess.Equal(want.LastSuccess) {
		s.t.Errorf("Begin(%s) = settings %q, checkpoint %q, last success %v; want %q, %q, %v",
			tenant, got.Settings, got.Checkpoint, got.LastSuccess, want.Settings, want.Checkpoint, want.LastSuccess)
	}
}

func (s suite) save(tenant access.TenantID, run index.Run) {
	s.t.Helper()
	if err := s.store.Save(s.ctx, tenant, run); err != nil {
		s.t.Fatalf("Save() = %v", err)
	}
}
