package answer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// rules is a configuration: what a file says of every channel, and what the store holds of changes
// in chat.
type rules struct {
	store session.Settings
	mu    sync.Mutex
	file  []policy.SettingValue
}

func (r *rules) say(pairs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 0; i < len(pairs); i += 2 {
		r.file = append(r.file, policy.SettingValue{Key: pairs[i], Value: pairs[i+1], Origin: policy.Origin{File: "footnote.yaml:7"}})
	}
}

func (r *rules) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	r.mu.Lock()
	said := append([]policy.SettingValue(nil), r.file...)
	r.mu.Unlock()
	changed, err := r.store.Settings(ctx, tenant, at)
	for _, c := range changed {
		said = append(said, policy.ChangedValue(c))
	}
	return policy.Resolve(said...), err
}

func (r *rules) Accept(_ context.Context, _ access.TenantID, _ session.Place, key, value string) error {
	if key == "agent" && value == "nobody" {
		return errors.New(`there is no agent "nobody": the agents are helper.`)
	}
	return nil
}

func (r *rules) Hash(context.Context) (string, error) { return "abc123", nil }

// judging starts a service with everything that judging and commands need.
func (s *stage) judging(pairs ...string) (*services, *rules) {
	s.Helper()
	m, r := s.store, &rules{store: s.store}
	r.say(pairs...)
	service := serve(s, answer.Deps{
		Store: m, Prompts: m,
		Signal: s.signal, Engine: accounting{s}, Setups: setups{}, Library: s, Surfaces: s, Retriever: covered{s}, Policies: r,
	}, answer.Config{},
		action.Deps{Store: m, Policies: r},
		command.Deps{Store: m, Settings: m, Policies: r})
	s.Cleanup(s.run(service))
	return service, r
}

// accounting is an engine that tells of its searches.
type accounting struct{ *stage }

func (a accounting) Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error) {
	report, err := a.stage.Run(ctx, req, sink)
	if err != nil {
		return report, err
	}
	found, err := covered(a).Search(ctx, retrieve.Search{Audience: req.Audience, Queries: []retrieve.Query{{Text: req.Question.Text}}})
	found.Trace.Queries = []string{req.Question.Text}
	report.Answers[0].Searches = []retrieve.Account{found.Account()}
	return report, err
}

// covered is a retriever whose passages match 70 % of the question.
type covered struct{ *stage }

func (c covered) Search(ctx context.Context, q retrieve.Search) (retrieve.Result, error) {
	found, err := c.stage.Search(ctx, q)
	for i := range found.Hits {
		found.Hits[i].Scores.Coverage = 0.7
	}
	return found, err
}

// hear judges a message and takes it in where that is the decision.
func (s *stage) hear(r *services, text string, change ...func(*answer.Occurrence)) answer.Judgement {
	s.Helper()
	s.serial++
	o := answer.Occurrence{Tenant: tenant, Ref: channelRef, Message: thread.MessageID(fmt.Sprint("q", s.serial)), Author: "U1", Text: text}
	for _, c := range change {
		c(&o)
	}
	j, err := r.Judge(s.Context(), o)
	if err != nil {
		s.Fatal(err)
	}
	if j.Action != policy.Answer {
		return j
	}
	_, err = r.Take(s.Context(), answer.Question{Judgement: j, Bot: o.Bot, Mention: thread.Mention{
		Ref: o.Ref, EventKey: fmt.Sprint("e", s.serial), Message: o.Message, Asker: thread.Person{ID: o.Author}, Text: text, At: time.Now(),
		Tenant: tenant, Direct: o.Direct, Listens: s.channel,
	}})
	if err != nil {
		s.Fatal(err)
	}
	return j
}

func by(person string) func(*answer.Occurrence) {
	return func(o *answer.Occurrence) { o.Author = person }
}
func mentioned(o *answer.Occurrence) { o.Mentioned = true }
func replying(o *answer.Occurrence)  { o.InThread = true }
func holding(p ...access.Principal) func(*answer.Occurrence) {
	return func(o *answer.Occurrence) {
		o.Holds = func(context.Context) (access.Audience, error) { return access.NewAudience(tenant, p...), nil }
	}
}

