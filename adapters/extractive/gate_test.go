package extractive_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// similar is an embedder that finds every text as similar to the first one as it says: below 0 it
// knows no text's language.
type similar struct {
	cosine float64
	err    error
	asked  []string
}

func (*similar) Model() string   { return "similar" }
func (*similar) Dimensions() int { return 2 }

func (s *similar) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	s.asked = texts
	out := make([][]float32, len(texts))
	for i := range out {
		switch {
		case s.cosine < 0:
			out[i] = []float32{0, 0}
		case i == 0:
			out[i] = []float32{1, 0}
		default:
			out[i] = []float32{float32(s.cosine), float32(math.Sqrt(1 - s.cosine*s.cosine))}
		}
	}
	return out, s.err
}

func gated(t *testing.T, s *similar, req llm.Request) (string, error) {
	t.Helper()
	var text strings.Builder
	for d, err := range extractive.New().WithSentences(s, retrieve.Gate{Links: 0.2, Quotes: 0.4}).Stream(t.Context(), req) {
		if err != nil {
			return "", err
		}
		text.WriteString(d.Text)
	}
	return text.String(), nil
}

func TestGateDecidesWhatIsShown(t *testing.T) {
	t.Parallel()
	roof := tool.Document{Number: 3, Title: "The  <roof>", Contents: "# Roof\n\nCheck the tiles of the roof once a year."}
	hall := tool.Document{Number: 5, Title: "Hall", Heading: "Cleaning › The floor", Contents: "The tiles of the hall are washed once a week by the caretaker."}
	const quoted, nothing, linked = "Check the tiles of the roof once a year.", "I found nothing about this", "These may help:\n\n- The `<roof>` › Roof [3]\n- Hall › The floor [5]"
	known, unknown := "How often are the tiles of the roof washed?", "Where does the janitor keep tiles of marzipan and saffron for guests?"
	for name, tt := range map[string]struct {
		question  string
		embedder  similar
		want, not string
	}{
		"far":                            {known, similar{cosine: 0.1}, nothing, "[3]"},
		"between":                        {known, similar{cosine: 0.3}, linked, quoted},
		"near":                           {known, similar{cosine: 0.5}, quoted, "may help"},
		"near, without its words":        {unknown, similar{cosine: 0.5}, "These may help:", "Check"},
		"far, without its words":         {unknown, similar{cosine: 0.1}, nothing, "[3]"},
		"another language":               {known, similar{cosine: -1}, quoted, "may help"},
		"another language, without them": {unknown, similar{cosine: -1}, nothing, "may help"},
		"too slow":                       {known, similar{cosine: 0.1, err: fmt.Errorf("embed: %w", context.DeadlineExceeded)}, quoted, "may help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := gated(t, &tt.embedder, asked(tt.question, roof, hall))
			if err != nil || !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
				t.Errorf("shows %q (%v), not %q without %q", got, err, tt.want, tt.not)
			}
		})
	}
	if _, err := gated(t, &similar{err: errors.New("damaged")}, asked(known, roof)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("an error of the embedder is lost: %v", err)
	}
}

func TestGateComparesQuestionWithQuotations(t *testing.T) {
	t.Parallel()
	roof := tool.Document{Number: 3, Title: "Roof", Contents: "# Roof\n\n## Tiles\n\n" + strings.Repeat("Check the tiles of the roof once a year. ", 40)}
	s := &similar{cosine: 0.5}
	req := asked("How often are the tiles of the roof checked?", roof)
	if _, err := gated(t, s, req); err != nil {
		t.Fatal(err)
	}
	if len(s.asked) < 2 || s.asked[0] != "How often are the tiles of the roof checked?" || !strings.HasPrefix(s.asked[1], "Roof. Tiles. Check the tiles") || len(s.asked[1]) > 600 {
		t.Errorf("compares %q", s.asked)
	}
	earlier := append([]llm.Message{user("Who cleans the roof?")}, found(roof)...)
	req.Messages = append(append(earlier, llm.Message{Role: llm.Assistant, Text: "It is the caretaker. [3]"}), asked("And how often is it checked?", roof).Messages...)
	if _, err := gated(t, s, req); err != nil {
		t.Fatal(err)
	}
	if len(s.asked) < 2 || s.asked[0] != "Who cleans the roof? And how often is it checked?" {
		t.Errorf("a follow-up is compared as %q", s.asked)
	}
}

// Below quotations the first pages of the search are linked that hold enough of the question.
func TestQuotationsComeWithLinksToFirstHits(t *testing.T) {
	t.Parallel()
	docs := []tool.Document{
		{Number: 3, Title: "Pump", Contents: "Who cleans the pump is told by the plan in the hall."},
		{Number: 4, Title: "Care", Contents: "Rinse the pump with water."},
		{Number: 5, Title: "Coffee", Contents: "The machine is in the hall."},
	}
	model := extractive.New().WithSentences(&meaning{phrases: []phrase{{"Rinse", 0.8}}}, retrieve.Gate{Links: 0.2, Quotes: 0.4})
	got := chosenBy(t, model, asked(question, docs...))
	if want := "**Care** [4]\n\nRinse the pump with water.\n\nThese may help:\n\n- Pump [3]"; !strings.HasSuffix(got, want) {
		t.Errorf("shows %q, not %q", got, want)
	}
}

// A list item that begins with a fence ends with it, and what follows is text.
func TestCodeInAnItemEnds(t *testing.T) {
	t.Parallel()
	pump := tool.Document{Number: 3, Title: "Pump", Contents: "To prime the pump, run:\n\n- ```sh\n  pump prime\n  ```\n\nThe valve of the pump is red."}
	if got, _, _ := run(t, asked("How do I prime the pump?", pump)); !strings.Contains(got, "run:\n\n```sh\n  pump prime\n```") || strings.Contains(got, "  ```") {
		t.Errorf("answer is\n%s", got)
	}
	if got, _, _ := run(t, asked("Which colour is the valve of the pump?", pump)); !strings.Contains(got, "\n\nThe valve of the pump is red.") {
		t.Errorf("answer is\n%s", got)
	}
}

// What stands between fences is quoted between fences.
func TestCodeIsQuotedAsCode(t *testing.T) {
	t.Parallel()
	laptop := tool.Document{Number: 3, Title: "Pump", Contents: "To try the pump on your laptop, run:\n\n```sh\nmake run          # installs what is missing and starts the pump there\n```"}
	if got, _, _ := run(t, asked("How do I try the pump on my laptop?", laptop)); !strings.Contains(got, "run:\n\n```sh\nmake run ") {
		t.Errorf("answer is\n%s", got)
	}
}
