package chaostest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/sleep"
)

// question is what somebody asked. Its mark stands in the question and, once, in the answer.
type question struct {
	mark string
	in   footnotetest.Talk
	root string
}

func (q question) String() string { return fmt.Sprintf("%s in %s of %s", q.mark, q.root, q.in) }

// ask holds conversations until asking ends: a mention, and then follow-ups, some of which do not
// wait for the answer before them. The function that it returns waits for the last of them and says
// everything that was asked.
func (w *world) ask(asking, ctx context.Context, random *rand.Rand) func() []question {
	var (
		wait sync.WaitGroup
		mu   sync.Mutex
		all  []question
	)
	for i, t := range w.talks {
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(i)))
		wait.Go(func() {
			for n := 0; asking.Err() == nil; {
				root := ""
				for range 1 + own.IntN(4) {
					q := question{mark: fmt.Sprintf("Q%dx%d", i, n), in: t, root: root}
					n++
					text := "what about " + q.mark + "?"
					begins := root == ""
					if begins {
						root = t.Begin(text)
						q.root = root
					} else if t.Follow(ctx, root, text) != nil {
						return // said by settle, which looks at every question
					}
					mu.Lock()
					all = append(all, q)
					mu.Unlock()
					var err error
					switch {
					case own.IntN(3) > 0:
						err = q.answered(ctx)
					case begins: // the bot follows the threads that it knows
						err = w.taken(ctx, q)
					}
					if err != nil {
						return // likewise
					}
				}
				// Together they ask about as much as Slack lets one workspace be answered: some
				// forty answers a minute.
				if sleep.For(asking, time.Duration(15+own.IntN(15))*time.Second) != nil {
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

// taken waits until a question is stored.
func (w *world) taken(ctx context.Context, q question) error {
	const stored = `select exists (select from message where role = 'user' and text like '%' || $1::text || '?%')`
	for {
		var there bool
		if err := w.db.Pool.QueryRow(ctx, stored, q.mark).Scan(&there); err != nil || there {
			return err
		}
		if sleep.For(ctx, 20*time.Millisecond) != nil {
			return context.Cause(ctx)
		}
	}
}

// answered waits for the question's answer.
func (q question) answered(ctx context.Context) error {
	return q.in.Until(ctx, func() bool { return slices.ContainsFunc(q.in.Shows(q.root), q.isAnswer) })
}

// isAnswer reports whether a message is the whole answer to the question.
func (q question) isAnswer(p footnotetest.Post) bool {
	return !p.Writing && strings.Contains(p.Text, "The answer to "+q.mark+" begins.") && strings.Contains(p.Text, "here it ends")
}

// settle waits until everything is answered and the books are closed.
func (w *world) settle(ctx context.Context, questions []question) {
	for _, q := range questions {
		if err := q.answered(ctx); err != nil {
			w.Errorf("%s has no answer: %v", q, q.in.Shows(q.root))
		}
	}
	const open = `select count(*) from turn where state <> 'done' or disturbed`
	for w.count(open) > 0 && sleep.For(ctx, 100*time.Millisecond) == nil {
	}
	if n := w.count(open); n > 0 {
		w.Errorf("%d turns are not at their end", n)
	}
}

// inOrder reports whether all that was asked in a thread was answered once, and in order, but for
// what had been begun when an earlier question was stored: platforms hand two messages of one
// moment to whichever replica, and one that stood still stores its own later.
func (w *world) inOrder(asked, shown []string) bool {
	const began = `
		select exists (
			select from turn a join message p on p.turn_id = a.id and p.role = 'user', turn b join message q on q.turn_id = b.id and q.role = 'user'
			where p.text like '%' || $1::text || '?%' and q.text like '%' || $2::text || '?%' and b.started_at < a.intake_at)`
	for i, late := range shown {
		for _, early := range shown[i+1:] {
			if slices.Index(asked, early) > slices.Index(asked, late) {
				continue
			}
			var begun bool
			if err := w.db.Pool.QueryRow(w.Context(), began, early, late).Scan(&begun); err != nil || !begun {
				w.Logf("%s was answered before %s and begun before it was stored: %t, %v", late, early, begun, err)
				return false
			}
		}
	}
	slices.Sort(asked)
	return slices.Equal(slices.Sorted(slices.Values(shown)), asked)
}

// check looks at what people see and at what is stored.
func (w *world) check(questions []question) {
	if len(questions) < len(w.talks) {
		w.Errorf("only %d questions were asked", len(questions))
	}
	threads := map[string][]question{}
	for _, q := range questions {
		at := q.in.String() + " " + q.root
		threads[at] = append(threads[at], q)
	}
	for at, asked := range threads {
		var want, shown []string
		for _, q := range asked {
			want = append(want, q.mark)
		}
		for _, p := range asked[0].in.Shows(asked[0].root) {
			_, rest, found := strings.Cut(p.Text, "The answer to ")
			if p.Writing || !found { // half an answer, or a notice that nobody took back
				w.Errorf("left behind in %s: %v", at, p)
				continue
			}
			shown = append(shown, mark.FindString(rest))
		}
		if !w.inOrder(want, shown) {
			w.Errorf("asked %v in %s, and the thread answers %v", want, at, shown)
		}
	}
	if n := w.count(`select count(*) from turn`); n != len(questions) {
		w.Errorf("%d turns for %d questions", n, len(questions))
	}
	if n := w.count(`select count(*) from turn where outcome <> 'answered'`); n > 0 {
		w.Errorf("%d turns ended otherwise than answered", n)
	}
	for _, r := range w.discord.Requests() {
		if r.Status == http.StatusTooManyRequests {
			w.Logf("Discord refused %s %s", r.Method, r.Path)
		}
	}
	identified, resumed := w.discord.Logins()
	w.Logf("%d questions in %d threads; %d turns were taken over; refused because of their rate: %d calls by Slack, %d by Discord, where %d sessions began and %d were resumed",
		len(questions), len(threads), w.count(`select count(*) from turn where takeovers > 0`), w.slack.Limited(), w.discord.Count(429), identified, resumed)
}