func TestJudgeFollowsAThread(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, _ := s.judging()
		want := func(what string, j answer.Judgement, reason policy.Reason) {
			s.Helper()
			if j.Reason != reason {
				s.Errorf("%s: %s, want %s", what, j.Reason, reason)
			}
		}
		want("a root message", s.hear(r, "what is alpha?"), "not_addressed")
		want("a stop that is meant for somebody else", s.hear(r, "stop", replying), "other_thread")
		want("a mention", s.hear(r, "what is alpha?", mentioned), "mention")
		want("a follow-up", s.hear(r, "and b?", replying), "dialogue")
		want("thanks", s.hear(r, "thank you very much!", replying), "small_talk")
		want("thanks of another person", s.hear(r, "thanks!", replying, by("U2")), "small_talk")
		want("a follow-up after them", s.hear(r, "and c?", replying), "dialogue")
		want("another person", s.hear(r, "I think so", replying, by("U2")), "people_talk")
		want("stop", s.hear(r, "stop", replying), "stop")
		want("stop following", s.hear(r, "stop following", replying), "unfollow")
		if err := s.store.Unfollow(s.Context(), tenant, channelRef, "U1"); err != nil {
			s.Fatal(err)
		}
		want("after that", s.hear(r, "and c?", replying), "unfollowed")
		want("a mention brings it back", s.hear(r, "and d?", replying, mentioned), "mention")
		other := func(o *answer.Occurrence) { o.Ref.Thread = "2" }
		want("a mention elsewhere", s.hear(r, "what is alpha?", mentioned, other), "mention")
		time.Sleep(25 * time.Hour)
		want("a day later", s.hear(r, "and e?", replying), "idle")
		late := func(o *answer.Occurrence) { o.Age = 2 * time.Hour }
		want("what was written within a day, and is read late", s.hear(r, "and f?", replying, other, late), "dialogue")
	})
}

// Where strangers can bring the bot, it follows what it opened itself until somebody says how it is
// to behave.
func TestJudgeFollowsThreadsOfOthersOnlyWhereSomebodyChose(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, rules := s.judging()
		foreign := func(o *answer.Occurrence) { o.InThread, o.Foreign = true, true }
		if j := s.hear(r, "what is alpha?", foreign, mentioned); j.Reason != "mention" {
			s.Errorf("a mention: %s", j.Reason)
		}
		if j := s.hear(r, "and b?", foreign); j.Action != policy.Observe || j.Reason != "foreign_thread" {
			s.Errorf("a follow-up before anybody chose: %s", j.Reason)
		}
		rules.say("follow", "dialogue")
		if j := s.hear(r, "and c?", foreign); j.Reason != "dialogue" {
			s.Errorf("a follow-up: %s", j.Reason)
		}
	})
}

func TestJudgeAsksWhoSomebodyIsOnlyWhereItMatters(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		asked := 0
		counting := func(p ...access.Principal) func(*answer.Occurrence) {
			return func(o *answer.Occurrence) {
				o.Holds = func(context.Context) (access.Audience, error) {
					asked++
					return access.NewAudience(tenant, p...), nil
				}
			}
		}
		r, rules := s.judging()
		s.hear(r, "what is alpha?", mentioned, counting())
		if asked != 0 {
			s.Errorf("an open channel asked %d times who somebody is", asked)
		}
		rules.say("askers", "group:staff")
		if j := s.hear(r, "what is alpha?", mentioned, counting("group:staff")); j.Action != policy.Answer {
			s.Errorf("one of those who may ask: %+v", j.Decision)
		}
		if j := s.hear(r, "what is alpha?", mentioned, counting()); j.Action != policy.Refuse || j.Sentence() == "" {
			s.Errorf("a stranger: %+v", j.Decision)
		}
		if j := s.hear(r, "what is alpha?", mentioned); j.Reason != "not_permitted" { // nobody can say who it is
			s.Errorf("somebody unknown: %+v", j.Decision)
		}
		if j := s.hear(r, "who cares", counting()); j.Reason != "not_addressed" || asked != 2 {
			s.Errorf("a message that is not answered anyway: %s, asked %d times", j.Reason, asked)
		}
	})
}

