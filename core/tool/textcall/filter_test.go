package textcall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool/textcall"
	"github.com/google/go-cmp/cmp"
)

var specs = []llm.ToolSpec{
	{Name: "internal_search", Parameters: json.RawMessage(`{"type":"object","properties":{"queries":{"type":"array"}},"required":["queries"]}`)},
	{Name: "open_url", Parameters: json.RawMessage(`{"type":"object","properties":{"urls":{"type":"array"},"full":{}},"required":["urls"]}`)},
}

// read pushes a message in pieces of n bytes and returns what is visible and the calls as "name
// arguments".
func read(text string, n int, bare bool) (string, []string) {
	f := textcall.NewFilter(specs, bare)
	var b strings.Builder
	for len(text) > 0 {
		k := min(n, len(text))
		b.WriteString(f.Push(text[:k]))
		text = text[k:]
	}
	b.WriteString(f.Flush())
	var calls []string
	for _, c := range f.Calls() {
		calls = append(calls, c.Name+" "+c.Arguments)
	}
	return b.String(), calls
}

const queries = `{"queries": ["a"]}`

func TestFilter(t *testing.T) {
	t.Parallel()
	search := []string{"internal_search " + queries}
	for _, tc := range []struct {
		name, text string
		tagsOnly   bool
		visible    string
		calls      []string
	}{
		{name: "plain text", text: "Hello [1] a < b {x}\n- one", visible: "Hello [1] a < b {x}\n- one"},
		{name: "a call in tags", text: `<tool_call>{"name": "internal_search", "arguments": {"queries": ["a"]}}</tool_call>`, calls: search},
		{name: "narration before a call", text: "Let me look.\n<tool_call>{\"name\":\"internal_search\",\"arguments\":" + queries + "}</tool_call>", visible: "Let me look.\n", calls: search},
		{name: "tags in the middle of a line", text: "Sure: <TOOL_CALL>{\"name\":\"internal_search\",\"arguments\":" + queries + "}</tool_call> done", visible: "Sure:  done", calls: search},
		{name: "tags also where bare JSON is not allowed", tagsOnly: true, text: "<tool_call>{\"name\":\"internal_search\",\"parameters\":" + queries + "}</tool_call>", calls: search},
		{name: "an unfinished call that can be read", text: "<tool_call>{\"name\":\"internal_search\",\"arguments\":" + queries + "}", calls: search},
		{name: "an unfinished call that cannot be read is dropped", text: `x<tool_call>{"name":"internal_search","argu`, visible: "x"},
		{name: "a broken call is handed on, for the model to be told", text: `<tool_call>{"name":"internal_search","arguments":{oops}}</tool_call>`, calls: []string{`internal_search {"name":"internal_search","arguments":{oops}}</tool_call>`}},
		{name: "an unknown tool in tags", text: `<tool_call>{"name":"rm","arguments":{"x":1}}</tool_call>`, calls: []string{`rm {"x":1}`}},
		{name: "invoke tags", text: `<function_calls><invoke name="internal_search"><parameter name="queries">["a"]</parameter></invoke></function_calls>`, calls: []string{`internal_search {"queries":["a"]}`}},
		{name: "an invoke tag alone with a text value", text: `<invoke name="open_url"><parameter name="urls">https://x.example/?a=1&amp;b</parameter></invoke> ok`, visible: " ok", calls: []string{`open_url {"urls":"https://x.example/?a=1\u0026b"}`}},
		{name: "function tags", text: "<function=internal_search>\n<parameter=queries>\n[\"a\"]\n</parameter>\n</function>", calls: []string{`internal_search {"queries":["a"]}`}},
		{name: "a bracket tag", text: `[TOOL_CALLS][{"name":"internal_search","arguments":` + queries + `}]`, calls: search},
		{name: "bare JSON", text: `{"name":"internal_search","arguments":` + queries + `}`, calls: search},
		{name: "bare JSON in the form of an API", text: `{"tool_calls":[{"function":{"name":"internal_search","arguments":` + queries + `}}]}`, calls: search},
		{name: "the tool's name as key", text: `{"internal_search":` + queries + `}`, calls: search},
		{name: "arguments alone", text: queries, calls: search},
		{name: "two calls in a list", text: `[{"name":"internal_search","arguments":` + queries + `},{"urls":["u"]}]`, calls: []string{search[0], `open_url {"urls":["u"]}`}},
		{name: "a fenced call", text: "I look.\n```json\n" + queries + "\n```\nbye", visible: "I look.\n\nbye", calls: search},
		{name: "JSON that is no call", text: "{\"a\": 1}\nand more", visible: "{\"a\": 1}\nand more"},
		{name: "a call among other values is no call", text: "{\"a\": \"{\\\"queries\\\"\"}", visible: "{\"a\": \"{\\\"queries\\\"\"}"},
		{name: "fenced JSON that is no call", text: "```json\n{\"a\": 1}\n```\nand <b>", visible: "```json\n{\"a\": 1}\n```\nand <b>"},
		{name: "an unknown tool in bare JSON is text", text: `{"name":"rm","arguments":{}}`, visible: `{"name":"rm","arguments":{}}`},
		{name: "bare JSON is text where it is not allowed", tagsOnly: true, text: queries, visible: queries},
		{name: "tags in code are text", text: "Write\n```xml\n<tool_call>{}</tool_call>\n```\nor `<tool_call>`.", visible: "Write\n```xml\n<tool_call>{}</tool_call>\n```\nor `<tool_call>`."},
		{name: "a citation at the start of a line", text: "[1] says so", visible: "[1] says so"},
		{name: "what only begins like a tag", text: "<tool_box> <tool", visible: "<tool_box> <tool"},
		{name: "an unfinished object", text: "{\"queries\": [", visible: "{\"queries\": ["},
		{name: "a brace at the end", text: "x\n[", visible: "x\n["},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for n := 1; n <= len(tc.text); n++ {
				visible, calls := read(tc.text, n, !tc.tagsOnly)
				if visible != tc.visible {
					t.Fatalf("in pieces of %d: visible %q, want %q", n, visible, tc.visible)
				}
				if diff := cmp.Diff(tc.calls, calls); diff != "" {
					t.Fatalf("in pieces of %d: calls (-want +got):\n%s", n, diff)
				}
			}
		})
	}
}

