package git_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

func TestSilentServerEndsARun(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct {
		service, answer, begins string
		requests                int // until the server is silent, the first included
	}{
		"before the references": {"/info/refs", "advertisement", "", 1},
		"in the references":     {"/info/refs", "advertisement", "001e# service=git-upload-pack\n0000", 1},
		"before the pack":       {"/git-upload-pack", "result", "", 3},
		"in the pack":           {"/git-upload-pack", "result", "0008NAK\n0011\x01PACK\x00\x00\x00\x02\x00\x00\x00\x03", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gittest.New(t)
			s.Commit("first", map[string][]byte{"README.md": []byte("# Acme")})
			o := options(t, s)
			mustRead(t, o)
			s.Commit("second", map[string][]byte{"README.md": []byte("# Acme and more")})
			before := s.Requests()
			silent := gittest.Silent(fault.service, fault.answer, fault.begins)
			var over atomic.Bool
			s.Fail = func(w http.ResponseWriter, r *http.Request) bool { return !over.Load() && silent(w, r) }
			o.Silence = 3 * time.Second // a busy machine needs some for the first requests
			_, err := read(t, o)
			if !errors.Is(err, outhttp.ErrSilent) || !strings.Contains(err.Error(), s.URL+" ") || !strings.Contains(err.Error(), "next run") {
				t.Errorf("the run ended with %v", err)
			}
			if asked := s.Requests() - before; asked != fault.requests {
				t.Errorf("the server got %d requests, want %d", asked, fault.requests)
			}
			over.Store(true)
			o.Silence = 0
			if got := mustRead(t, o).files["README.md"]; got != "# Acme and more" {
				t.Errorf("the next run read %q", got)
			}
		})
	}
}

func TestSilentServerEndsACheck(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Fail = gittest.Silent("/info/refs", "advertisement", "")
	o := options(t, s)
	o.Silence = time.Second
	c, err := git.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Check(t.Context()); !errors.Is(err, outhttp.ErrSilent) {
		t.Errorf("the check ended with %v", err)
	}
}
