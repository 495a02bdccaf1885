package chaostest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// ask holds conversations until asking ends: a mention, and then follow-ups, some of which do not wait for the answer before them. The
// function that it returns waits for the last of them and says everything that was asked.
func (w *world) ask(asking, ctx context.Context, random *rand.Rand) func() []question {
	var (
		wait sync.WaitGroup
		mu   sync.Mutex
		all  []question
	)
	for i := range conversations {
		person := w.slack.Person(fmt.Sprintf("person%d", i), nil)
		room := w.slack.Channel(fmt.Sprintf("room%d", i), nil, person)
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(i)))
		wait.Go(func() {
			for n := 0; asking.Err() == nil; {
				root := ""
				for range 1 + own.IntN(4) {
					q := question{mark: fmt.Sprintf("Q%dx%d", i, n), room: room, root: root}
					n++
					text := "what about " + q.mark + "?"
					if root == "" {
						text = slacktest.Mention() + " " + text
					}
					ts := person.Say(room, root, text)
					if root == "" {
						root, q.root = ts, ts
					}
					mu.Lock()
					all = append(all, q)
					mu.Unlock()
					if own.IntN(3) > 0 && w.answered(ctx, q) != nil {
						return // said by settle, which looks at every question
					}
				}
				// Together they ask about as much as Slack lets one workspace be answered: some forty answers a minute.
				if !pause(asking, time.Duration(15+own.IntN(15))*time.Second) {
					return
				}
			}
		})
	}
	return func() []question {
		wait.Wait()
		return all
	}
}

// answered waits for a question's answer.
func (w *world) answered(ctx context.Context, q question) error {
	return w.slack.Wait(ctx, "the answer to "+q.String(), func() bool {
		return slices.ContainsFunc(w.slack.Answers(q.room, q.root), func(m slacktest.Message) bool { return complete(m, q) })
	})
}

// complete reports whether a message is the whole answer to a question.
func complete(m slacktest.Message, q question) bool {
	return !m.Streaming && !m.Deleted && strings.Contains(m.Shown(), "The answer to "+q.mark+" begins.") && strings.Contains(m.Shown(), "here it ends")
}

// settle waits until everything is answered and the books are closed.
func (w *world) settle(ctx context.Context, questions []question) {
	for _, q := range questions {
		if err := w.answered(ctx, q); err != nil {
			w.Errorf("%s has no answer:\n%s", q, w.shown(q))
		}
	}
	const open = `select count(*) from turn where state <> 'done'`
	for w.count(open) > 0 && pause(ctx, 100*time.Millisecond) {
	}
	if n := w.count(open); n > 0 {
		w.Errorf("%d turns are not at their end", n)
	}
}

// shown is a thread as people read it.
func (w *world) shown(q question) string {
	var lines strings.Builder
	for _, m := range w.slack.Thread(q.room, q.root) {
		const most = 80
		text := m.Shown()
		fmt.Fprintf(&lines, "  %s %s streaming=%t: %s\n", m.TS, m.User, m.Streaming, text[:min(len(text), most)])
	}
	return lines.String()
}

// check looks at what people see and at what is stored.
func (w *world) check(questions []question) {
	if len(questions) < conversations {
		w.Errorf("only %d questions were asked", len(questions))
	}
	threads := map[string][]question{}
	for _, q := range questions {
		threads[q.room.ID+q.root] = append(threads[q.room.ID+q.root], q)
	}
	for _, asked := range threads {
		var shown []string
		for _, m := range w.slack.Answers(asked[0].room, asked[0].root) {
			if m.Deleted {
				continue
			}
			if m.Streaming {
				w.Errorf("half-written: %+v", m)
			}
			if _, rest, found := strings.Cut(m.Shown(), "The answer to "); found {
				shown = append(shown, mark.FindString(rest))
			}
		}
		var want []string
		for _, q := range asked {
			want = append(want, q.mark)
		}
		if !slices.Equal(shown, want) {
			w.Errorf("asked %v, and the thread answers %v", want, shown)
		}
	}
	if n := w.count(`select count(*) from turn`); n != len(questions) {
		w.Errorf("%d turns for %d questions", n, len(questions))
	}
	if n := w.count(`select count(*) from turn where outcome <> 'answered'`); n > 0 {
		w.Errorf("%d turns ended otherwise than answered", n)
	}
	w.Logf("%d questions in %d threads; %d turns were taken over; Slack refused %d calls because of their rate",
		len(questions), len(threads), w.count(`select count(*) from turn where takeovers > 0`), w.slack.Limited())
}
