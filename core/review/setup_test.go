package review_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// A setting that was changed in a channel says how to undo it there.
func TestSettingsOfAChannelSayHowToUndoThem(t *testing.T) {
	t.Parallel()
	changed := func(key, value string) policy.SettingValue {
		return policy.SettingValue{Key: key, Value: value, Origin: policy.Origin{Changed: true, By: "U1"}}
	}
	e := policy.Resolve(changed("report", "false"), changed("paused", "true"), changed("follow", "always"), policy.SettingValue{Key: "welcome", Value: "false", Origin: policy.Origin{File: "line 4"}})
	want := map[string]string{"report": "/footnote report on", "paused": "/footnote resume", "follow": "/footnote config follow reset", "welcome": ""}
	for at, channel := range map[string]bool{"C1": true, "": false} {
		got := review.SettingsOf(session.Place{Platform: "slack", Channel: at}, e, false).Settings
		if len(got) != len(want) {
			t.Fatalf("the settings are %+v", got)
		}
		for _, s := range got {
			if undo := want[s.Key]; channel && s.Undo != undo || !channel && s.Undo != "" {
				t.Errorf("in %q %s is undone by %q", at, s.Key, s.Undo)
			}
		}
	}
}
