package pgupload_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/pgupload"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
)

const tenant = access.DefaultTenant

func file(name string, readers ...access.Principal) upload.File {
	return upload.File{
		ID: upload.NewID(), Project: "handbook", Name: name, Readers: readers, Link: "https://acme.slack.com/archives/C1/p12",
		Author: access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U1"},
		From:   thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1.2"}, Message: "1.2",
	}
}

func keep(t *testing.T, s *pgupload.Store, f upload.File, content string) (upload.File, upload.Became) {
	t.Helper()
	f.Size, f.Hash = int64(len(content)), sha256.Sum256([]byte(content))
	kept, became, err := s.Keep(t.Context(), tenant, f, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return kept, became
}

func TestFilesAreStoredReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	s, channel := pgupload.New(db), access.Channel("slack", "C1")
	first, _ := keep(t, s, file("plan.md", channel), "one")
	if _, became := keep(t, s, file("plan.md", channel), "one"); became != upload.Unchanged {
		t.Errorf("the same content became %v", became)
	}
	second, became := keep(t, s, file("plan.md", channel), "two")
	if became != upload.Replaced || second.ID != first.ID || !second.At.After(first.At) {
		t.Errorf("another version became %v: %+v after %+v", became, second, first)
	}
	theirs := file("plan.md", channel)
	theirs.Author.ID = "U2"
	if _, _, err := s.Keep(t.Context(), tenant, theirs, []byte("theirs")); !errors.Is(err, upload.ErrTaken) {
		t.Errorf("another person's file: %v", err)
	}
	keep(t, s, file("plan.md", access.User("slack", "U1")), "mine")
	all, err := s.List(t.Context(), tenant)
	if err != nil || len(all) != 2 {
		t.Fatalf("there are %+v, %v", all, err)
	}
	if got := all[0]; got.ID == second.ID && fmt.Sprint(got) != fmt.Sprint(second) {
		t.Errorf("%+v is stored, want %+v", got, second)
	}
	if _, err := s.Content(t.Context(), tenant, first.ID, first.At); !errors.Is(err, upload.ErrGone) {
		t.Errorf("the version before: %v", err)
	}
	if content, err := s.Content(t.Context(), tenant, second.ID, second.At); err != nil || string(content) != "two" {
		t.Errorf("the content is %q, %v", content, err)
	}
	revision, indexed, err := s.Revision(t.Context(), tenant)
	if err != nil || revision != 3 || indexed != 0 {
		t.Errorf("the revision is %d, indexed %d, %v", revision, indexed, err)
	}
	if err := s.Indexed(t.Context(), tenant, revision); err != nil {
		t.Error(err)
	}
	at := thread.Ref{Platform: "slack", Channel: "C1"}
	if n, err := s.RemoveOf(t.Context(), tenant, thread.Ref{Platform: "slack", Channel: "C2"}, "1.2"); n != 0 || err != nil {
		t.Errorf("of another channel %d were removed, %v", n, err)
	}
	if n, err := s.RemoveOf(t.Context(), tenant, at, "1.2"); n != 2 || err != nil {
		t.Errorf("%d were removed, %v", n, err)
	}
	if err := s.Remove(t.Context(), tenant, first.ID, session.Actor{}); !errors.Is(err, upload.ErrGone) {
		t.Errorf("a file that is gone: %v", err)
	}
	if now, indexed, err := s.Revision(t.Context(), tenant); now <= indexed || indexed != revision || err != nil {
		t.Errorf("the revision is %d, indexed %d, %v", now, indexed, err)
	}
}

// Two processes at once do not exceed the limit, and store a name once.
func TestProjectsHaveALimit(t *testing.T) {
	t.Parallel()
	s, channel := pgupload.New(postgrestest.Open(t)), access.Channel("slack", "C1")
	for i := range upload.MaxFiles - 1 {
		keep(t, s, file(fmt.Sprintf("%d.md", i), channel), "x")
	}
	var all sync.WaitGroup
	faults := make([]error, 4)
	for i := range faults {
		all.Go(func() {
			f := file(fmt.Sprintf("last-%d.md", i), channel)
			f.Size = 1
			_, _, faults[i] = s.Keep(t.Context(), tenant, f, []byte("y"))
		})
	}
	all.Wait()
	full := 0
	for _, err := range faults {
		if errors.Is(err, upload.ErrFull) {
			full++
		} else if err != nil {
			t.Error(err)
		}
	}
	if list, err := s.List(t.Context(), tenant); full != 3 || len(list) != upload.MaxFiles || err != nil {
		t.Errorf("%d were refused, and %d are stored, %v", full, len(list), err)
	}
}

func TestForgottenPeopleLeaveNoName(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	s := pgupload.New(db)
	keep(t, s, file("ours.md", access.Channel("slack", "C1")), "ours")
	keep(t, s, file("mine.md", access.User("slack", "U1")), "mine")
	before, _, err := s.Revision(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := pgsession.New(db).Forget(t.Context(), tenant, "slack", "U1")
	if err != nil || gone.Files != 1 {
		t.Fatalf("%+v, %v", gone, err)
	}
	all, err := s.List(t.Context(), tenant)
	if err != nil || len(all) != 1 || all[0].Name != "ours.md" || all[0].Author.ID != "" {
		t.Errorf("there are %+v, %v", all, err)
	}
	if now, _, err := s.Revision(t.Context(), tenant); now != before+1 || err != nil {
		t.Errorf("the revision is %d, %v", now, err)
	}
}

// The largest file is stored and read whole.
func TestALargeFileIsStored(t *testing.T) {
	t.Parallel()
	s := pgupload.New(postgrestest.Open(t))
	content := bytes.Repeat([]byte("0123456789abcdef"), upload.MaxBytes/16)
	f, _ := keep(t, s, file("large.txt", access.Channel("slack", "C1")), string(content))
	if got, err := s.Content(t.Context(), tenant, f.ID, f.At); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes are read, %v", len(got), err)
	}
}

// However many may read a file, it is stored, and found by them.
func TestFilesOfManyReadersAreStored(t *testing.T) {
	t.Parallel()
	s := pgupload.New(postgrestest.Open(t))
	var many access.ACL
	for i := range 2000 { // PostgreSQL compresses what is alike
		many = append(many, access.User("slack", fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))))
	}
	first, _ := keep(t, s, file("plan.md", many...), "one")
	if second, became := keep(t, s, file("plan.md", many...), "two"); became != upload.Replaced || second.ID != first.ID {
		t.Errorf("it became %v", became)
	}
}
