package policy_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/answer/policy"
)

func TestDeeply(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"deep: who owns billing?":            "who owns billing?",
		" Deep :\nwho?\nand why?":            "who?\nand why?",
		"Deep search: how is it turned off?": "", // it asks about deep search
		"deep:":                              "",
		"deep: ":                             "",
		"How deep is the queue?":             "",
		"deepen: the pool":                   "",
		"what does deep: mean in the config": "",
	} {
		got, asked := policy.Deeply(text)
		if asked != (want != "") || asked && got != want || !asked && got != text {
			t.Errorf("Deeply(%q) = %q, %v", text, got, asked)
		}
	}
}
