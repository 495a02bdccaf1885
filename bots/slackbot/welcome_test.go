package slackbot_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// The channel's welcome names what everyone there may read, and the home page what its person may.
func TestWelcomeNamesWhatItsReadersMayRead(t *testing.T) {
	t.Parallel()
	s := play(t, options{secret: access.ACL{access.User("slack", "U001ANN")}}, llmtest.Answer("It is."))
	s.ann.Invite(s.general)
	told := s.told(s.ann, "Hello! I answer questions from your documents")
	if !strings.Contains(told.Text, "What do the documents say about “VPN set-up”?") || strings.Contains(told.Text, "passwords") || !strings.Contains(told.Text, "To stop an answer") {
		t.Errorf("the welcome is %q", told.Text)
	}
	if len(s.Ephemeral(s.bob)) > 0 || len(s.Roots(s.general)) > 0 {
		t.Error("others read the welcome")
	}
	dm := s.ann.OpenDM()
	s.answered(dm, s.ann.Say(dm, "", "is it <!here>?"), 1)
	s.ann.OpenHome()
	s.wait("the home page", func() bool { return s.Home(s.ann) != "" })
	home := s.Home(s.ann)
	for _, part := range []string{"Hello!", "VPN set-up", "VPN passwords", "To stop an answer", "Your questions", "is it "} {
		if !strings.Contains(home, part) {
			t.Errorf("the home page lacks %q: %s", part, home)
		}
	}
	if strings.Contains(home, "<!here>") {
		t.Errorf("the home page calls people: %s", home)
	}
	s.bob.OpenHome()
	s.wait("bob's home page", func() bool { return s.Home(s.bob) != "" })
	if home := s.Home(s.bob); strings.Contains(home, "passwords") || strings.Contains(home, "Your questions") {
		t.Errorf("bob's home page shows %s", home)
	}
}

func TestWelcomeIsTurnedOff(t *testing.T) {
	t.Parallel()
	s := play(t, options{policy: []policy.SettingValue{{Key: "welcome", Value: "false"}}}, llmtest.Answer("It is."))
	s.ann.Invite(s.general)
	s.ann.OpenHome()
	s.wait("the home page", func() bool { return s.Home(s.ann) != "" })
	if home := s.Home(s.ann); home != "[]" {
		t.Errorf("the home page shows %s", home)
	}
	s.answered(s.general, s.ann.Say(s.general, "", slacktest.Mention()+" is it?"), 1)
	if told := s.Ephemeral(s.ann); len(told) > 0 {
		t.Errorf("ann is told %q", told[0].Text)
	}
}
