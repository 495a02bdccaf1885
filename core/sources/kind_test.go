package sources_test

import (
	"errors"
	"testing"

	"github.com/footnotehq/footnote/core/sources"
)

func TestClientsAreSharedByAddress(t *testing.T) {
	t.Parallel()
	var clients sources.Clients
	made := 0
	client := func(kind, address string) *int {
		t.Helper()
		c, err := sources.Client(&clients, kind, address, func() (*int, error) {
			made++
			return &made, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	failed := errors.New("no such server")
	if _, err := sources.Client(&clients, "notion", "a", func() (*int, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	client("notion", "a")
	client("notion", "a")
	client("notion", "b")
	client("jira", "a")
	if made != 3 {
		t.Errorf("%d clients were made, want 3", made)
	}
}
