package conversation_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// fault is a mistake of a board, as an adapter of a platform could make it.
type fault string

const (
	wrongThread    fault = "it answers in another thread"
	postsTwice     fault = "it posts twice"
	forgetsEdits   fault = "it forgets edits"
	longPage       fault = "it does not know how much fits on a page"
	dropsReactions fault = "it drops reactions"
	ignoresDeletes fault = "it ignores deletions"
	wrongPerson    fault = "it takes one person for another"
	wrongPresser   fault = "it takes a press for that of the asker"
	losesFiles     fault = "it loses files"
	wrongOrder     fault = "it reads threads backwards"
	loudWhisper    fault = "it tells everyone what is for one person"
	lastingSign    fault = "it shows for ever that the bot is at work"
)

// faultName is the environment variable that names the fault of the board.
const faultName = "FOOTNOTE_TEST_FAULT"

// The suite is what holds a new platform to the others, so each mistake fails one of its scenarios.
// Each is played by a process of its own.
func TestSuiteNoticesWrongPlatforms(t *testing.T) {
	t.Parallel()
	for mistake, scenario := range map[fault]string{
		wrongThread:    "a mention is answered in its thread",
		postsTwice:     "a mention is answered in its thread",
		forgetsEdits:   "an edited question is answered again in place",
		longPage:       "a long answer is shown whole and in order",
		dropsReactions: "whoever asked stops by a reaction to the question",
		ignoresDeletes: "a deleted question is not answered",
		wrongPerson:    "a person who may not ask alone sees the refusal",
		wrongPresser:   "the button stops",
		losesFiles:     "a file is read with its question",
		wrongOrder:     "a thread that is entered half-way is read once",
		loudWhisper:    "a person who may not ask alone sees the refusal",
		lastingSign:    "nothing says that the bot is at work once it has answered",
	} {
		t.Run(string(mistake), func(t *testing.T) {
			t.Parallel()
			play := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestConversation$/^"+regexp.QuoteMeta(scenario)+"$")
			play.Env = append(os.Environ(), faultName+"="+string(mistake))
			said, err := play.CombinedOutput()
			var failed *exec.ExitError
			if name := "--- FAIL: TestConversation/" + strings.ReplaceAll(scenario, " ", "_"); !errors.As(err, &failed) || !strings.Contains(string(said), name) {
				t.Errorf("the scenario %q does not notice it (%v):\n%s", scenario, err, said)
			}
		})
	}
}
