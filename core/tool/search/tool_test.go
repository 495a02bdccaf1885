package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/google/go-cmp/cmp"
)

type index struct {
	result retrieve.Result
	err    error
	asked  []retrieve.Search
}

func (x *index) Search(_ context.Context, s retrieve.Search) (retrieve.Result, error) {
	x.asked = append(x.asked, s)
	return x.result, x.err
}

// store holds passages with their access lists.
type store map[document.ChunkID]retrieve.Passage

func (s store) Chunks(_ context.Context, a access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	var out []retrieve.Passage
	for _, id := range ids {
		if p, ok := s[id]; ok && a.MayRead(p.ACL) {
			out = append(out, p)
		}
	}
	return out, nil
}

func ref(name string) document.Ref {
	return document.Ref{ID: document.ID(name), Kind: "file", Title: "Title " + name, URL: "https://docs.example/" + name, UpdatedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
}

func hit(name string, chunk document.ChunkID, text string) retrieve.Hit {
	r := ref(name)
	return retrieve.Hit{Document: r, Chunk: chunk, Anchor: "s", Link: r.Link("s"), Heading: []string{"Guide", "Setup"}, Text: text}
}

var members = access.NewAudience(access.DefaultTenant, access.Members)

func user(text string) message.Message { return message.Message{Role: message.User, Text: text} }

func scope(question string, history ...message.Message) tool.Scope {
	return tool.Scope{Audience: members, Question: question, History: history, Citations: cite.NewMapping(), First: true}
}

// run runs one call and returns its result with the packets sent.
func run(t *testing.T, s *search.Tool, arguments string, scope tool.Scope) (tool.Result, []packet.Packet, error) {
	t.Helper()
	queue, drained := make(chan packet.Packet, 20), make(chan struct{})
	result, err := s.Run(t.Context(), tool.Call{Arguments: json.RawMessage(arguments), Scope: scope}, packet.NewEmitter(queue, drained, packet.Placement{}))
	close(queue)
	return result, slices.Collect(func(yield func(packet.Packet) bool) {
		for p := range queue {
			yield(p)
		}
	}), err
}

func TestStandalone(t *testing.T) {
	t.Parallel()
	setup := user("How do I set up streaming replication?")
	monitor := user("and how do I monitor it?")
	for _, tc := range []struct {
		name, question string
		history        []message.Message
		want           string
	}{
		{"the first question", "and how do I monitor it?", nil, "and how do I monitor it?"},
		{"a follow-up that points back", "and how do I monitor it?", []message.Message{setup}, "How do I set up streaming replication? and how do I monitor it?"},
		{"a follow-up to a follow-up", "what about Windows?", []message.Message{setup, monitor}, "How do I set up streaming replication? and how do I monitor it? what about Windows?"},
		{"answers are not taken", "and how do I monitor it?", []message.Message{setup, {Role: message.Assistant, Text: "Use slots."}}, "How do I set up streaming replication? and how do I monitor it?"},
		{"a new question stands alone", "Which ports does the firewall need for backups?", []message.Message{setup}, "Which ports does the firewall need for backups?"},
		{"German", "Und wie überwache ich das?", []message.Message{user("Wie richte ich Streaming Replication ein?")}, "Wie richte ich Streaming Replication ein? Und wie überwache ich das?"},
		{"the subject of a long chain is kept", "why?", []message.Message{setup, monitor, user("what about Windows?"), user("is that dangerous?")},
			"How do I set up streaming replication? is that dangerous? why?"},
		{"no question stands alone", "why?", []message.Message{user("how?"), user("who?"), user("when?")}, "how? when? why?"},
		{"a short new question", "how do I reset a password?", []message.Message{setup, monitor}, "how do I reset a password?"},
		{"what something is", "what is vacuum?", []message.Message{setup, monitor}, "what is vacuum?"},
		{"a name", "deadlocks", []message.Message{setup, monitor}, "deadlocks"},
		{"a known thing", "which is the default?", []message.Message{setup}, "How do I set up streaming replication? which is the default?"},
		{"a thing of something", "how do I read the output?", []message.Message{setup}, "How do I set up streaming replication? how do I read the output?"},
		{"an addition", "and what about a delayed standby server?", []message.Message{setup}, "How do I set up streaming replication? and what about a delayed standby server?"},
		{"a word that points back within the question", "How do I restore a backup of a database and verify it?", []message.Message{setup}, "How do I restore a backup of a database and verify it?"},
		{"an addition to a new subject", "and verify it?", []message.Message{setup, monitor, user("How do I restore a backup?")}, "How do I restore a backup? and verify it?"},
		{"French", "et comment le surveiller ?", []message.Message{user("Comment configurer la réplication en continu ?")}, "Comment configurer la réplication en continu ? et comment le surveiller ?"},
		{"thanks between", "and how do I monitor it?", []message.Message{setup, {Role: message.User, Text: "perfect", Courtesy: true}}, "How do I set up streaming replication? and how do I monitor it?"},
		{"nothing asked before", "why?", []message.Message{{Role: message.Assistant, Text: "Hello."}, user(" ")}, "why?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := search.Standalone(tc.question, tc.history); got != tc.want {
				t.Errorf("Standalone = %q, want %q", got, tc.want)
			}
		})
	}
}

