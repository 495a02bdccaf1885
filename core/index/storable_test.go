package index_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// TestRunSkipsDocumentsThatCannotBeStored has a source name documents, principals and failures in ways that no database takes.
func TestRunSkipsDocumentsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	var items []index.Item
	bad := []document.ID{"", "docs:a\x00b", "docs:\xff", document.ID("docs:" + strings.Repeat("long", 1000))}
	for _, id := range bad {
		items = append(items, index.Item{ID: id, Load: func(context.Context) (document.Document, error) {
			t.Errorf("%q is read", id)
			return document.Document{}, nil
		}})
	}
	good := doc("good", "Text\x00 of it.")
	good.ACL = access.ACL{access.Members, "x\x00y"}
	good.Metadata = map[string]string{"key\x00": "value\x00"}
	items = append(items, indextest.Item(good, noon))
	c := complete(items...)
	c.Batches[0].Deleted = []document.ID{"docs:gone\x00"}
	c.Batches[0].Failures = []index.Notice{{Name: "n\x00", Sentence: "s\xff"}}
	run := mustRun(t, pipeline(t, store, nil), c)
	if run.Counts.Failed != len(bad)+1 || run.Counts.Indexed != 1 {
		t.Fatalf("the run did %+v", run.Counts)
	}
	for _, n := range run.Failures {
		if text := n.Name + n.Sentence; strings.Contains(text, "\x00") || !utf8.ValidString(text) {
			t.Errorf("%q cannot be stored", n.Name+n.Sentence)
		}
	}
}
