package openaitest

import (
	"math/rand/v2"
	"net/http"
	"time"
	"unicode/utf8"
)

// Reply is the scripted response to one chat request. The zero value is an empty answer with the
// finish reason "stop".
type Reply struct {
	Reasoning string
	Text      string
	Refusal   string // the model's own words of refusal
	Calls     []Call
	Finish    string // default "tool_calls" with Calls, else "stop"
	Usage     *Usage // nil counts words
	CacheN    int    // sent with the usage as llama.cpp's timings.cache_n; 0: it is not

	// Split splits Reasoning, Text and the arguments of calls into deltas. Default: Words.
	Split func(string) []string
	// ReasoningField is the name of the JSON field for reasoning. Default: "reasoning_content".
	ReasoningField string
	// Delay is the pause before every event.
	Delay time.Duration
	// Gate delays events if it is not nil. The first GateAfter events are sent without a delay.
	// Each further event waits for one receive from Gate. Closing Gate releases all events.
	Gate      <-chan struct{}
	GateAfter int
	// Noise adds comments, pings and empty lines to the stream between events.
	Noise bool

	Fault      Fault
	FaultAfter int           // events before a fault that strikes inside the stream
	RetryAfter string        // header of RateLimited, as seconds or as a date
	Header     http.Header   // added to the response
	Refused    Refusal       // of NoTools, NoChoice and NoNone
	Stall      time.Duration // of Stalled: 0 waits until the client or the server closes
}

// Call is one tool call of a reply.
type Call struct {
	ID        string // default "call_<n>"
	Name      string
	Arguments string // JSON
}

// Usage counts tokens.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`

	Details *UsageDetails `json:"prompt_tokens_details,omitempty"`
}

// UsageDetails breaks down the prompt's tokens.
type UsageDetails struct {
	Cached int `json:"cached_tokens"`
}

// Fault is a kind of provider failure.
type Fault int

const (
	NoFault         Fault = iota
	Unauthorized          // 401, and the message repeats the key as the real one does
	Forbidden             // 403
	NotFound              // 404, unknown model
	RateLimited           // 429 with RetryAfter
	QuotaExhausted        // 429 that no waiting will cure
	ContextTooLong        // 400
	BadRequest            // 400, and the message repeats the last message of the request
	Filtered              // 400 of a content filter
	NoStreamOptions       // 400 if the request has stream_options, else the reply
	NoMaxTokens           // 400 if the request has max_tokens, else the reply
	NoTools               // Refused if the request has tools, else the reply
	NoChoice              // Refused if the request says which tool is to be called, else the reply
	NoNone                // Refused if the request says that no tool may be called, else the reply
	Refuses               // Refused, always
	ServerError           // 500
	Overloaded            // 503
	HTMLError             // 502 with a web page
	HTMLPage              // 200 with a web page
	Whole                 // 200 with the whole answer as JSON, stream or not
	Hangup                // the connection is closed before any response
	Cut                   // the connection is closed after FaultAfter events
	CutDone               // [DONE] after FaultAfter events, without a finish reason
	Malformed             // half a JSON object after FaultAfter events
	ErrorEvent            // an error object after FaultAfter events, then [DONE]
	NamedErrorEvent       // the same as "event: error"
	Stalled               // silence after FaultAfter events
	NoUsage               // no usage is ever sent
	NoDone                // the stream ends without [DONE]
	WrongDimension        // embeddings: one dimension too many
	Shuffled              // embeddings: in reverse order, rightly numbered
	MissingVector         // embeddings: the last one is left out
)

// Words splits after every space.
func Words(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			out = append(out, s[start:i+1])
			start = i + 1
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// Runes splits after every rune.
func Runes(s string) []string {
	var out []string
	for _, r := range s {
		out = append(out, string(r))
	}
	return out
}

// Uncut sends a text in one delta.
func Uncut(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// Random returns a function that splits a text between runes at random places. The places depend
// only on seed and the text. Some deltas are empty.
func Random(seed uint64) func(string) []string {
	return func(s string) []string {
		random := rand.New(rand.NewPCG(seed, uint64(len(s))))
		var out []string
		for len(s) > 0 {
			n := 0
			for range random.IntN(9) {
				_, size := utf8.DecodeRuneInString(s[n:])
				n += size
			}
			out = append(out, s[:n])
			s = s[n:]
		}
		return out
	}
}
