package write

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/google/go-cmp/cmp"
)

func TestSealedTokenIsOpenedByTheSameBotOnly(t *testing.T) {
	t.Parallel()
	own, err := newSealer("one", nil)
	if err != nil {
		t.Fatal(err)
	}
	replica, err := newSealer("one", nil)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := newSealer("two", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := event.Ticket{App: "1", Token: "secret", ID: "2", Channel: "3", Ephemeral: true}
	came := want // what only the process that took it in can use is not sealed
	came.At, came.Inline = time.Now(), event.NewInline()
	sealed, err := own.seal(came)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the token can be read in what is stored")
	}
	got, err := replica.open(sealed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(event.Ticket{})); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
	if _, err := stranger.open(sealed); !errors.Is(err, errSealed) {
		t.Errorf("another bot opens it: %v", err)
	}
	for n := range len(sealed) {
		if _, err := own.open(sealed[:n]); !errors.Is(err, errSealed) {
			t.Fatalf("%d bytes of it open: %v", n, err)
		}
	}
}

// Keys are changed while answers are under way. At each step but the first, where there was no key
// before, processes of the step and of the one before it open what the other has sealed.
func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	const before, after = "the key that has been in use so far", "the key that is in use from now on"
	steps := [][]string{nil, {before}, {before, after}, {after, before}, {after}}
	opened := [][]bool{ // sealed in the row's step, opened in the column's
		{true, true, true, true, true}, // derived from the bot token, which all have
		{false, true, true, true, false},
		{false, true, true, true, false},
		{false, false, true, true, true},
		{false, false, true, true, true},
	}
	want := event.Ticket{App: "1", Token: "secret", ID: "2", Channel: "3"}
	process := func(keys []string) sealer {
		s, err := newSealer("bot", keys)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for i, keys := range steps {
		sealed, err := process(keys).seal(want)
		if err != nil {
			t.Fatal(err)
		}
		for j, other := range steps {
			got, err := process(other).open(sealed)
			if !opened[i][j] {
				if !errors.Is(err, errSealed) {
					t.Errorf("without the key of step %d, step %d gives %v", i, j, err)
				}
				continue
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(event.Ticket{})); diff != "" || err != nil {
				t.Errorf("sealed in step %d, opened in step %d: %v (-want +got):\n%s", i, j, err, diff)
			}
		}
	}
}
