package filter_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/core/filter"
)

func TestHarms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]filter.Command{
		"xargs -0 /bin/rm -f": {{"rm", "rm"}}, "a; rm -r b && pkill -f c": {{"rm", "rm"}, {"kill", "pkill"}}, "FLUSHALL": {{"flush", "flushall"}}, "userdel x; DEL y": {{"del", "userdel"}, {"del", "del"}},
		"shut down, poweroff": {{"shut down", "shut down"}, {"poweroff", "poweroff"}}, "pg_kill_query": {{"kill", "kill"}}, "run --rm model skills": nil,
	} {
		if diff := cmp.Diff(want, filter.Harms(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := filter.IntroducesHarm("Drop it without a stop in another format"); len(got) != 1 || got[0].Verb != "drop" {
		t.Errorf("an introduction has %v", got)
	}
}
