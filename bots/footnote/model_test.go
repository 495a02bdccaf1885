package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// withModel is a program whose answers an endpoint writes, over an indexed handbook.
func withModel(t testing.TB, server *openaitest.Server, env ...string) *program {
	t.Helper()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	return p.with(append([]string{"OPENAI_BASE_URL=" + server.URL(), "OPENAI_API_KEY=k-test", "LLM_MODEL=test-model"}, env...)...)
}

func TestModelSearchesByToolCallAndCites(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t,
		openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["vacation days per year"]}`}}},
		openaitest.Reply{Text: "You have thirty days [1]. See array[7] and [2020].", Split: openaitest.Runes},
	)
	server.RequireKey("k-test")
	p := withModel(t, server)
	got := jsonOf[answered](t, p.run(t, "ask", "How much vacation do I get?", "--json"))
	want := "You have thirty days [[1]](https://docs.example/vacation.md#days-per-year). See array[7] and [2020]."
	if got.Answer != want || got.Outcome != "answered" || len(got.Citations) != 1 {
		t.Errorf("answer = %+v, want %q", got, want)
	}
	requests := server.ChatRequests()
	if len(requests) != 2 || !requests[0].Chat.Offers("internal_search") {
		t.Fatalf("%d requests, the first offering the search tool: %v", len(requests), len(requests) > 0 && requests[0].Chat.Offers("internal_search"))
	}
	result := requests[1].Chat.Last("tool").Text()
	if !strings.Contains(result, `"document":1`) && !strings.Contains(result, `"document": 1`) || !strings.Contains(result, "thirty vacation days") {
		t.Errorf("the model was given:\n%s", result)
	}
}

// Whatever the endpoint does, there is one outcome and a sentence that says what to do, and the key
// is never shown.
func TestFaultsOfTheModelEndInASentence(t *testing.T) {
	t.Parallel()
	search := openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["vacation"]}`}}}
	tests := []struct {
		name    string
		script  []openaitest.Reply
		always  openaitest.Reply
		outcome string
		keeps   string // part of the answer that was written and is kept
	}{
		{name: "401", always: openaitest.Reply{Fault: openaitest.Unauthorized}, outcome: "failed"},
		{name: "404", always: openaitest.Reply{Fault: openaitest.NotFound}, outcome: "failed"},
		{name: "429 for ever", always: openaitest.Reply{Fault: openaitest.RateLimited, RetryAfter: "3600"}, outcome: "limited"},
		{name: "500 for ever", always: openaitest.Reply{Fault: openaitest.ServerError}, outcome: "answered", keeps: "thirty vacation days"}, // by quoting
		{name: "stream cut half-way", script: []openaitest.Reply{search, {Text: "You have thirty days [1] and more words", Fault: openaitest.Cut, FaultAfter: 4}},
			outcome: "failed", keeps: "You have"},
		{name: "web page", always: openaitest.Reply{Fault: openaitest.HTMLPage}, outcome: "failed"},
		{name: "empty answer", always: openaitest.Reply{}, outcome: "failed"},
		{name: "refusal", script: []openaitest.Reply{{Refusal: "I cannot help with that."}}, outcome: "refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t, tt.script...)
			server.Otherwise(func(openaitest.Request) openaitest.Reply { return tt.always })
			r := withModel(t, server).try(t, "", "ask", "How much vacation do I get?", "--json")
			got := jsonOf[answered](t, r)
			if got.Outcome != tt.outcome || (got.Message == "") != (tt.outcome == "answered") || !strings.Contains(got.Answer, tt.keeps) {
				t.Errorf("answer = %+v\n%s", got, r.stderr)
			}
			if wantCode := map[bool]int{true: 1, false: 0}[tt.outcome != "refused" && tt.outcome != "answered"]; r.code != wantCode {
				t.Errorf("exit code %d, want %d", r.code, wantCode)
			}
			if strings.Contains(r.stdout+r.stderr, "k-test") {
				t.Errorf("the key is shown:\n%s%s", r.stdout, r.stderr)
			}
		})
	}
}

// A passing fault before the first word is nobody's business.
func TestPassingFaultIsRetriedBeforeTheFirstWord(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Reply{Fault: openaitest.Overloaded}, openaitest.Reply{Text: "Hello."})
	got := jsonOf[answered](t, withModel(t, server).run(t, "ask", "Say hello.", "--json"))
	if got.Answer != "Hello." || got.Outcome != "answered" {
		t.Errorf("answer = %+v", got)
	}
}

func TestModelThatIsDownSaysSo(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OPENAI_BASE_URL=http://127.0.0.1:1/v1")
	r := p.try(t, "", "ask", "Say hello.", "--json")
	if got := jsonOf[answered](t, r); r.code != 1 || got.Outcome != "failed" || !strings.Contains(got.Message, "can't reach the language model") {
		t.Errorf("exit code %d, answer %+v", r.code, got)
	}
	if d := p.try(t, "", "doctor"); d.code != 1 || !strings.Contains(d.stdout, "✗ model") || !strings.Contains(d.stdout, "✓ database") {
		t.Errorf("doctor: exit code %d\n%s", d.code, d.stdout)
	}
}

