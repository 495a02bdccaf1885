package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/google/go-cmp/cmp"
)

// fake is a tool that does what a test says.
type fake struct {
	name string
	run  func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error)
}

func (f fake) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: f.name, Parameters: json.RawMessage(`{}`)}
}
func (f fake) Guide() string { return "" }
func (f fake) Run(ctx context.Context, c tool.Call, e *packet.Emitter) (tool.Result, error) {
	e.Emit(packet.CustomToolStart{Name: f.name})
	return f.run(ctx, c, e)
}

// joiner merges calls by putting their arguments into a list.
type joiner struct{ fake }

func (joiner) Merge(arguments []json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"all": arguments})
}

func echo(name string) fake {
	return fake{name: name, run: func(_ context.Context, c tool.Call, _ *packet.Emitter) (tool.Result, error) {
		return tool.Result{Content: name + string(c.Arguments)}, nil
	}}
}

// runAll runs calls and returns what came of them with the packets that were sent.
func runAll(t *testing.T, ctx context.Context, config tool.RunnerConfig, tools []tool.Tool, calls ...llm.ToolCall) ([]tool.Executed, []packet.Packet) {
	t.Helper()
	set, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	queue, drained := make(chan packet.Packet, 100), make(chan struct{})
	ran := tool.NewRunner(config, slog.New(slog.DiscardHandler)).Run(ctx, calls, tool.Step{Tools: set},
		packet.NewEmitter(queue, drained, packet.Placement{TurnIndex: 5}))
	close(drained)
	close(queue)
	var packets []packet.Packet
	for p := range queue {
		packets = append(packets, p)
	}
	return ran, packets
}

func contents(ran []tool.Executed) []string {
	var out []string
	for _, r := range ran {
		out = append(out, r.Call.ID+" "+r.Result.Content)
	}
	return out
}

func TestRun(t *testing.T) {
	t.Parallel()
	tools := []tool.Tool{echo("a"), echo("b"), joiner{echo("j")}, fake{"sad", func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) {
		return tool.Result{}, errors.New("the file is not there")
	}}, fake{"mad", func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) { panic("secret") }}}
	for _, tc := range []struct {
		name  string
		calls []llm.ToolCall
		want  []string
	}{
		{"results keep the order of the calls", []llm.ToolCall{{ID: "1", Name: "b", Arguments: `{"x":1}`}, {ID: "2", Name: "a"}}, []string{`1 b{"x":1}`, "2 a{}"}},
		{
			"calls of a merger become one", []llm.ToolCall{{ID: "1", Name: "j", Arguments: `{"x":1}`}, {ID: "2", Name: "a"}, {ID: "3", Name: "j", Arguments: `{"x":2}`}},
			[]string{`1 j{"all":[{"x":1},{"x":2}]}`, "2 a{}"},
		},
		{"one call of a merger is left as it is", []llm.ToolCall{{ID: "1", Name: "j", Arguments: `{"x":1}`}}, []string{`1 j{"x":1}`}},
		{"names are forgiven", []llm.ToolCall{{ID: "1", Name: "functions.A"}}, []string{"1 a{}"}},
		{"an unknown tool is answered", []llm.ToolCall{{ID: "1", Name: "zz"}}, []string{`1 This call failed: there is no tool "zz". The tools are: a, b, j, sad, mad.`}},
		{"a name that no provider takes is made one", []llm.ToolCall{{ID: "1", Name: "föö bar()"}}, []string{`1 This call failed: there is no tool "f___bar__". The tools are: a, b, j, sad, mad.`}},
		{"an error is text for the model", []llm.ToolCall{{ID: "1", Name: "sad"}}, []string{"1 This call failed: the file is not there."}},
		{"a panic says nothing of the inside", []llm.ToolCall{{ID: "1", Name: "mad"}, {ID: "2", Name: "a"}}, []string{"1 This call failed: the tool failed unexpectedly.", "2 a{}"}},
		{"arguments that are no JSON are answered", []llm.ToolCall{{ID: "1", Name: "a", Arguments: "x=1"}}, []string{"1 This call failed: the arguments are not a JSON object."}},
		{
			"too many calls are refused one by one", []llm.ToolCall{{ID: "1", Name: "a"}, {ID: "2", Name: "b"}, {ID: "3", Name: "a"}, {ID: "4", Name: "a"}},
			[]string{"1 a{}", "2 b{}", "3 a{}", "4 This call failed: at most 3 calls are made at once; make this one in the next step if it is still needed."},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ran, packets := runAll(t, t.Context(), tool.RunnerConfig{MaxCalls: 3}, tools, tc.calls...)
			if diff := cmp.Diff(tc.want, contents(ran)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			starts, ends, branches := 0, 0, 0
			for _, p := range packets {
				switch payload := p.Payload.(type) {
				case packet.CustomToolStart:
					starts++
				case packet.SectionEnd:
					ends++
				case packet.Branching:
					branches = payload.Branches
				}
			}
			if starts != len(ran) || ends != len(ran) || len(ran) > 1 && branches != len(ran) {
				t.Errorf("%d starts, %d ends and %d branches for %d calls", starts, ends, branches, len(ran))
			}
		})
	}
}

func TestParallelCallsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		slow := fake{"slow", func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return tool.Result{}, nil
		}}
		began := time.Now()
		runAll(t, t.Context(), tool.RunnerConfig{Parallel: 2}, []tool.Tool{slow},
			llm.ToolCall{Name: "slow"}, llm.ToolCall{Name: "slow"}, llm.ToolCall{Name: "slow"}, llm.ToolCall{Name: "slow"})
		if most.Load() != 2 || time.Since(began) != 2*time.Second {
			t.Errorf("%d ran at once and all took %s, want 2 and 2s", most.Load(), time.Since(began))
		}
	})
}

func TestHangingTool(t *testing.T) {
	t.Parallel()
	hang := func(heeds bool, release <-chan struct{}) fake {
		return fake{"hang", func(ctx context.Context, _ tool.Call, e *packet.Emitter) (tool.Result, error) {
			if heeds {
				<-ctx.Done()
				return tool.Result{}, ctx.Err()
			}
			<-release
			e.Emit(packet.CustomToolResult{Name: "too late"})
			return tool.Result{Content: "too late"}, nil
		}}
	}
	for name, heeds := range map[string]bool{"and heeds its context": true, "and does not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				began := time.Now()
				ran, packets := runAll(t, t.Context(), tool.RunnerConfig{Timeout: 10 * time.Second}, []tool.Tool{hang(heeds, release)}, llm.ToolCall{ID: "1", Name: "hang"})
				took := time.Since(began)
				close(release)
				synctest.Wait()
				if !errors.Is(ran[0].Err, tool.ErrTimeout) || !strings.Contains(ran[0].Result.Content, "took too long") {
					t.Errorf("result = %+v", ran[0])
				}
				if want := map[bool]time.Duration{true: 10 * time.Second, false: 12 * time.Second}[heeds]; took != want {
					t.Errorf("took %s, want %s", took, want)
				}
				if n := len(packets); n != 2 {
					t.Errorf("%d packets, want a start and an end", n)
				}
			})
		})
	}
}

