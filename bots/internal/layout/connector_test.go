package layout_test

import (
	"go/types"
	"slices"
	"strings"
	"testing"
)

// readers are the packages whose sources are read by a loop of their own. All other sources are a
// crawl.Vendor.
var readers = []string{
	"core/crawl",
	"adapters/internal/transcript",                                       // messages come by windows of time
	"adapters/files", "adapters/git", "adapters/web", "adapters/uploads", // nothing lists them by pages
	"core/evaluate",     // labelled collections, from memory
	"bots/bench/search", // made up, to be measured
}

func TestOneEngineReadsEverySource(t *testing.T) {
	t.Parallel()
	p := product(t)
	if found := connectors(t, p); !slices.Equal(found, slices.Sorted(slices.Values(readers))) {
		t.Errorf("index.Connector is implemented in %q, and in the rule of this test by %q: a new source implements crawl.Vendor", found, readers)
	}
	planted := p.with(t, "adapters/planted", `package planted
		import ("context"; "iter"; "`+prefix+`core/document"; "`+prefix+`core/index")
		type Connector struct{}
		func (*Connector) Source() document.Source { return document.Source{} }
		func (*Connector) Settings() string { return "" }
		func (*Connector) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] { return nil }`)
	if !slices.Contains(connectors(t, planted), "adapters/planted") {
		t.Error("a planted connector was not found")
	}
}

// connectors lists the packages in which a Sync of an index.Connector is written.
func connectors(t *testing.T, p *program) []string {
	t.Helper()
	wanted := p.packages[prefix+"core/index"].types.Scope().Lookup("Connector").Type().Underlying().(*types.Interface)
	var found []string
	for name, c := range p.packages {
		for _, object := range c.info.Defs {
			f, ok := object.(*types.Func)
			if !ok || f.Name() != "Sync" || f.Signature().Recv() == nil || types.IsInterface(f.Signature().Recv().Type()) {
				continue
			}
			for m := range wanted.Methods() {
				if m.Name() == "Sync" && types.Identical(m.Signature(), f.Signature()) {
					found = append(found, strings.TrimPrefix(name, prefix))
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