func weights(queries []retrieve.Query) []string {
	var out []string
	for _, q := range queries {
		line := fmt.Sprintf("%.2f %s", q.Weight, q.Text)
		if q.Alpha != nil {
			line += fmt.Sprintf(" (alpha %.1f)", *q.Alpha)
		}
		out = append(out, line)
	}
	return out
}

func TestQueriesAndTheirWeights(t *testing.T) {
	t.Parallel()
	history := []message.Message{user("How do I set up streaming replication?"), {Role: message.Assistant, Text: "So."}}
	const question = "and how do I monitor it?"
	for _, tc := range []struct {
		name  string
		fast  llm.Model
		later bool
		args  string
		want  []string
	}{
		{"without a fast model", nil, false, `{"queries":["monitor replication"]}`, []string{
			"1.30 monitor replication", "0.36 How do I set up streaming replication? and how do I monitor it?", "0.14 and how do I monitor it?",
		}},
		{"with a fast model", expander("\"Monitoring streaming replication\"\n", "- pg_stat_replication\n2. replication lag\nwal\nfour\n"), false, `{"queries":["Replication  Lag"]}`, []string{
			"1.60 replication lag", "0.36 Monitoring streaming replication", "0.30 pg_stat_replication (alpha 0.2)", "0.30 wal (alpha 0.2)", "0.14 and how do I monitor it?",
		}},
		{"a fast model that does something else", expander("I cannot help with that.", "Sorry, I do not know which keywords could be meant here."), false, `{"query":"x"}`, []string{
			"1.30 x", "0.36 How do I set up streaming replication? and how do I monitor it?", "0.14 and how do I monitor it?",
		}},
		{"a fast model that fails", llmtest.New(llm.Info{}), false, `{"query":"x"}`, []string{
			"1.30 x", "0.36 How do I set up streaming replication? and how do I monitor it?", "0.14 and how do I monitor it?",
		}},
		{"a model that repeats a question which says nothing by itself", nil, false, `{"queries":["And how do I monitor it?", "lag"]}`, []string{
			"1.30 lag", "0.36 How do I set up streaming replication? and how do I monitor it?", "0.14 and how do I monitor it?",
		}},
		{"a later search asks only what the model wants", nil, true, `{"queries":["lag"]}`, []string{"1.30 lag"}},
		{"no queries at all", nil, true, `{}`, []string{"0.36 How do I set up streaming replication? and how do I monitor it?"}},
		{"more queries than allowed", nil, true, `{"queries":["a","b","c","d","e","f","g","h"]}`, []string{"1.30 a", "1.30 b", "1.30 c", "1.30 d", "1.30 e", "1.30 f"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := &index{}
			sc := scope(question, history...)
			sc.First = !tc.later
			result, packets, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{Fast: tc.fast}), tc.args, sc)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, weights(x.asked[0].Queries)); diff != "" {
				t.Errorf("queries (-want +got):\n%s", diff)
			}
			var ran struct{ Queries []string }
			if err := json.Unmarshal(result.Arguments, &ran); err != nil || len(ran.Queries) != len(tc.want) {
				t.Errorf("the history keeps %s, %v", result.Arguments, err)
			}
			for _, q := range packets[1].Payload.(packet.SearchQueries).Queries {
				if !slices.Contains(ran.Queries, q) {
					t.Errorf("packets show %q, which was not asked", q)
				}
			}
		})
	}
}

