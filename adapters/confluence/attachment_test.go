package confluence_test

import (
	"context"
	"iter"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// readFile returns a connector for a text file.
func readFile(path string) (index.Connector, error) { return textFile{path: path}, nil }

type textFile struct {
	index.Connector
	path string
}

func (f textFile) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		yield(index.Batch{Documents: []index.Item{{Load: func(context.Context) (document.Document, error) {
			text, err := os.ReadFile(f.path)
			return document.Document{Sections: []document.Section{{Blocks: []document.Block{{Text: string(text)}}}}}, err
		}}}}, nil)
	}
}

// Attached files are documents with the readers of their page. The listed scopes let a token
// download them.
func TestAttachedFiles(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *confluence.Options, _ *confluence.Config) { o.Attachments, o.Read = true, readFile })
		page := s.Page(s.Space("ENG", s.Site[0]), nil, "page", "<p>x</p>")
		attach := func(text string) *confluencetest.Content {
			return s.Add(&confluencetest.Content{Type: "attachment", Space: page.Space, Parent: page, Title: text + ".txt", Data: []byte(text)})
		}
		one := attach("first notes")
		s.MustSync()
		d := s.Documents()[one.ID]
		if d == nil || d.Text() != "first notes" || !slices.Equal(d.ACL, s.Documents()[page.ID].ACL) {
			t.Fatalf("the file is %+v", d)
		}
		if !cloud {
			return
		}
		two := attach("second notes")
		s.lack("read:attachment:confluence")
		s.Pass(time.Hour)
		if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "lacks the scope read:attachment:confluence") {
			t.Errorf("the notices are %s", notices)
		}
		if s.Documents()[two.ID] != nil {
			t.Error("a file that cannot be downloaded is stored")
		}
	})
}

// A 401 of one download concerns that file, and does not hide the source.
func TestRefusedDownloadHidesNoSource(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *confluence.Options, _ *confluence.Config) { o.Attachments, o.Read = true, readFile })
		page := s.Page(s.Space("ENG", s.Site[0]), nil, "page", "<p>x</p>")
		s.Add(&confluencetest.Content{Type: "attachment", Space: page.Space, Parent: page, Title: "a.txt", Data: []byte("a")})
		path := "download/attachments/"
		if cloud {
			path = "/media/"
		}
		s.Faults.Add(confluencetest.Fault{Path: path, Answer: confluencetest.Refuse(http.StatusUnauthorized)}, 0, 1)
		if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "check that the account may download it") {
			t.Errorf("the notices are %s", notices)
		}
		s.mustHold(map[*confluencetest.Content]string{page: "x"})
		if r := s.nodes(); len(r.Denied) > 0 || !r.Complete {
			t.Errorf("denied are %v, complete %v", r.Denied, r.Complete)
		}
		s.Revoke(true)
		s.MustBeRefused(s.Token)
	})
}
