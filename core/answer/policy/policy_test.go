package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func file(key, value string) policy.SettingValue {
	return policy.SettingValue{Key: key, Value: value, Origin: policy.Origin{File: "footnote.yaml:3"}}
}

func chat(key, value string) policy.SettingValue {
	return policy.ChangedValue(session.Setting{Key: key, Value: value, By: "U1", At: time.Unix(1_700_000_000, 0)})
}

// What a setting shows can be written again, and means the same.
func TestSettingsShowWhatCanBeWritten(t *testing.T) {
	t.Parallel()
	examples := map[string][]string{
		"agent": {"helper"}, "project": {"launch"}, "document_sets": {"docs", "docs, notes"}, "enabled": {"false"}, "paused": {"true"}, "welcome": {"false"}, "report": {"false"},
		"follow": {"mention", "always"}, "askers": {"members", "group:a, user:slack:U1"}, "private": {"off", "always"}, "reply": {"in_place"},
		"bots": {"true"}, "bot_turns": {"1", "100"}, "evidence": {"0", "0.25", "1"}, "questions_only": {"false"}, "question_test": {"mark"},
		"cool_down": {"0s", "90s", "1h", "1m30s"}, "wait": {"5m"}, "forum": {"true"}, "forum_wait": {"10m"},
		"helpers": {"group:support"}, "stoppers": {"group:moderators, user:slack:U1"}, "user_quota": {"20/hour", "20/hour, 100/day"}, "channel_quota": {"1/minute"},
		"role_quota": {"group:interns 5/day", "group:Sales EMEA 5/day, members 100/hour"},
	}
	for _, s := range policy.Settings() {
		if len(examples[s.Key]) == 0 || s.Help == "" || s.Values == "" {
			t.Errorf("the setting %s has no example, help or values", s.Key)
		}
		for _, value := range examples[s.Key] {
			first := policy.Resolve(file(s.Key, value))
			if len(first.Ignored) > 0 {
				t.Errorf("%s: %q is ignored", s.Key, value)
			}
			shown := s.Show(first.Policy)
			second := policy.Resolve(file(s.Key, shown))
			if diff := cmp.Diff(first.Policy, second.Policy); diff != "" || len(second.Ignored) > 0 {
				t.Errorf("%s: %q is shown as %q, which is something else:\n%s", s.Key, value, shown, diff)
			}
			if cmp.Equal(first.Policy, policy.DefaultPolicy()) {
				t.Errorf("%s: %q changes nothing", s.Key, value)
			}
		}
	}
}

func TestValuesThatAreNone(t *testing.T) {
	t.Parallel()
	for key, values := range map[string][]string{
		"agent": {"", "a, b"}, "enabled": {"yes", "1", ""}, "follow": {"sometimes"}, "askers": {"everybody", ""}, "bot_turns": {"0", "101", "x"},
		"evidence": {"2", "-1", "NaN", "x"}, "cool_down": {"soon", "-1m", "721h", "5"}, "wait": {"13h"}, "private": {"true"}, "document_sets": {"", ","},
		"user_quota": {"", "20", "20/week", "0/day", "x/day", "20/hour 3"}, "role_quota": {"5/day", "interns 5/day", "group:a"},
	} {
		s, ok := policy.FindSetting(key)
		if !ok {
			t.Fatalf("there is no setting %s", key)
		}
		for _, value := range values {
			if err := s.Check(value); err == nil || !strings.HasPrefix(err.Error(), "write ") {
				t.Errorf("%s: %q gives %v, want an error that says what to write", key, value, err)
			}
		}
	}
	if e := policy.Resolve(file("follow", "always"), chat("follow", "sometimes"), chat("colour", "blue")); len(e.Ignored) != 2 || e.Follow != policy.FollowAlways {
		t.Errorf("faults in chat's values: %+v, follow %s", e.Ignored, e.Follow)
	}
}

