package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// BenchmarkDeepSearch measures deep searches of the real program in a Slack, with a model that
// answers at once (decision 47): how long after the model's plan it is shown, what each of six
// sub-questions takes, with two calls of the model and a search, how soon a stop has cancelled the
// model's calls and shows what was found, and how soon another process goes on after kill -9.
func BenchmarkDeepSearch(b *testing.B) {
	b.Run("plan", func(b *testing.B) {
		parts := []string{vacationDays, whoIsPaged, rollBack, "When do unused vacation days expire?", "Who gets vacation requests?", "What does the rollback restore?"}
		one := researcher(nil)
		w := newWorkplace(b, func(r openaitest.Request) openaitest.Reply {
			if r.Offers("plan_search") {
				return openaitest.Reply{Calls: []openaitest.Call{{Name: "plan_search", Arguments: fmt.Sprintf(`{"sub_questions":["%s"]}`, strings.Join(parts, `","`))}}}
			}
			return one(r)
		})
		defer w.serve().stop(b)
		var shown, parted []time.Duration
		for i := range b.N {
			before := len(w.model.ChatRequests())
			w.room = w.slack.Channel(fmt.Sprint("room", i), nil, w.alice) // in one of which Slack takes a message a second
			root := w.ask(twoMatters)
			w.until("the report is there", func() bool { return strings.Contains(w.shown(root), "footnote:up:") })
			asked := w.model.ChatRequests()[before:]
			planned := asked[slices.IndexFunc(asked, func(r openaitest.Record) bool { return r.Chat.Offers("plan_search") })].Ended
			judged := asked[slices.IndexFunc(asked, func(r openaitest.Record) bool { return r.Chat.Offers("judge_findings") })].At
			shown = append(shown, w.showedAt(b, root, parts[5]).Sub(planned))
			parted = append(parted, judged.Sub(planned)/time.Duration(len(parts)))
		}
		report(b, "plan", shown)
		report(b, "sub-question", parted)
	})
	b.Run("stop", func(b *testing.B) {
		hold := make(chan struct{})
		w := newWorkplace(b, researcher(hold))
		defer w.serve().stop(b)
		defer close(hold)
		var cancelled, shown []time.Duration
		for range b.N {
			before := len(w.model.ChatRequests())
			root := w.ask(twoMatters)
			held := func() *openaitest.Record {
				asked := w.model.ChatRequests()[before:]
				if i := slices.IndexFunc(asked, func(r openaitest.Record) bool { return asksFor(*r.Chat, whoIsPaged) }); i >= 0 {
					return &asked[i]
				}
				return nil
			}
			w.until("a row has its finding", func() bool { return strings.Contains(w.shown(root), "thirty vacation days") && held() != nil })
			began := time.Now()
			w.alice.Say(w.room, root, "stop")
			w.until("what was found is shown", func() bool { return strings.Contains(w.shown(root), "footnote:report:") })
			cancelled = append(cancelled, held().ClosedByClient.Sub(began))
			shown = append(shown, w.showedAt(b, root, "footnote:report:").Sub(began))
		}
		report(b, "cancelled", cancelled)
		report(b, "shown", shown)
	})
	b.Run("takeover", func(b *testing.B) {
		hold := make(chan struct{})
		w := newWorkplace(b, researcher(hold))
		at := w.serve()
		var took []time.Duration
		for range b.N {
			paged := func() (all []openaitest.Record) {
				for _, r := range w.model.ChatRequests() {
					if asksFor(*r.Chat, whoIsPaged) {
						all = append(all, r)
					}
				}
				return all
			}
			root := w.ask(twoMatters)
			w.until("a row has its finding", func() bool { return strings.Contains(w.shown(root), "thirty vacation days") })
			other := serve(b, w.program)
			other.readiness(w.ctx, b, http.StatusOK, nil)
			before, killed := len(paged()), time.Now()
			at.kill(b)
			if _, err := w.model.Wait(w.ctx, func([]openaitest.Record) bool { return len(paged()) > before }); err != nil {
				b.Fatalf("%v\n%s", err, other.log)
			}
			took = append(took, paged()[before].At.Sub(killed))
			at = other
			w.alice.Say(w.room, root, "stop")
			w.until("it has ended", func() bool { return strings.Contains(w.shown(root), "footnote:report:") })
		}
		close(hold)
		at.stop(b)
		report(b, "takeover", took)
	})
}

// showedAt is when a thread showed a text first.
func (w *workplace) showedAt(b *testing.B, root, text string) time.Time {
	b.Helper()
	all := w.slack.Versions()
	i := slices.IndexFunc(all, func(v slacktest.Version) bool {
		return v.Thread == root && v.Bot && strings.Contains(v.Shown()+string(v.Blocks), text)
	})
	if i < 0 {
		b.Fatalf("%q was never shown", text)
	}
	return all[i].At
}

// report tells the median and the longest of some times.
func report(b *testing.B, what string, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, what+"-ms-p50")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, what+"-ms-max")
}