func TestBotsAreHeardUntilTheyLoop(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, _ := s.judging("bots", "true", "bot_turns", "2")
		bot := func(o *answer.Occurrence) { o.Bot, o.Author, o.Mentioned, o.InThread = true, "B1", true, true }
		var reasons []string
		for range 4 {
			reasons = append(reasons, string(s.hear(r, "what is alpha?", bot).Reason))
		}
		s.hear(r, "what is alpha?", mentioned, replying)
		reasons = append(reasons, string(s.hear(r, "what is alpha?", bot).Reason))
		if got := strings.Join(reasons, " "); got != "mention mention bot_loop bot_loop mention" {
			s.Errorf("decisions %s", got)
		}
	})
}

func TestQuotasSayWhenToComeBack(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, rules := s.judging("user_quota", "2/hour", "role_quota", "group:interns 1/hour")
		inThread := func(n string) func(*answer.Occurrence) { return func(o *answer.Occurrence) { o.Ref.Thread = n } }
		s.hear(r, "what is alpha?", mentioned, inThread("1"))
		s.hear(r, "what is alpha?", mentioned, inThread("2"))
		s.hear(r, "what is alpha?", mentioned, inThread("3"))
		s.hear(r, "what is alpha?", mentioned, inThread("4"), by("U2"), holding("group:interns"))
		s.hear(r, "what is alpha?", mentioned, inThread("5"), by("U3"), holding("group:interns"))
		s.settle()
		seen := s.seen("")
		limited := 0
		for _, m := range s.whispers {
			if strings.Contains(m, "You've asked 2 questions this hour, the limit per person here. Try again at 01:00 UTC.") ||
				strings.Contains(m, "No more questions can be asked here for now. Try again at 01:00 UTC.") {
				limited++
			}
		}
		if len(seen) != 3 || limited != 2 {
			s.Errorf("five questions were answered with\n%q, and their askers alone were told\n%q", seen, s.whispers)
		}
		time.Sleep(time.Hour)
		rules.say("user_quota", "100/day")
		s.hear(r, "what is alpha?", mentioned, inThread("6"))
		s.settle()
		if seen := s.seen(""); !strings.HasPrefix(seen[3], "alpha says so") {
			s.Errorf("after the window: %q", seen[3])
		}
	})
}

func TestVerdictsAreKept(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, _ := s.judging()
		s.hear(r, "just talking")
		s.settle()
		v, err := s.store.Verdict(s.Context(), tenant, channelRef, "q1")
		if err != nil || v.Reason != "not_addressed" || v.Action != "ignore" {
			s.Errorf("verdict %+v, %v", v, err)
		}
	})
}

func TestAnEditedQuestionIsAnsweredInPlace(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		s.publish("beta", access.Members)
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		s.want("", "alpha says so [[1]](https://docs.example/alpha). <up> <down>")
		changed, err := s.edit(r, "what is beta?")
		if err != nil || changed.Turn == "" {
			s.Fatalf("edited: %+v, %v", changed, err)
		}
		s.want("", "beta says so [[1]](https://docs.example/beta). <up> <down>")
		if changed, err = s.edit(r, " what is beta?\n"); err != nil || !changed.Same {
			s.Errorf("an edit that changes nothing: %+v, %v", changed, err)
		}
		if changed, err = s.edit(r, " "); err != nil || !changed.Same {
			s.Errorf("an edit that leaves no word: %+v, %v", changed, err)
		}
		var rejected policy.Rejection
		long := strings.Repeat("a", 100_001)
		if _, err = s.edit(r, long); !errors.As(err, &rejected) {
			s.Errorf("an edit that is too long: %v", err)
		}
		s.want("", "beta says so [[1]](https://docs.example/beta). <up> <down>")
	})
}

func TestEditsCountAndHoldWhereAnswersDo(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		s.publish("beta", access.Members)
		r, rules := s.judging("user_quota", "2/hour")
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		if _, err := s.edit(r, "what is beta?"); err != nil {
			s.Fatal(err)
		}
		var rejected policy.Rejection
		if _, err := s.edit(r, "what is alpha now?"); !errors.As(err, &rejected) || !strings.Contains(rejected.Sentence, "Try again at") {
			s.Errorf("an edit beyond the quota: %v", err)
		}
		rules.say("paused", "true")
		time.Sleep(time.Hour)
		if _, err := s.edit(r, "what is alpha now?"); err != nil {
			s.Errorf("an edit while answering pauses: %v", err)
		}
		s.want("", "beta says so [[1]](https://docs.example/beta). <up> <down>")
	})
}