func TestChatOverridesTheFileAndNarrowsWhatItAllows(t *testing.T) {
	t.Parallel()
	e := policy.Resolve(
		file("follow", "mention"), file("askers", "group:staff"), file("document_sets", "docs, notes"), file("user_quota", "20/hour"),
		chat("follow", "always"), chat("askers", "members"), chat("document_sets", "notes, secrets"), chat("user_quota", "5/hour"),
	)
	if e.Follow != policy.FollowAlways {
		t.Errorf("follow is %s", e.Follow)
	}
	if diff := cmp.Diff([]string{"notes"}, e.DocumentSets); diff != "" {
		t.Errorf("document sets (-want +got):\n%s", diff)
	}
	staff := access.NewAudience(access.DefaultTenant, "group:staff")
	for name, tt := range map[string]struct {
		who  access.Audience
		want bool
	}{
		"staff alone":      {staff, false},
		"members alone":    {access.NewAudience(access.DefaultTenant, access.Members), false},
		"staff and member": {access.NewAudience(access.DefaultTenant, "group:staff", access.Members), true},
	} {
		if got := e.MayAsk(tt.who); got != tt.want {
			t.Errorf("%s may ask: %v", name, got)
		}
	}
	if len(e.Quotas) != 2 {
		t.Errorf("quotas %+v, want both to count", e.Quotas)
	}
	if got := e.Origins("follow"); len(got) != 1 || got[0].String() != "changed by U1 on 2023-11-14" {
		t.Errorf("follow comes from %v", got)
	}
	if got := e.Origins("askers"); len(got) != 2 || got[0].String() != "footnote.yaml:3" || !got[1].Changed {
		t.Errorf("askers come from %v", got)
	}
	if got := e.Origins("bots"); len(got) != 0 {
		t.Errorf("bots come from %v", got)
	}
}

// Whatever is said in chat, nobody may ask whom the file does not allow, and no document set is
// searched that it leaves out.
func TestChatNeverWidens(t *testing.T) {
	t.Parallel()
	principals := []access.Principal{access.Public, access.Members, "group:a", "group:b", "user:slack:U1"}
	sets := []string{"one", "two", "three"}
	list := func(t *rapid.T, label string, from []string) string {
		return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(from), 1, len(from), rapid.ID).Draw(t, label), ", ")
	}
	var names []string
	for _, p := range principals {
		names = append(names, string(p))
	}
	rapid.Check(t, func(t *rapid.T) {
		said := []policy.SettingValue{file("askers", list(t, "file askers", names)), file("document_sets", list(t, "file sets", sets))}
		before := policy.Resolve(said...)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			said = append(said, chat("askers", list(t, "askers", names)), chat("document_sets", list(t, "sets", sets)))
		}
		after := policy.Resolve(said...)
		who := access.NewAudience(access.DefaultTenant, rapid.SliceOf(rapid.SampledFrom(principals)).Draw(t, "who")...)
		if after.MayAsk(who) && !before.MayAsk(who) {
			t.Fatalf("%v may ask after %v", who.Principals(), said)
		}
		for _, set := range after.DocumentSets {
			if set != policy.NoDocuments && len(policy.Within(before.DocumentSets, []string{set})) > 0 && policy.Within(before.DocumentSets, []string{set})[0] != set {
				t.Fatalf("the set %s is searched after %v", set, said)
			}
		}
	})
}

func FuzzSettings(f *testing.F) {
	for _, v := range []string{"true", "always", "group:a, members", "20/hour", "group:x y 3/day", "0.5", "10m", "", ",", "\x00", "١٢/hour"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, s := range policy.Settings() {
			err := s.Check(value)
			e := policy.Resolve(chat(s.Key, value))
			if (err != nil) != (len(e.Ignored) > 0) {
				t.Errorf("%s %q: Check says %v, Settle ignores %v", s.Key, value, err, e.Ignored)
			}
			if err == nil {
				if again := s.Check(s.Show(e.Policy)); again != nil {
					t.Errorf("%s %q is shown as %q, which is no value", s.Key, value, s.Show(e.Policy))
				}
			}
		}
	})
}
