package main_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// giveUp has the queue give up what runs, as it does by itself two minutes after a process died.
func giveUp(t *testing.T, db *postgres.DB) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), `update river_job set state = 'discarded', finalized_at = now() where state = 'running'`); err != nil {
		t.Fatal(err)
	}
}

// A source ends whichever process reads it. After two deaths on two replicas it is paused, all else
// goes on, and an operator resumes it.
func TestASourceThatEndsItsProcessIsPaused(t *testing.T) {
	t.Parallel()
	repository, docs := gittest.New(t), handbook(t)
	repository.Commit("first", map[string][]byte{"README.md": []byte("# Lighthouse\n\nThe lamp is lit at dusk.\n")})
	var deadly atomic.Bool
	reading := make(chan struct{}, 99)
	repository.Fail = func(_ http.ResponseWriter, r *http.Request) bool {
		if !deadly.Load() {
			return false
		}
		reading <- struct{}{}
		<-r.Context().Done() // until the process is dead
		return true
	}
	p := newProgram(t, "CA_FILE="+repository.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir(), "GOMEMLIMIT=512MiB")
	p.run(t, "index", repository.URL, "--base-url", "https://git.example/", "--every", "30m")
	p.run(t, "index", docs, "--every", "30m")
	var id, folder string
	for _, s := range jsonOf[[]listedSource](t, p.run(t, "sources", "--json")) {
		if strings.HasPrefix(s.ID, "git-") {
			id = s.ID
		} else {
			folder = s.ID
		}
	}
	db := database(t, p)
	deadly.Store(true)
	program := inLittleMemory(t)
	for range 2 { // each on another replica
		p.run(t, "sources", "resync", id)
		r := footnotetest.Serve(t, program, footnotetest.Environment(p.env...))
		select {
		case <-reading:
		case <-time.After(limit):
			t.Fatalf("the source is not read:\n%s", r.Log())
		}
		r.End(syscall.SIGKILL)
		giveUp(t, db)
	}
	for range 2 {
		footnotetest.Serve(t, program, footnotetest.Environment(p.env...)).Ready()
	}
	began := time.Now()
	p.run(t, "sources", "resync", id)
	p.run(t, "sources", "resync", folder)
	until := func(what string, holds func(git, docs listedSource) bool) {
		t.Helper()
		for end := time.Now().Add(limit); ; {
			var git, docs listedSource
			for _, s := range jsonOf[[]listedSource](t, p.run(t, "sources", "--json")) {
				if s.ID == id {
					git = s
				} else {
					docs = s
				}
			}
			if holds(git, docs) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: the sources are %+v and %+v", what, git, docs)
			}
		}
	}
	until("paused", func(git, docs listedSource) bool {
		return strings.Contains(git.Error, "ended the process 2 times") && strings.Contains(git.Error, "footnote sources resume "+id) && git.Documents == 1 &&
			docs.LastSuccess != nil && docs.LastSuccess.After(began)
	})
	if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout+r.stderr, "ended the process 2 times") {
		t.Errorf("doctor says\n%s%s", r.stdout, r.stderr)
	}
	if len(reading) > 0 {
		t.Error("the source was asked after it was paused")
	}
	deadly.Store(false)
	p.run(t, "sources", "resume", id)
	until("resumed", func(git, _ listedSource) bool {
		return git.Error == "" && git.LastSuccess != nil && git.LastSuccess.After(began)
	})
}