func TestAQuestionEditedWhileItRunsBeginsAgain(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		s.publish("beta", access.Members)
		s.slow = time.Hour
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		time.Sleep(10 * time.Second)
		s.want("", "written while it runs")
		s.mu.Lock()
		s.slow = 0
		s.mu.Unlock()
		if _, err := s.edit(r, "what is beta?"); err != nil {
			s.Fatal(err)
		}
		s.want("", "beta says so [[1]](https://docs.example/beta). <up> <down>")
	})
}

func TestADeletedQuestionMarksItsAnswer(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		if _, err := r.Deleted(s.Context(), tenant, channelRef, "q1"); err != nil {
			s.Fatal(err)
		}
		s.settle()
		s.want("", "alpha says so [[1]](https://docs.example/alpha). (The question was deleted.)")
		s.hear(r, "and now alpha?", mentioned, replying)
		s.settle()
		if h := s.histories[len(s.histories)-1]; h != "" {
			s.Errorf("the history holds what was withdrawn: %q", h)
		}
	})
}

func TestADeletedQuestionEndsItsTurn(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.slow = time.Hour
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.hear(r, "what is beta?", mentioned)
		time.Sleep(10 * time.Second)
		for _, id := range []thread.MessageID{"q1", "q2", "q9"} {
			if _, err := r.Deleted(s.Context(), tenant, channelRef, id); err != nil {
				s.Fatal(err)
			}
		}
		s.settle()
		s.want("", "written while it runs (The question was deleted.)")
		if n, err := s.store.Waiting(s.Context(), tenant, session.PlaceOf(channelRef)); n != 0 || err != nil {
			s.Errorf("%d turns still wait, %v", n, err)
		}
		s.slow = 0
		s.serial = 8
		s.hear(r, "what is c?", mentioned) // whose deletion came first
		s.settle()
		if seen := s.seen(""); len(seen) != 2 || !strings.Contains(seen[1], "Stopped") {
			s.Errorf("the channel sees %q", seen)
		}
	})
}

func TestAGreetingIsNotSearchedFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"hello": true, "Hi there!": true, "thanks a lot 🙏": true, "ok": true, "👍": true, "<@U1> good morning": true, "vielen Dank": true,
		"yes": false, "hello, how do I log in?": false, "is this all for now": false, "": false, "<@U1>": false, "thanks, and what about b?": false,
		"hello world example": false, "`ok`": false, "no": false, "hi hi hi hi hi hi hi hi hi": false,
	} {
		if got := policy.IsSmallTalk(text); got != want {
			t.Errorf("IsSmallTalk(%q) = %v", text, got)
		}
	}
}

func TestQuestionsAreToldFromRemarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text        string
		words, mark bool
	}{
		{"How do I reset my password?", true, true},
		{"how do I reset my password", true, false},
		{"hi all, anyone knows where the logs are", true, false},
		{"The build is red. Why is that", true, false},
		{"Wie setze ich mein Passwort zurück", true, false},
		{"パスワードは？", true, true},
		{"See https://example.org/?q=1 for more", false, false},
		{"the regexp is `a?`", false, false},
		{"I restarted it.", false, false},
		{"what", false, false},
		{"", false, false},
	} {
		if got := policy.IsQuestion(tt.text, policy.TestWords); got != tt.words {
			t.Errorf("IsQuestion(%q, words) = %v", tt.text, got)
		}
		if got := policy.IsQuestion(tt.text, policy.TestMark); got != tt.mark {
			t.Errorf("IsQuestion(%q, mark) = %v", tt.text, got)
		}
	}
}

// edit changes the text of the first question, and lets happen what comes of that.
func (s *stage) edit(r *services, text string) (session.Changed, error) {
	changed, err := r.Edited(s.Context(), session.Edit{Tenant: tenant, Ref: channelRef, Message: "q1", Text: text})
	s.settle()
	return changed, err
}

// bare runs a test in a bubble, with the replicas that it starts itself.
func bare(t *testing.T, test func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newStage(t)) })
}

// quoting says that its only model can do no more than quote documents.
type quoting struct{ models []llm.Model }

func (q quoting) Setup(context.Context, session.Turn) (answer.Setup, error) {
	return answer.Setup{Models: q.models}, nil
}
