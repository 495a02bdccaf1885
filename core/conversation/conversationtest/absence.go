package conversationtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

const sayStill = "Is an answer still wanted?"

func asksAbout(s Stage, question thread.MessageID) bool {
	return slices.ContainsFunc(append(s.Shown(Place{}), s.Shown(inThread(question))...), func(m Shown) bool { return strings.Contains(m.Text, sayStill) })
}

func absences() []scenario {
	return []scenario{
		{"what was asked in an absence is answered once, and what is old is asked about", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{
				Replies: answers("The young one.", "The old one."),
				Earlier: []Earlier{{By: Ann, Text: "an old question?", Ago: 30 * time.Minute, Mentions: true}, {By: Bob, Text: "not for the bot", Ago: 6 * time.Minute},
					{By: Ann, Text: "a young question?", Ago: 5 * time.Minute, Mentions: true}},
			})
			old, young := s.Earlier()[0], s.Earlier()[2]
			s.Until("the young one is answered", func() bool { return s.Reads(Ann, "The young one.") })
			s.Until("the old one is asked about", func() bool { return s.Reads(Ann, sayStill) })
			settled(s, young)
			s.Restart(func() {})
			s.Still(Bob, old)
			waitUntilReads(s, Bob, "Only whoever asked can say so.")
			s.Still(Ann, old)
			s.Until("it is answered, and asked about no longer", func() bool { return s.Reads(Ann, "The old one.") && !asksAbout(s, old) })
			checkModelCalls(t, s, 2)
		}},
		{"a follow-up of an absence is answered where no person has", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("First of one.", "First of two.", "Second of one.")})
			one := s.Mention(Ann, Place{}, "one?")
			answered(s, inThread(one), 1)
			two := s.Mention(Ann, Place{}, "two?")
			answered(s, inThread(two), 1)
			settled(s, one)
			settled(s, two)
			s.Restart(func() {
				s.Say(Ann, inThread(two), "and further?")
				s.Say(Bob, inThread(two), "it is the same there")
				s.Say(Ann, inThread(one), "and further?")
			})
			waitUntilReads(s, Ann, "Second of one.")
			if shown := s.Shown(inThread(two)); len(shown) != 1 || strings.Contains(shown[0].Text, sayStill) {
				t.Errorf("where a person has answered it shows %+v", shown)
			}
			checkModelCalls(t, s, 3)
		}},
	}
}
