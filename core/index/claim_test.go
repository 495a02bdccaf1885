package index_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

func TestSecondDocumentOfAnAddressIsNamed(t *testing.T) {
	t.Parallel()
	const address = "https://docs.example/vpn"
	claims := func(name string) document.Document {
		d := doc(name, "Text of "+name)
		d.URL, d.OwnURL = address, "https://docs.example/"+name
		return d
	}
	check := func(t *testing.T, run index.Run, first, second string) {
		t.Helper()
		if len(run.Skipped) != 1 || run.Counts.Skipped != 0 || run.Counts.Failed != 0 {
			t.Fatalf("the run left out %+v and counts %+v", run.Skipped, run.Counts)
		}
		n := run.Skipped[0]
		if n.Name != second || !n.Moved || !strings.Contains(n.Sentence, first+" has: "+address+".") || !strings.Contains(n.Sentence, " "+strings.Replace(second, "docs:", "https://docs.example/", 1)+" ") {
			t.Errorf("the notice is %+v", n)
		}
	}
	p := pipeline(t, new(indextest.Store), nil)
	check(t, mustRun(t, p, complete(indextest.Item(claims("a"), noon), indextest.Item(claims("b"), noon))), "docs:a", "docs:b")

	// One of them is in the index already.
	p = pipeline(t, new(indextest.Store), nil)
	if run := mustRun(t, p, complete(indextest.Item(claims("b"), noon))); len(run.Skipped) != 0 {
		t.Fatalf("the first run left out %+v", run.Skipped)
	}
	check(t, mustRun(t, p, complete(indextest.Item(claims("b"), noon), indextest.Item(claims("a"), noon))), "docs:b", "docs:a")
}
