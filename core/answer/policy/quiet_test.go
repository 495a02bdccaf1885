package policy_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
)

func TestQuietAllows(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	quiet := policy.Quiet{Again: time.Minute, Most: 3, Within: 10 * time.Minute}
	var said policy.Said
	for _, step := range []struct {
		sentence string
		after    time.Duration
		said     bool
	}{
		{"a", 0, true},
		{"a", time.Second, false},
		{"b", 2 * time.Second, true},
		{"a", time.Minute, true},
		{"c", 2 * time.Minute, false},  // too many
		{"c", 10 * time.Minute, true},  // the first is forgotten
		{"d", 10 * time.Minute, false}, // too many again
		{"d", time.Hour, true},
	} {
		var allowed bool
		if said, allowed = quiet.Allows(said, step.sentence, began.Add(step.after)); allowed != step.said {
			t.Errorf("%s after %s: said %v", step.sentence, step.after, allowed)
		}
	}
}

func TestQuietBoundsAFlood(t *testing.T) {
	t.Parallel()
	said, times, now := policy.Said(nil), 0, time.Now()
	for i := range 600 {
		var allowed bool
		said, allowed = policy.DefaultQuiet.Allows(said, strconv.Itoa(i), now.Add(time.Duration(i)*time.Second/2))
		if allowed {
			times++
		}
	}
	if times > policy.DefaultQuiet.Most {
		t.Errorf("%d notices within five minutes", times)
	}
}