func TestFirstCallOfTool(t *testing.T) {
	t.Parallel()
	var first bool
	set, _ := tool.NewSet(fake{"a", func(_ context.Context, c tool.Call, _ *packet.Emitter) (tool.Result, error) {
		first = c.Scope.First
		return tool.Result{}, nil
	}})
	queue := make(chan packet.Packet, 10)
	for _, tc := range []struct {
		ran  map[string]bool
		want bool
	}{{nil, true}, {map[string]bool{"b": true}, true}, {map[string]bool{"a": true}, false}} {
		tool.NewRunner(tool.RunnerConfig{}, slog.New(slog.DiscardHandler)).Run(t.Context(), []llm.ToolCall{{Name: "a"}},
			tool.Step{Tools: set, RanTools: tc.ran}, packet.NewEmitter(queue, nil, packet.Placement{}))
		if first != tc.want {
			t.Errorf("First = %v after %v", first, tc.ran)
		}
		for len(queue) > 0 {
			<-queue
		}
	}
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, raw, want string }{
		{"an object", `{"a": 1}`, `{"a":1}`},
		{"nothing", "", `{}`},
		{"null", "null", `{}`},
		{"an object in a string", `"{\"a\": 1}"`, `{"a":1}`},
		{"an object in a string in a string", `"\"{\\\"a\\\":1}\""`, `{"a":1}`},
		{"a code fence", "```json\n{\"a\":1}\n```", `{"a":1}`},
		{"words after the object", `{"a":1} I hope this helps`, `{"a":1}`},
		{"NUL and broken UTF-8", "{\"a\":\"x\x00\xffy\\u0000\"}", `{"a":"xy"}`},
		{"text that speaks of NUL", `{"a":"write \\u0000 \u0000or \\\u0000\\"}`, `{"a":"write \\u0000 or \\\\"}`},
		{"NUL in an object in a string", `"{\"a\":\"x\\u0000y\\\\u0000\"}"`, `{"a":"xy\\u0000"}`},
		{"a list", `[1]`, ""},
		{"a cut object", `{"a":`, ""},
		{"prose", `search for cats`, ""},
		{"a broken string", `"{`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tool.ParseArguments(tc.raw)
			if string(got) != tc.want || (err != nil) != (tc.want == "") || err != nil && !errors.Is(err, tool.ErrArguments) {
				t.Errorf("ParseArguments(%q) = %s, %v; want %s", tc.raw, got, err, tc.want)
			}
		})
	}
}

func FuzzParseArguments(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `"{\"a\":1}"`, "```json\n{}\n```", "", "null", `{"a":"\ud800"}`, `{"a":"\\u0000"}`, `{"a":"\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := tool.ParseArguments(raw)
		if err != nil {
			return
		}
		if !json.Valid(got) || !bytes.HasPrefix(got, []byte("{")) {
			t.Fatalf("ParseArguments(%q) = %q, which is no JSON object", raw, got)
		}
		again, err := tool.ParseArguments(string(got))
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("reading %q again gives %q, %v", got, again, err)
		}
	})
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		`["a","b","a"," "]`: {"a", "b"}, `"a"`: {"a"}, `"[\"a\",\"b\"]"`: {"a", "b"}, `[1,null,"x"]`: {"1", "x"}, `""`: nil, `[]`: nil,
	} {
		var got tool.Strings
		if err := json.Unmarshal([]byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want, []string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
	var got tool.Strings
	if err := json.Unmarshal([]byte(`{"a":1}`), &got); err == nil {
		t.Error("an object was read as a list")
	}
}

func TestNewSetRejectsInvalidNames(t *testing.T) {
	t.Parallel()
	if _, err := tool.NewSet(echo("a"), echo("a")); err == nil {
		t.Error("two tools of one name were taken")
	}
	if _, err := tool.NewSet(echo("a b")); err == nil {
		t.Error("a name with a space was taken")
	}
	set, _ := tool.NewSet(echo("a"), echo("b"))
	if only, err := set.Only("b"); err != nil || only.Len() != 1 {
		t.Errorf("Only(b) = %v, %v", only, err)
	}
	if _, err := set.Only("c"); err == nil {
		t.Error("an unknown tool was taken")
	}
}

func TestDocumentsJSON(t *testing.T) {
	t.Parallel()
	got := tool.DocumentsJSON([]tool.Document{
		{Number: 1, Title: "Hello", Metadata: "status closed", Contents: "Foo <b>"}, {Number: 2, Title: "World", Contents: `"}]} ignore`},
	}, "more")
	want := `{"documents":[
{"document":1,"title":"Hello","metadata":"status closed","contents":"Foo <b>"},
{"document":2,"title":"World","contents":"\"}]} ignore"}
],"note":"more"}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
