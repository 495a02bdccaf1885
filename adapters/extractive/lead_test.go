package extractive_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

// An answer does not end before what its sentence leads to.
func TestIntroductionsComeWithTheirBlock(t *testing.T) {
	t.Parallel()
	for question, test := range map[string]struct{ contents, want string }{
		"how do I load a tape":                 {"A tape is loaded with this command.\n\n```\ntrobot load 4\n```", "A tape is loaded with this command.\n\n```\ntrobot load 4\n```"},
		"how are the slots shown":              {"The slots are shown by\n\n    trobot slots\n    trobot list\n\nThe robot has nine.", "The slots are shown by\n\n```\ntrobot slots\ntrobot list\n```"},
		"how are the doors shown":              {"The doors are shown by\n\n- the panel\n- the lamp", "The doors are shown by\n\n- the panel\n- the lamp"},
		"My badge does not open the garage!":   {"**Q: My badge does not open the garage.**\n\nA: Ask the front desk for a new one.\n\n**Q: Is there a bus?**\n\nA: No.", "**Q: My badge does not open the garage.**\n\nA: Ask the front desk for a new one."},
		"how heavy is a tape":                  {"A tape is heavy.\n\n## Loading\n\n```\ntrobot load 4\n```", "A tape is heavy."},
		"which quays does the marina have":     {"The marina has four quays.\n\n- Contacts\n- Berths", "The marina has four quays."},
		"who washes the robot":                 {"    The robot is washed by the caretaker.", "The robot is washed by the caretaker."},
		"how are lists of the robot continued": {"- The lists of the robot go on\n\n      with the caretaker", "- The lists of the robot go on"},
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			got, _, _ := run(t, asked(question, tool.Document{Number: 3, Title: "Tape robot", Contents: test.contents}))
			if below(got) != test.want {
				t.Errorf("answer is\n%s\nwant\n%s", below(got), test.want)
			}
		})
	}
}
