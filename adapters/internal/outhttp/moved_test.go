package outhttp

import (
	"errors"
	"net/netip"
	"testing"
)

// A name that had a public address does not get the rights of a private address that is listed;
// names that are listed themselves, and those that were private from the beginning, keep theirs.
func TestNamesThatMoveToAListedAddressAreRefused(t *testing.T) {
	t.Parallel()
	guard, err := NewGuard("ALLOW_PRIVATE_HOSTS", []string{"10.0.0.5", "10.1.0.0/16", "wiki.example"})
	if err != nil {
		t.Fatal(err)
	}
	public, listed, network := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("10.1.2.3")
	for _, step := range []struct {
		host    string
		at      netip.Addr
		refused bool
	}{
		{"site.example", public, false}, {"site.example", listed, true}, {"Site.Example.", network, true}, {"site.example", public, false},
		{"inside.example", listed, false}, {"inside.example", network, false},
		{"wiki.example", public, false}, {"wiki.example", listed, false}, {"10.0.0.5", listed, false},
	} {
		if err := guard.check(step.host, step.at); errors.Is(err, ErrRefused) != step.refused {
			t.Errorf("%s at %s: %v, want refused %v", step.host, step.at, err, step.refused)
		}
	}
}
