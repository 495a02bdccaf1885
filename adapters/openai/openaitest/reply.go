package openaitest

import (
	"math/rand/v2"
	"net/http"
	"time"
	"unicode/utf8"
)

// Reply is a scripted response to one request. The zero value is an empty answer with the finish
// reason "stop".
type Reply struct {
	Reasoning string
	Text      string
	Refusal   string // text with which the model refuses
	Calls     []Call
	Finish    string // default "tool_calls" with Calls, else "stop"
	Usage     *Usage // nil: the number of words is sent
	CacheN    int    // llama.cpp's timings.cache_n, sent with the usage; 0: omitted

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
	FaultAfter int           // number of events before a fault inside the stream
	RetryAfter string        // header of RateLimited, as seconds or as a date
	Header     http.Header   // added to the response
	Refused    Refusal       // response of NoTools, NoChoice, NoNone and Refuses
	Stall      time.Duration // duration of Stalled; 0: until the client or the server closes
}

// Call is a tool call in a [Reply].
type Call struct {
	ID        string // default "call_<n>"
	Name      string
	Arguments string // JSON
}

// Usage has the token counts that the server sends with a [Reply].
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`

	Details *UsageDetails `json:"prompt_tokens_details,omitempty"`
}

// UsageDetails says how many of the prompt's tokens were cached.
type UsageDetails struct {
	Cached int `json:"cached_tokens"`
}

// Fault is a failure of a provider that a [Reply] imitates.
type Fault int

const (
	NoFault         Fault = iota
	Unauthorized          // 401; like OpenAI's, the message repeats the key
	Forbidden             // 403
	NotFound              // 404, unknown model
	RateLimited           // 429 with RetryAfter
	QuotaExhausted        // 429 for an exhausted quota, without a retry time
	ContextTooLong        // 400
	BadRequest            // 400; the message repeats the last message of the request
	Filtered              // 400 from a content filter
	NoStreamOptions       // 400 if the request has stream_options, otherwise the normal reply
	NoMaxTokens           // 400 if the request has max_tokens, otherwise the normal reply
	NoTools               // Reply.Refused if the request has tools, otherwise the normal reply
	NoChoice              // Reply.Refused if the request has tool_choice, otherwise the normal reply
	NoNone                // Reply.Refused if tool_choice is "none", otherwise the normal reply
	Refuses               // always Reply.Refused
	ServerError           // 500
	Overloaded            // 503
	HTMLError             // 502 with a web page
	HTMLPage              // 200 with a web page
	Whole                 // 200 with the whole answer as JSON, even if a stream was requested
	Hangup                // the connection is closed before any response
	Cut                   // the connection is closed after FaultAfter events
	CutDone               // [DONE] after FaultAfter events, without a finish reason
	Malformed             // half a JSON object after FaultAfter events
	ErrorEvent            // an error object after FaultAfter events, then [DONE]
	NamedErrorEvent       // an event named "error" after FaultAfter events
	Stalled               // silence after FaultAfter events
	NoUsage               // no usage is ever sent
	NoDone                // the stream ends without [DONE]
	WrongDimension        // embedding vectors have one dimension too many
	Shuffled              // embedding vectors have correct indexes but the reverse order
	MissingVector         // the last embedding vector is missing
)

// Words splits a text after every space.
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

// Runes splits a text after every rune.
func Runes(s string) []string {
	var out []string
	for _, r := range s {
		out = append(out, string(r))
	}
	return out
}

// Uncut returns the whole text as one piece, or nil if the text is empty.
func Uncut(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// Random returns a function that splits a text between runes at random positions. Equal texts are
// always split at the same positions for the same seed. Some pieces are empty.
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
