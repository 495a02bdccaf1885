package webconsole_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/sources"
)

func TestSourcesAreShownAndChanged(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.sources = []review.Source{
		{ID: "files", Name: "Handbook", Bound: "Its acl decides."},
		{
			ID: "wiki:a/b", Name: "Wiki", Every: 6 * time.Hour, Late: 90 * time.Minute, Deleted: 12 * time.Hour, Matched: 7, Unmatched: 2, Conflicting: 1, Offers: []sources.Act{sources.Run, sources.Pause},
			Loops: []review.Loop{{Name: "groups", FailedRuns: 3}, {Name: "spaces", ReadAt: c.now, CountsTill: c.now}},
		},
	}
	cookie := c.signIn("U1", review.Admin)
	list := c.do(http.MethodGet, "/sources", cookie, nil).Body.String()
	if !strings.Contains(list, `href="/sources/one?id=wiki%3aa%2fb"`) {
		t.Errorf("the list:\n%s", list)
	}
	one := c.do(http.MethodGet, "/sources/one?id=wiki%3aa%2fb", cookie, nil).Body.String()
	for _, want := range []string{"every 6h", "7 matched, 2 unmatched, 1 conflicting", "after 1h30m at most", "shown for 12h at most", "Permissions: groups", "nothing is shown until they are; 3 failed runs in a row", `value="run"`, `value="pause"`} {
		if !strings.Contains(one, want) {
			t.Errorf("the source lacks %q:\n%s", want, one)
		}
	}
	if strings.Contains(one, `value="resume"`) || !strings.Contains(c.do(http.MethodGet, "/sources/one?id=files", cookie, nil).Body.String(), "Its acl decides.") {
		t.Errorf("the source shows:\n%s", one)
	}
	w := c.do(http.MethodPost, "/sources/one", cookie, url.Values{"id": {"wiki:a/b"}, "do": {"pause"}})
	if w.Code != http.StatusSeeOther || !slices.Equal(c.acts, []string{"U1 pause wiki:a/b"}) || !strings.Contains(c.do(http.MethodGet, w.Header().Get("Location"), cookie, nil).Body.String(), `role="status"`) {
		t.Errorf("pause: %d %v", w.Code, c.acts)
	}
	for name, try := range map[string]struct {
		form   url.Values
		code   int
		change func(*http.Request)
	}{
		"unknown source": {url.Values{"id": {"none"}, "do": {"pause"}}, http.StatusNotFound, func(*http.Request) {}},
		"unknown act":    {url.Values{"id": {"files"}, "do": {"delete"}}, http.StatusBadRequest, func(*http.Request) {}},
		"refused":        {url.Values{"id": {"files"}, "do": {"resync"}}, http.StatusConflict, func(*http.Request) {}},
		"another site":   {url.Values{"id": {"files"}, "do": {"pause"}}, http.StatusForbidden, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
	} {
		if w := c.do(http.MethodPost, "/sources/one", cookie, try.form, try.change); w.Code != try.code || len(c.acts) != 1 {
			t.Errorf("%s: %d %v", name, w.Code, c.acts)
		}
	}
	c.roles[account("U1")] = review.Moderator
	for _, target := range []string{"/sources/one?id=files", "/sources/readers?for=slack:U7&address=x"} {
		if w := c.do(http.MethodGet, target, cookie, nil); w.Code != http.StatusForbidden {
			t.Errorf("a moderator opens %s: %d", target, w.Code)
		}
	}
	if w := c.do(http.MethodPost, "/sources/one", cookie, url.Values{"id": {"files"}, "do": {"pause"}}); w.Code != http.StatusForbidden || len(c.acts) != 1 {
		t.Errorf("a moderator pauses: %d %v", w.Code, c.acts)
	}
}

func TestReadersAreExplained(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Admin)
	shows := func(who, address, want string) {
		t.Helper()
		w := c.do(http.MethodGet, "/sources/readers?"+url.Values{"for": {who}, "address": {address}}.Encode(), cookie, nil)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s %s: %d, want %q:\n%s", who, address, w.Code, want, w.Body)
		}
	}
	shows("", "", `<button>Show</button>`)
	shows("slack:U8", "https://docs.example/1", "The account is not known.")
	shows("slack:U7", "https://docs.example/1", "No document with this address")
	c.answer = review.Answer{Documents: []review.Readers{{Readers: access.ACL{"group:board"}}}, Unasked: true}
	shows("slack:U7", "https://docs.example/1", "No, slack:U7 may not read it")
	shows("slack:U7", "https://docs.example/1", "The platform was not asked")
	c.answer.Documents[0].Through = review.Through(c.answer.Documents[0].Readers, []access.Held{{Principal: "group:staff"}, {Principal: "group:board", From: "the role Board"}})
	shows("slack:U7", "https://docs.example/1", "<li>by <code>group:board</code>: the role Board</li>")
}
