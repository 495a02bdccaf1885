package webconsole_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/webconsole"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/upload"
	"github.com/footnotehq/footnote/core/upload/uploadtest"
)

// keepers keeps files on the shelf of the world, in a project of members and in one of others.
func (w *world) keepers() *webconsole.Files {
	return &webconsole.Files{
		Service: w.shelf.Service(upload.Project{Name: "launch", Readers: access.ACL{access.Members}}, upload.Project{Name: "board", Readers: access.ACL{"group:board"}}),
		Author: func(_ context.Context, p access.Account) (access.Account, error) {
			p.Full = p.ID != "UGUEST"
			return p, w.unsure
		},
	}
}

// keep sends the form that keeps files, named and with their content in turns.
func (c *console) keep(cookie, project, readers string, files ...string) *httptest.ResponseRecorder {
	c.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for name, value := range map[string]string{"project": project, "readers": readers} {
		if err := form.WriteField(name, value); err != nil {
			c.Fatal(err)
		}
	}
	for pair := range slices.Chunk(files, 2) {
		part, err := form.CreateFormFile("file", pair[0])
		if err != nil {
			c.Fatal(err)
		}
		if _, err := io.WriteString(part, pair[1]); err != nil {
			c.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		c.Fatal(err)
	}
	return c.do(http.MethodPost, "/files", cookie, nil, func(r *http.Request) {
		r.Header.Set("Content-Type", form.FormDataContentType())
		r.Body, r.ContentLength = io.NopCloser(&b), int64(b.Len())
	})
}

func TestConsoleKeepsFiles(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	me := access.User("slack", "U1")
	c.held["U1"], c.held["U2"] = []access.Principal{access.Members, me}, []access.Principal{access.Members, access.User("slack", "U2")}
	c.held["UGUEST"] = []access.Principal{access.User("slack", "UGUEST"), access.Members}
	cookie := c.signIn("U1", review.Moderator)
	form := c.do(http.MethodGet, "/files", cookie, nil).Body.String()
	for _, want := range []string{`enctype="multipart/form-data"`, "<option>launch</option>", "No files that you may read are kept."} {
		if !strings.Contains(form, want) {
			t.Errorf("the page lacks %q:\n%s", want, form)
		}
	}
	if strings.Contains(form, "board") {
		t.Errorf("the page names a project of others:\n%s", form)
	}
	w := c.keep(cookie, "launch", "me", "../plan <b>.md", "one", "run.exe", "MZ", "empty.md", "")
	for _, want := range []string{"plan &lt;b&gt;.md", "run.exe", "Programs hold no text", "it is empty"} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d, and the reply lacks %q:\n%s", w.Code, want, w.Body)
		}
	}
	c.keep(cookie, "launch", "project", "plan.md", "two")
	all := c.shelf.Files()
	if len(all) != 2 || !slices.Equal(all[0].Readers, access.ACL{me}) || !slices.Equal(all[1].Readers, access.ACL{access.Members}) || all[0].Author.ID != "U1" {
		t.Fatalf("kept are %+v", all)
	}
	for _, tt := range []struct {
		name, project, readers string
		status                 int
		said                   string
	}{
		{"a project of others", "board", "project", http.StatusForbidden, "There is no such project any more"},
		{"a project that there is not", "bored", "me", http.StatusForbidden, "There is no such project any more"},
		{"readers that are no choice", "launch", "public", http.StatusBadRequest, "Choose a project"},
		{"no project", "", "me", http.StatusBadRequest, "Choose a project"},
	} {
		if w := c.keep(cookie, tt.project, tt.readers, "a.md", "x"); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.said) {
			t.Errorf("%s: %d\n%s", tt.name, w.Code, w.Body)
		}
	}
	if w := c.keep(c.signIn("UGUEST", review.Moderator), "launch", "me", "a.md", "x"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "Only full members") {
		t.Errorf("a guest: %d\n%s", w.Code, w.Body)
	}
	if w := c.keep(c.signIn("U3", review.GapReader), "launch", "me", "a.md", "x"); w.Code != http.StatusForbidden {
		t.Errorf("a reader of gaps: %d", w.Code)
	}
	if w := c.keep(cookie, "launch", "me", "large.md", strings.Repeat("x", upload.MaxBytes+1)); !strings.Contains(w.Body.String(), "larger than 20 MB") {
		t.Errorf("a large file: %d\n%s", w.Code, w.Body)
	}
	c.shelf.Fails = uploadtest.ErrDisk
	if w := c.keep(cookie, "launch", "me", "a.md", "x"); !strings.Contains(w.Body.String(), "has no room") {
		t.Errorf("a full disk: %d\n%s", w.Code, w.Body)
	}
	if n := len(c.shelf.Files()); n != 2 {
		t.Errorf("%d files are kept", n)
	}
	if w := c.keep(cookie, "launch", "me"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "Choose at least one file") || strings.Contains(w.Body.String(), "message") {
		t.Errorf("without a file: %d\n%s", w.Code, w.Body)
	}
}

func TestConsoleRemovesFilesOfItsViewer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.held["U1"], c.held["U2"] = []access.Principal{access.Members}, []access.Principal{access.Members}
	c.shelf.Put(
		upload.File{ID: "mine", Name: "mine.md", Project: "launch", Readers: access.ACL{access.Members}, Author: account("U1")},
		upload.File{ID: "theirs", Name: "theirs.md", Project: "launch", Readers: access.ACL{access.Members}, Author: account("U2")},
		upload.File{ID: "hidden", Name: "hidden.md", Project: "board", Readers: access.ACL{"group:board"}, Author: account("U1")},
	)
	cookie := c.signIn("U1", review.Moderator)
	if body := c.do(http.MethodGet, "/files", cookie, nil).Body.String(); !strings.Contains(body, `value="mine"`) || !strings.Contains(body, "theirs.md") ||
		strings.Contains(body, `value="theirs"`) || strings.Contains(body, "hidden.md") {
		t.Errorf("the page is\n%s", body)
	}
	for id, want := range map[string]int{"theirs": http.StatusNotFound, "hidden": http.StatusNotFound, "none": http.StatusNotFound, "mine": http.StatusSeeOther} {
		if w := c.do(http.MethodPost, "/files/remove", cookie, url.Values{"id": {id}}); w.Code != want {
			t.Errorf("%s: %d\n%s", id, w.Code, w.Body)
		}
	}
	if w := c.do(http.MethodPost, "/files/remove", c.signIn("U1", review.Admin), url.Values{"id": {"theirs"}}); w.Code != http.StatusSeeOther {
		t.Errorf("an administrator: %d\n%s", w.Code, w.Body)
	}
	if all := c.shelf.Files(); len(all) != 1 || all[0].ID != "hidden" {
		t.Errorf("left are %+v", all)
	}
}