func TestEmbeddingEndpointTakesPartInTheSearch(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "EMBEDDING_MODEL=test-embedding", "EMBEDDING_DIMENSIONS=64")
	p.run(t, "index", handbook(t))
	got := jsonOf[found](t, p.run(t, "search", "vacation days per year", "--json"))
	if len(got.Hits) == 0 || got.Hits[0].Scores["cosine"] <= 0 {
		t.Errorf("the vectors took no part: %+v", got)
	}
	server.SetDimensions(32)
	if r := p.with("EMBEDDING_DIMENSIONS=32").try(t, "", "search", "vacation", "--json"); r.code == 0 && !strings.Contains(r.stdout, `"route":"none"`) {
		t.Errorf("vectors of another length were compared:\n%s\n%s", r.stdout, r.stderr)
	}
}

// After the embedding model was changed, the next index run gives every chunk its new vector,
// unchanged documents included.
func TestChangedEmbeddingModelReachesUnchangedDocuments(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := handbook(t)
	p.run(t, "index", docs)
	server := openaitest.New(t)
	for _, model := range []string{"first-model", "second-model"} {
		with := p.with("OPENAI_BASE_URL="+server.URL(), "EMBEDDING_MODEL="+model, "EMBEDDING_DIMENSIONS=64")
		if r := with.run(t, "index", docs); !strings.Contains(r.stderr, "3 unchanged") {
			t.Errorf("%s: the run says:\n%s", model, r.stderr)
		}
		got := jsonOf[found](t, with.run(t, "search", "vacation days per year", "--json"))
		if len(got.Hits) == 0 || got.Hits[0].Scores["cosine"] <= 0 {
			t.Errorf("%s: its vectors took no part: %+v", model, got)
		}
	}
}

// A server that takes no tools is talked to in text, within the first answer already.
func TestModelBehindAServerThatTakesNoTools(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{"auto": "LLM_TOOLS=auto", "text": "LLM_TOOLS=text"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := openaitest.Reply{Fault: openaitest.NoTools, Refused: openaitest.ToolRefusals[0]}
			script := []openaitest.Reply{
				{Text: `<tool_call>{"name":"internal_search","arguments":{"queries":["vacation days per year"]}}</tool_call>`},
				{Text: "You have thirty days [1]."},
			}
			if name == "auto" {
				script = append([]openaitest.Reply{refused}, script...)
			}
			server := openaitest.New(t, script...)
			r := withModel(t, server, env).try(t, "", "ask", "How much vacation do I get?", "--json")
			got := jsonOf[answered](t, r)
			if got.Outcome != "answered" || len(got.Citations) != 1 || len(server.ChatRequests()) != len(script) {
				t.Errorf("answer = %+v after %d requests\n%s", got, len(server.ChatRequests()), r.stderr)
			}
		})
	}
}

// The model is given what was found for questions in words that no document has, and judges it.
func TestModelIsGivenWhatMatchesNoWord(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t,
		openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["holiday leave entitlement days"]}`}}},
		openaitest.Reply{Text: "You have thirty days [1]."},
	)
	got := jsonOf[answered](t, withModel(t, server).run(t, "ask", "Whats my yearly holiday leave entitlement, in days?", "--json"))
	if result := server.ChatRequests()[1].Chat.Last("tool").Text(); !strings.Contains(result, "thirty vacation days") || got.Outcome != "answered" {
		t.Errorf("answer %+v; the model was given:\n%s", got, result)
	}
}

// An agent with force_use_tool begins every answer with that tool, also where the server ignores
// that a call is required.
func TestAgentBeginsWithItsForcedTool(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("agent: a\nagents: {a: {force_use_tool: internal_search}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(t, openaitest.Reply{Text: "I know that."}, openaitest.Reply{Text: "You have thirty days [1]."})
	got := jsonOf[answered](t, withModel(t, server, "FOOTNOTE_CONFIG="+file).run(t, "ask", "How much vacation do I get?", "--json"))
	requests := server.ChatRequests()
	if len(requests) != 2 || !strings.Contains(string(requests[0].Chat.ToolChoice), "internal_search") || len(got.Citations) != 1 {
		t.Errorf("answer %+v after %d requests, the first with tool_choice %s", got, len(requests), requests[0].Chat.ToolChoice)
	}
}

// INDEX_PRECISION counts for vectors that are new; the doctor says where others are kept, and
// indexing everything anew makes them so.
func TestPrecisionOfVectors(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	half := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "EMBEDDING_MODEL=test-embedding", "EMBEDDING_DIMENSIONS=64")
	half.run(t, "index", handbook(t))
	single := half.with("INDEX_PRECISION=single")
	const other = "its vectors have 16 bits a number, and not the 32 of INDEX_PRECISION"
	if r := half.try(t, "", "doctor"); strings.Contains(r.stdout, "bits a number") {
		t.Errorf("half: the doctor says:\n%s", r.stdout)
	}
	if r := single.try(t, "", "doctor"); !strings.Contains(r.stdout, other) {
		t.Errorf("single: the doctor says:\n%s", r.stdout)
	}
	for _, p := range []*program{single, half} { // one way and back
		p.run(t, "sources", "reindex", "--all")
		if r := p.try(t, "", "doctor"); strings.Contains(r.stdout, "bits a number") {
			t.Errorf("after indexing everything anew the doctor says:\n%s", r.stdout)
		}
		got := jsonOf[found](t, p.run(t, "search", "vacation days per year", "--json"))
		if len(got.Hits) == 0 || got.Hits[0].Scores["cosine"] <= 0 {
			t.Errorf("the vectors took no part: %+v", got)
		}
	}
	if r := half.with("INDEX_PRECISION=double").try(t, "", "doctor"); r.code != 2 || !strings.Contains(r.stderr, `INDEX_PRECISION: holds "double", which is not one of half, single`) {
		t.Errorf("exit code %d:\n%s", r.code, r.stderr)
	}
}
