package review_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

func TestRevealTellsTheAskerWhoLooksAndWhy(t *testing.T) {
	t.Parallel()
	v := review.Viewer{Person: access.Account{ID: "UADA"}, Name: "Ada <!channel>"}
	turn := session.Turn{ID: "t1"}
	r, notice, err := review.NewReveal(v, turn, "  a wrong <!here> [answer](https://evil.example)\nwas reported ")
	if err != nil || r.Turn.ID != "t1" || r.Reason != "a wrong !here answer (https://evil.example) was reported" {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.HasPrefix(notice, "Ada !channel (UADA) looks at your question") || !strings.HasSuffix(notice, r.Reason) || strings.ContainsAny(notice, "<>[]") {
		t.Errorf("the asker reads %q", notice)
	}
	for name, reason := range map[string]string{"empty": "", "markup alone": "<<<<<>>>>>****", "a word": "because", "long": strings.Repeat("word ", 100)} {
		if _, notice, err := review.NewReveal(v, turn, reason); !errors.As(err, new(*review.InputError)) || notice != "" {
			t.Errorf("%s: %q, %v", name, notice, err)
		}
	}
	turn.Outcome = session.Superseded
	if _, _, err := review.NewReveal(v, turn, "a wrong answer was reported"); err == nil {
		t.Error("a question that no one answers can be seen")
	}
}
