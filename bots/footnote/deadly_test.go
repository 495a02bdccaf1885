package main_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// One question among eleven ends the process whenever its answer is written, in the only replica
// that there is. The others are answered, each once; it ends with a sentence after two deaths while
// it ran alone.
func TestDeadlyQuestionCostsTheOthersNothing(t *testing.T) {
	t.Parallel()
	const innocent = 10
	all := make(chan struct{}) // closed once every question runs
	s := stage(t, nil)
	var begun atomic.Int32
	s.model.Otherwise(func(req openaitest.Request) openaitest.Reply {
		name := ""
		for _, m := range req.Messages {
			if found := askedAbout.FindString(m.Text()); m.Role == "user" && found != "" {
				name = found
			}
		}
		reply := openaitest.Reply{
			Text: "The answer to " + name + " has a beginning, which is long enough to be shown, and here it ends.", Gate: all, GateAfter: 14,
		}
		if name == "question-deadly" {
			begun.Add(1)
			reply.Gate = make(chan struct{})
		}
		return reply
	})
	p := newProgram(t, s.settings()...)
	db := database(t, p)
	r := footnotetest.Serve(t, binary, footnotetest.Environment(p.env...))
	r.Ready()
	roots := map[string]string{}
	for n := range innocent {
		name := fmt.Sprintf("question-innocent-%c", 'a'+n)
		roots[name] = s.ask(name)
	}
	deadly := s.ask("question-deadly")
	s.until("all questions run", func() bool {
		var n int
		err := db.Pool.QueryRow(s.ctx, `select count(*) from turn where state = 'running'`).Scan(&n)
		return err == nil && n == innocent+1 && begun.Load() == 1
	})
	failed := func() bool {
		a := s.Answers(s.room, deadly)
		return len(a) == 1 && !a[0].Streaming && strings.Contains(a[0].Shown(), "kept ending the program")
	}
	deaths := int32(0)
	for ; !failed(); deaths++ {
		r.End(syscall.SIGKILL)
		if deaths == 0 {
			close(all)
		}
		r.Start()
		s.until("it runs again, or has failed", func() bool { return begun.Load() > deaths+1 || failed() })
		if failed() {
			deaths++
			break
		}
	}
	for name, root := range roots {
		s.answered(root, name)
	}
	if deaths != 4 { // eleven at once, six at once, then alone, twice
		t.Errorf("the process died %d times, want 4", deaths)
	}
	a := s.Answers(s.room, deadly)
	var reference string
	if err := db.Pool.QueryRow(s.ctx, `select reference from turn where outcome = 'failed' and lone_deaths = 2`).Scan(&reference); err != nil {
		t.Fatal(err)
	}
	if reference == "" || !strings.Contains(a[0].Shown(), reference) || !strings.Contains(r.Log(), reference) {
		t.Errorf("the reference %q is not in the answer or not in the log: %s", reference, a[0].Shown())
	}
	t.Log(a[0].Shown())
	after := s.ask("question-afterwards")
	s.answered(after, "question-afterwards")
	r.End(syscall.SIGTERM)
}
