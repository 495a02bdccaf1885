package gdrive_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/index"
)

// What 5,000 files of a shared drive and 1,000 of five people cost, in requests: to list them the
// first time, to look whether anything has changed, to look at everything, and to read who may read
// them. Texts are one request each.
func TestRequestsOfALargeDrive(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = time.Hour })
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	for i := range 50 {
		folder := p.Folder(d, fmt.Sprint("folder ", i))
		for j := range 100 {
			f := p.File(folder, fmt.Sprintf("%d.txt", j), "x")
			if j == 0 && i%5 == 0 {
				p.Change(f, func() { f.Grants = []gdrivetest.Grant{reader(ada)} })
			}
		}
	}
	for i := range 5 {
		u := p.User(fmt.Sprint("user", i))
		for j := range 200 {
			p.File(u, fmt.Sprintf("%d.txt", j), "x")
		}
	}
	p.Pass(time.Minute)
	var files, nodes index.Checkpoint
	read := func() (requests, items int) {
		mark := p.Mark()
		for batch, err := range p.Connector.Sync(p.listings(t), files) {
			if err != nil {
				t.Fatal(err)
			}
			files, items = batch.Next, items+len(batch.Documents)
		}
		return p.Mark() - mark, items
	}
	who := func() (requests, told int) {
		mark := p.Mark()
		for batch, err := range p.Connector.Nodes(t.Context(), nodes) {
			if err != nil {
				t.Fatal(err)
			}
			nodes, told = batch.Next, told+len(batch.Nodes)
		}
		return p.Mark() - mark, told
	}
	for _, step := range []struct {
		name            string
		pass            time.Duration
		read            func() (int, int)
		requests, items int
	}{
		{"the first look", 0, read, 42, 6_000},
		{"a look without changes", 5 * time.Minute, read, 10, 0},
		{"a look at everything", 2 * time.Hour, read, 42, 6_000},
		{"who may read", 0, who, 53, 69},
		{"who may read, five minutes later", 5 * time.Minute, who, 11, 2},
	} {
		p.Pass(step.pass)
		requests, items := step.read()
		t.Logf("%s: %d requests, %d", step.name, requests, items)
		if requests != step.requests || items != step.items {
			t.Errorf("%s: %d requests and %d, want %d and %d", step.name, requests, items, step.requests, step.items)
		}
	}
}