func TestOrdinaryTextPassesThrough(t *testing.T) {
	t.Parallel()
	f := textcall.NewFilter(specs, true)
	for _, piece := range []string{"Set ", "`wal_level`", " to <b>", "replica", "</b>. ", "See ", "[1]"} {
		if got := f.Push(piece); got != piece {
			t.Errorf("Push(%q) = %q", piece, got)
		}
	}
}

// Calls have 64 KB at most. In tags, the reader sees nothing of a longer one, to its very end; a
// longer JSON value is text, whole.
func TestOversizedCalls(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 70<<10)
	object := `{"name":"internal_search","arguments":{"queries":["` + long + `"]}}`
	first := `<invoke name="internal_search"><parameter name="queries">one</parameter></invoke>`
	tests := []struct {
		name, text, want string
		calls            int
	}{
		{"a call in tags", "Before <tool_call>" + object + "</tool_call>\nafter", "Before \nafter", 0},
		{"a call in tags that never ends", "Before <tool_call>" + object, "Before ", 0},
		{"calls of which the first is whole", "Before <function_calls>" + first + first[:8] + long + "</function_calls>after", "Before after", 1},
		{"calls to the end of the text", "Before [TOOL_CALLS][" + object + "]", "Before ", 0},
		{"a JSON value", object + "\nafter", object + "\nafter", 0},
		{"a JSON value that holds a small call", "[{\"x\":\"" + long + "\"},\n" + `{"name":"internal_search","arguments":{}}` + "\n]\nafter", "", 0},
		{"a JSON value that never ends", `{"queries": ["` + long, `{"queries": ["` + long, 0},
		{"fenced code", "```json\n" + object + "\n```\nafter <tool_call>{}", "```json\n" + object + "\n```\nafter ", 0},
		{"fenced code that never ends", "```json\n" + object + "\n", "```json\n" + object + "\n", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := tt.want
			if want == "" {
				want = tt.text
			}
			for _, n := range []int{len(tt.text), 997, 61} {
				got, calls := read(tt.text, n, true)
				if got != want || len(calls) != tt.calls {
					t.Errorf("in pieces of %d: %d bytes are visible, want %d; %d calls, want %d", n, len(got), len(want), len(calls), tt.calls)
				}
			}
		})
	}
}

// However the text is cut, the reader sees the same, and text without calls comes out as it went
// in.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"a <tool_call>{}</tool_call>", "```json\n{\"a\":1}\n```", "[TOOL_CALLS][{}]", "{\"queries\":[]}", "`<invoke `", "\n[ {", "````\n```", "<function=x>",
	} {
		f.Add(seed, 3, true)
	}
	f.Fuzz(func(t *testing.T, text string, n int, bare bool) {
		if n < 1 || len(text) > 4096 {
			return
		}
		whole, calls := read(text, len(text)+1, bare)
		cut, cutCalls := read(text, n, bare)
		if whole != cut || !cmp.Equal(calls, cutCalls) {
			t.Fatalf("%q: whole %q %q, in pieces of %d %q %q", text, whole, calls, n, cut, cutCalls)
		}
		if len(calls) == 0 && len(whole) > len(text) {
			t.Fatalf("%q grew to %q", text, whole)
		}
	})
}