// expanding is a fast model that tells its two tasks apart.
type expanding struct{ standalone, keywords string }

func expander(standalone, keywords string) llm.Model { return expanding{standalone, keywords} }

func (expanding) Info() llm.Info { return llm.Info{Name: "fast"} }
func (e expanding) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	text := e.keywords
	if strings.Contains(req.Messages[0].Text, "Rewrite") {
		text = e.standalone
	}
	return llmtest.New(llm.Info{}, llmtest.Answer(text)).Stream(ctx, req)
}

func TestSlowFastModelIsSkipped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := &index{}
		fast := llmtest.New(llm.Info{}, llmtest.Reply{llmtest.Hang()}, llmtest.Reply{llmtest.Hang()})
		began := time.Now()
		_, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{Fast: fast, Wait: 3 * time.Second}), `{"queries":["a"]}`, scope("How?", user("What?")))
		if err != nil || time.Since(began) != 3*time.Second || fast.Open() != 0 || len(x.asked) != 1 {
			t.Errorf("error %v after %s, %d streams open, %d searches", err, time.Since(began), fast.Open(), len(x.asked))
		}
	})
}

// A fast model that panics costs its part of the search, and is told of in the log.
func TestPanicOfTheFastModelIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var mu sync.Mutex
	x := &index{}
	fast := llmtest.New(llm.Info{Name: "quick"}, llmtest.Reply{llmtest.Panic("boom")}, llmtest.Reply{llmtest.Panic("boom")})
	logger := slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(p)
	}), nil))
	_, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{Fast: fast, Logger: logger}), `{"queries":["a"]}`, scope("How?", user("What?")))
	if err != nil || len(x.asked) != 1 {
		t.Errorf("error %v, %d searches", err, len(x.asked))
	}
	if said := log.String(); strings.Count(said, "boom") < 2 || !strings.Contains(said, "model=quick") || !strings.Contains(said, "stack=") {
		t.Errorf("the log says %s", said)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestResult(t *testing.T) {
	t.Parallel()
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("a", 1, "one two"), hit("b", 2, "three"), hit("a", 3, "four")}}}
	result, packets, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope("latest release?"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"documents":[
{"document":1,"page_id":"p1","title":"Title a","updated":"2026-01-02","url":"https://docs.example/a#s","heading":"Guide › Setup","source":"file","contents":"one two"},
{"document":2,"page_id":"p2","title":"Title b","updated":"2026-01-02","url":"https://docs.example/b#s","heading":"Guide › Setup","source":"file","contents":"three"},
{"document":3,"page_id":"p1","title":"Title a","updated":"2026-01-02","heading":"Guide › Setup","source":"file","contents":"four"}
]}`
	if diff := cmp.Diff(want, result.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if !result.Citable || !result.Evidence || len(result.References) != 3 || !x.asked[0].FavorRecent || x.asked[0].Audience.Key() != members.Key() {
		t.Errorf("result %+v of search %+v", result, x.asked[0])
	}
	if result.Search == nil || len(result.Search.Found) != 3 || result.Search.Found[1].Title != "Title b" {
		t.Errorf("the search cannot be explained: %+v", result.Search)
	}
	var kinds []string
	for _, p := range packets {
		kinds = append(kinds, p.Payload.Kind())
	}
	if docs := packets[len(packets)-1].Payload.(packet.SearchDocuments).Documents; len(kinds) != 3 || len(docs) != 2 {
		t.Errorf("packets %q with documents %v", kinds, docs)
	}
}

func TestLooseMatchesAreMarked(t *testing.T) {
	t.Parallel()
	x := &index{result: retrieve.Result{Hits: []retrieve.Hit{hit("a", 1, "the body"), hit("a", 2, "x"), hit("b", 3, "y")}, Closest: []document.Ref{{ID: "a"}}}}
	result, packets, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope("How?"))
	if err != nil || result.Evidence || len(result.References) != 3 || result.References[0].Text != "the body" || len(result.Closest) != 1 {
		t.Errorf("result %+v, %v", result, err)
	}
	if strings.Count(result.Content, `"match":"loose"`) != 3 || !strings.Contains(result.Content, "the body") || !strings.Contains(result.Content, "Judge by what they say") {
		t.Errorf("content = %s", result.Content)
	}
	if docs := packets[len(packets)-1].Payload.(packet.SearchDocuments).Documents; len(docs) != 2 {
		t.Errorf("documents %v are shown as found", docs)
	}
}

func TestNothingFoundNote(t *testing.T) {
	t.Parallel()
	result, _, err := run(t, search.New(&index{}, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope("How?"))
	if err != nil || result.Evidence || len(result.References) != 0 || !strings.Contains(result.Content, `"documents":[]`) || !strings.Contains(result.Content, "found no passage") {
		t.Errorf("content %s, %v", result.Content, err)
	}
}

func TestMetadataReachesTheModel(t *testing.T) {
	t.Parallel()
	h := hit("a", 1, "It is done.")
	h.Metadata = map[string]string{"status": "closed", "tags": "api,\nrelease"}
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{h}}}
	result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope("How?"))
	if err != nil || !strings.Contains(result.Content, `"title":"Title a","metadata":"status: closed; tags: api, release",`) {
		t.Errorf("content %s, %v", result.Content, err)
	}
}

// A follow-up brings back the passages that earlier answers were shown, and nothing else: neither a
// file that has no chunk, nor a chunk that only has the number which older versions stored for such
// files.
func TestBackfillUsesOnlyShownPassages(t *testing.T) {
	t.Parallel()
	chunks := store{}
	for id, name := range []string{"never", "shown"} {
		chunks[document.ChunkID(id)] = retrieve.Passage{Document: ref(name), ACL: access.ACL{access.Members}, ID: document.ChunkID(id), Chunk: document.Chunk{Text: "fresh " + name}}
	}
	past := []message.Message{user("How do I set up streaming replication?"), {Role: message.Assistant, Text: "So.", Documents: []message.Reference{
		{Document: ref("charter"), Text: "The whole file."},
		{Document: ref("older"), Chunk: new(document.ChunkID(0)), Text: "The whole file, as older versions stored it."},
		{Document: ref("shown"), Chunk: new(document.ChunkID(1)), Text: "stale"},
	}}}
	result, _, err := run(t, search.New(&index{}, chunks, budgettest.NewWords(), search.Config{}), `{"queries":["more"]}`, scope("tell me more", past...))
	if err != nil || len(result.References) != 1 || result.References[0].Document.ID != "shown" || strings.Contains(result.Content, "never") {
		t.Errorf("references %+v, %v", result.References, err)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	long := func(word string) string { return strings.Repeat(word+" ", 50) }
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("a", 1, long("one")), hit("b", 2, long("two")), hit("c", 3, long("three"))}}}
	sc := scope("How?")
	sc.Budget = 130
	result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, sc)
	if err != nil || len(result.References) != 2 || !strings.Contains(result.Content, "left out") || sc.Citations.Len() != 2 {
		t.Errorf("%d references, %d numbers, %v: %s", len(result.References), sc.Citations.Len(), err, result.Content)
	}
}

// "Tell me more" stands on the sources of earlier turns, newest first, but only on those that
// today's audience may read.
func TestBackfill(t *testing.T) {
	t.Parallel()
	secret, open := access.ACL{access.Group("board")}, access.ACL{access.Members}
	chunks := store{}
	var past []message.Message
	for turn := range 3 {
		past = append(past, user("How?"))
		var refs []message.Reference
		for i := range 2 {
			id := document.ChunkID(turn*10 + i)
			name := fmt.Sprintf("t%dc%d", turn, i)
			acl := open
			if id == 20 {
				acl = secret
			}
			chunks[id] = retrieve.Passage{Document: ref(name), ACL: acl, ID: id, Chunk: document.Chunk{Text: "fresh " + name}}
			refs = append(refs, message.Reference{Document: ref(name), Chunk: new(id), Text: "stale"})
		}
		past = append(past, message.Message{Role: message.Assistant, Text: "So.", Documents: refs})
	}
	delete(chunks, 11) // the document is gone
	for _, tc := range []struct {
		name     string
		question string
		found    retrieve.Result
		later    bool
		want     []string
		evidence bool
	}{
		{"nothing found for a question that stands alone", "Where is the best pizza of Naples?", retrieve.Result{}, false, nil, false},
		{"nothing found", "tell me more", retrieve.Result{}, false, []string{"t2c1", "t1c0", "t0c0", "t0c1"}, false},
		{"nothing close found", "tell me more", retrieve.Result{Hits: []retrieve.Hit{hit("new", 99, "new"), hit("t2c1", 21, "again")}}, false, []string{"t2c1", "t1c0", "t0c0", "t0c1", "new"}, false},
		{"little found", "tell me more", retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("new", 99, "new"), hit("t2c1", 21, "again")}}, false, []string{"new", "t2c1", "t1c0", "t0c0"}, true},
		{"enough found", "tell me more", retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("a", 91, "a"), hit("b", 92, "b"), hit("c", 93, "c"), hit("d", 94, "d")}}, false, []string{"a", "b", "c", "d"}, true},
		{"a later search", "tell me more", retrieve.Result{}, true, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			sc := scope(tc.question, past...)
			sc.First = !tc.later
			result, _, err := run(t, search.New(&index{result: tc.found}, chunks, budgettest.NewWords(), search.Config{}), `{"queries":["more"]}`, sc)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range result.References {
				if r.Text == "" {
					t.Errorf("%s was named by its title alone", r.Document.ID)
				}
				got = append(got, string(r.Document.ID))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || result.Evidence != tc.evidence {
				t.Errorf("evidence %v, references (-want +got):\n%s", result.Evidence, diff)
			}
			if strings.Contains(result.Content, "stale") {
				t.Error("a passage was shown as it was, not as it is")
			}
		})
	}
}

// A follow-up to a question that found nothing does not fall back on what was spoken of before
// that.
func TestBackfillStaysWithTheSubject(t *testing.T) {
	t.Parallel()
	chunks := store{1: {Document: ref("a"), ACL: access.ACL{access.Members}, ID: 1, Chunk: document.Chunk{Text: "a"}}}
	past := []message.Message{
		user("How do I set up streaming replication?"), {Role: message.Assistant, Text: "So.", Documents: []message.Reference{{Document: ref("a"), Chunk: new(document.ChunkID(1)), Text: "a"}}},
		user("Where is the best pizza of Naples?"), {Role: message.Assistant, Text: "Nothing was found."},
	}
	s := search.New(&index{}, chunks, budgettest.NewWords(), search.Config{})
	if result, _, err := run(t, s, `{"queries":["more"]}`, scope("tell me more", past...)); err != nil || len(result.References) != 0 {
		t.Errorf("references %v, %v", result.References, err)
	}
	if result, _, err := run(t, s, `{"queries":["more"]}`, scope("tell me more", past[:2]...)); err != nil || len(result.References) != 1 {
		t.Errorf("references %v, %v", result.References, err)
	}
}

func TestMergeJoinsQueries(t *testing.T) {
	t.Parallel()
	s := search.New(&index{}, nil, budgettest.NewWords(), search.Config{})
	got, err := s.Merge([]json.RawMessage{json.RawMessage(`{"queries":["a","b"]}`), json.RawMessage(`{"queries":"A"}`), json.RawMessage(`{"query":"c"}`)})
	if err != nil || string(got) != `{"queries":["a","b","c"]}` {
		t.Errorf("Merge = %s, %v", got, err)
	}
}

func TestErrorsInstructTheModel(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args, question, want string
		err                  error
	}{
		"nothing to search for": {args: `{}`, want: `write {"queries"`},
		"wrong type":            {args: `{"queries":{"a":1}}`, question: "How?", want: "list of strings"},
		"a search that fails":   {args: `{"queries":["a"]}`, question: "How?", want: "nothing is known", err: errors.New("connect to index.internal:5432: secret")},
	} {
		_, _, err := run(t, search.New(&index{err: tc.err}, nil, budgettest.NewWords(), search.Config{}), tc.args, scope(tc.question))
		if tc.err != nil && (!errors.Is(err, tc.err) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: the model is told %v", name, err)
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want something with %q", name, err, tc.want)
		}
	}
}

// A reader is shown what is looked for now: not the question before, and not the same in other
// forms.
func TestDisplayedQueries(t *testing.T) {
	t.Parallel()
	setup := user("How do I set up streaming replication?")
	for _, tc := range []struct {
		question string
		history  []message.Message
		args     string
		want     []string
	}{
		{"How often are backups verified?", nil, `{"queries":["how often backups are verified","backup verification schedule"]}`, []string{"how often backups are verified", "backup verification schedule"}},
		{"and how do I monitor it?", []message.Message{setup}, `{"queries":["monitor lag of a standby"]}`, []string{"monitor lag of a standby", "and how do I monitor it?"}},
		{"What about failover of the standby server?", []message.Message{setup}, `{"queries":["failover"]}`, []string{"failover"}},
		{"why?", []message.Message{setup}, `{}`, []string{"How do I set up streaming replication? why?"}},
		{"a?", nil, `{}`, []string{"a?"}},
	} {
		_, packets, err := run(t, search.New(&index{}, nil, budgettest.NewWords(), search.Config{}), tc.args, scope(tc.question, tc.history...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, packets[1].Payload.(packet.SearchQueries).Queries); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.question, diff)
		}
	}
}

// Whoever weighs words by how common they are is told of the index, and nobody else.
func TestVocabularyForExtractiveModels(t *testing.T) {
	t.Parallel()
	for _, weighs := range []bool{true, false} {
		found := retrieve.Result{Evidence: true, Hits: []retrieve.Hit{hit("a", 1, "The pump.")}, Terms: map[string]int{"pump": 3, "flugel": 0}, Chunks: 9}
		s := scope("How does the pump work?")
		s.WeighsWords = weighs
		got, _, err := run(t, search.New(&index{result: found}, nil, budgettest.NewWords(), search.Config{}), `{"queries":["pump"]}`, s)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			Documents  []tool.Document
			Vocabulary tool.Vocabulary
		}
		if err := json.Unmarshal([]byte(got.Content), &read); err != nil || len(read.Documents) != 1 {
			t.Fatalf("%v: %s", err, got.Content)
		}
		if told := read.Vocabulary.Chunks == 9 && read.Vocabulary.Terms["pump"] == 3 && len(read.Vocabulary.Terms) == 2; told != weighs {
			t.Errorf("weighs %t, told %+v", weighs, read.Vocabulary)
		}
	}
}
