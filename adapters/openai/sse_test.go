package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
)

func readEvents(r io.Reader) (string, error) {
	out, err := io.ReadAll(newEventReader(io.NopCloser(r)))
	return string(out), err
}

func TestEventReader(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in, want string
		err      error // io.EOF stands for none
	}{
		"plain":               {"data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: {\"a\":1}\ndata: [DONE]\n", io.EOF},
		"no space, CR LF":     {"data:{\"a\":1}\r\n\r\n", "data: {\"a\":1}\n", io.EOF},
		"byte order mark":     {"\xef\xbb\xbfdata: {}\n\n", "data: {}\n", io.EOF},
		"comments and fields": {": ping\n\nid: 3\nretry: 5\nevent: message\ndata: {}\n\n", "data: {}\ndata: {}\n", io.EOF},
		"ping event":          {"event: ping\ndata: {\"type\":\"ping\"}\n\ndata: {}\n\n", "data: {}\ndata: {}\n", io.EOF},
		"event in two lines":  {"data: {\"a\":\ndata: 1}\n\n", "data: {\"a\": 1}\n", io.EOF},
		"no blank lines":      {"data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n", "data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n", io.EOF},
		"no last line end":    {"data: {}\n\ndata: [DONE]", "data: {}\ndata: [DONE]\n", io.EOF},
		"cut":                 {"data: {}\n\ndata: {\"a\"", "data: {}\n", io.ErrUnexpectedEOF},
		"null error":          {"data: {\"error\":null,\"a\":1}\n\n", "data: { \"error\":null,\"a\":1}\n", io.EOF},
		"the word error":      {"data: {\"t\":\"an \\\"error\\\": x\"}\n\n", "data: {\"t\":\"an \\\"error\\\": x\"}\n", io.EOF},
		"error":               {"data: {}\n\ndata: {\"error\":{\"message\":\"m\"}}\n\ndata: [DONE]\n\n", "data: {}\n", &responseError{}},
		"error as text":       {"data: {\"error\":\"m\"}\n\n", "", &responseError{}},
		"error by name":       {"event: error\ndata: overloaded\n\n", "", &responseError{}},
		"nothing":             {"", "", io.EOF},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, r := range map[string]io.Reader{"at once": strings.NewReader(test.in), "byte by byte": iotest.OneByteReader(strings.NewReader(test.in))} {
				got, err := readEvents(r)
				if got != test.want {
					t.Errorf("%s: got %q, want %q", way, got, test.want)
				}
				var failure *responseError
				switch {
				case errors.Is(test.err, io.EOF) && err != nil, errors.Is(test.err, io.ErrUnexpectedEOF) && !errors.Is(err, test.err):
					t.Errorf("%s: error is %v, want %v", way, err, test.err)
				case errors.As(test.err, &failure) && !errors.As(err, &failure):
					t.Errorf("%s: error is %v, want a *responseError", way, err)
				}
			}
		})
	}
}

func TestEventTooLong(t *testing.T) {
	t.Parallel()
	line := append([]byte("data: "), bytes.Repeat([]byte("x"), int(eventLimits.Bytes))...)
	if _, err := readEvents(bytes.NewReader(line)); !errors.Is(err, errEventTooLong) {
		t.Errorf("error is %v, want errEventTooLong", err)
	}
}

// Whatever a server sends, the SDK sees whole lines with data, and the result does not depend on
// how the network cut it.
func FuzzEventReader(f *testing.F) {
	for _, seed := range []string{"data: {}\n\n", ": c\r\n\r\n", "event: error\ndata: x\n\n", "data: {\"error\":1}\n\n", "data: [DONE]", "data: {\ndata: }\n", "\xef\xbb\xbfdata:1\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		defer hostiletest.Bound(t, len(in), 0)()
		whole, err := readEvents(bytes.NewReader(in))
		pieces, err2 := readEvents(iotest.OneByteReader(bytes.NewReader(in)))
		if whole != pieces || (err == nil) != (err2 == nil) {
			t.Fatalf("at once: %q, %v\nbyte by byte: %q, %v", whole, err, pieces, err2)
		}
		for line := range strings.Lines(whole) {
			if !strings.HasPrefix(line, "data: ") || !strings.HasSuffix(line, "\n") {
				t.Fatalf("line %q", line)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"delta":{"content":"x"}}]}`, `{"choices":[{"delta":{"content":[{"text":"x"}]},"finish_reason":"stop"}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"n","arguments":{"a":1}}}]}}]}`, `{"choices":null,"usage":{"prompt_tokens":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		defer hostiletest.Bound(t, len(in), 0)()
		deltas, err := newDecoder().decode(in)
		if err == nil && !json.Valid(in) {
			t.Fatalf("%q was accepted", in)
		}
		for _, delta := range deltas {
			if delta.Finish != "" {
				t.Fatal("the finish came before the end")
			}
			if delta.Call != nil && delta.Call.Index < 0 {
				t.Fatalf("call index %d", delta.Call.Index)
			}
		}
	})
}

func TestDecodeCalls(t *testing.T) {
	t.Parallel()
	type call struct{ name, arguments string }
	tests := map[string]struct {
		chunks []string
		want   []call
	}{
		"no index":         {[]string{`[{"id":"a","function":{"name":"x","arguments":"{}"}}]`, `[{"id":"b","function":{"name":"y","arguments":"{}"}}]`}, []call{{"x", "{}"}, {"y", "{}"}}},
		"no index, no id":  {[]string{`[{"function":{"name":"x","arguments":"{}"}}]`, `[{"function":{"name":"y","arguments":"{}"}}]`}, []call{{"x", "{}"}, {"y", "{}"}}},
		"every index is 0": {[]string{`[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]`, `[{"index":0,"id":"b","function":{"name":"y","arguments":"{"}}]`, `[{"index":0,"function":{"arguments":"}"}}]`}, []call{{"x", "{}"}, {"y", "{}"}}},
		"object arguments": {[]string{`[{"index":0,"id":"a","function":{"name":"x","arguments":{"q":1}}}]`}, []call{{"x", `{"q":1}`}}},
		"id repeated":      {[]string{`[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]`, `[{"index":0,"id":"a","function":{"arguments":"}"}}]`}, []call{{"x", "{}"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDecoder()
			got := map[int]call{}
			ids := map[string]bool{}
			for _, c := range test.chunks {
				deltas, err := d.decode([]byte(`{"choices":[{"delta":{"tool_calls":` + c + `}}]}`))
				if err != nil {
					t.Fatal(err)
				}
				for _, delta := range deltas {
					sofar := got[delta.Call.Index]
					got[delta.Call.Index] = call{sofar.name + delta.Call.Name, sofar.arguments + delta.Call.Arguments}
					if delta.Call.ID != "" {
						ids[delta.Call.ID] = true
					}
				}
			}
			for i, want := range test.want {
				if got[i] != want {
					t.Errorf("call %d is %v, want %v", i, got[i], want)
				}
			}
			if len(got) != len(test.want) || len(ids) != len(test.want) {
				t.Errorf("%d calls with %d ids, want %d", len(got), len(ids), len(test.want))
			}
		})
	}
}
