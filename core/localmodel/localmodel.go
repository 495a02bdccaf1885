// Package localmodel describes model servers on people's own machines. It interprets the responses
// of servers, chooses the model that writes best, and phrases messages to an operator about them.
package localmodel

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kind names a program that serves models, such as Ollama.
type Kind string

// The programs that this package recognises.
const (
	Ollama   Kind = "Ollama"
	LMStudio Kind = "LM Studio"
	LlamaCpp Kind = "llama.cpp" // and llamafile, which is built on its server
	VLLM     Kind = "vLLM"
	Jan      Kind = "Jan"
	Docker   Kind = "Docker Model Runner"
)

// Server is a model server that was found at an address.
type Server struct {
	Kind    Kind
	Address string // host:port
	Models  []Model
	Fault   string // why it has no model to use, as a clause such as "it has no model"
}

// BaseURL returns the base URL of the server's OpenAI-compatible API.
func (s Server) BaseURL() string {
	if s.Kind == Docker {
		return "http://" + s.Address + "/engines/v1"
	}
	return "http://" + s.Address + "/v1"
}

// Tools says whether a model can call tools.
type Tools int

// The values of [Tools].
const (
	ToolsUnknown Tools = iota
	ToolsNo
	ToolsYes
)

// Model is a language model that a [Server] offers.
type Model struct {
	Name   string  // the server's name for it
	Size   float64 // billions of parameters; 0: unknown
	Tools  Tools
	Window int // loaded context length; 0 if not loaded or unknown
	Most   int // maximum context length of the model in tokens; 0: unknown
	Loaded bool
}

const (
	// WantedWindow is the context window, in tokens, above which answers no longer improve.
	WantedWindow = 32_768
	// LeastWindow is the smallest context window, in tokens, that fits a question with passages.
	LeastWindow = 2_048
	// AssumedWindow is the context window, in tokens, that is assumed for a server that does not
	// report one. It is the default of such servers.
	AssumedWindow = 4_096
	// SmallSize is the size, in billions of parameters, up to which a model answers better without
	// tools. Such a model gets the best passages in one request.
	SmallSize = 8.5
	// QuotingSize is the size, in billions of parameters, below which plain quotations are better
	// than a model's text.
	QuotingSize = 3
)

type family struct {
	prefix string // beginning of the model's name without path, such as "qwen3"
	rank   int    // higher writes better answers at the same size
	tools  Tools  // support for tools, if the server does not report it
}

// families lists the known families. If several prefixes match, the longest applies.
var families = []family{
	{"gpt-oss", 9, ToolsYes},
	{"qwen3", 9, ToolsYes},
	{"qwen2.5", 6, ToolsYes},
	{"qwen2.5-vl", 5, ToolsNo},
	{"qwq", 6, ToolsYes},
	{"gemma4", 8, ToolsYes},
	{"gemma-4", 8, ToolsYes},
	{"gemma3", 7, ToolsNo},
	{"gemma-3", 7, ToolsNo},
	{"gemma2", 4, ToolsNo},
	{"gemma-2", 4, ToolsNo},
	{"llama3.3", 8, ToolsYes},
	{"llama-3.3", 8, ToolsYes},
	{"llama3.2", 5, ToolsYes},
	{"llama-3.2", 5, ToolsYes},
	{"llama3.1", 6, ToolsYes},
	{"llama-3.1", 6, ToolsYes},
	{"llama3", 3, ToolsNo},
	{"llama-3", 3, ToolsNo},
	{"llama-4", 7, ToolsYes},
	{"llama4", 7, ToolsYes},
	{"llama2", 1, ToolsNo},
	{"mistral-small", 8, ToolsYes},
	{"mistral-nemo", 6, ToolsYes},
	{"mistral", 5, ToolsYes},
	{"ministral", 7, ToolsYes},
	{"devstral", 6, ToolsYes},
	{"magistral", 6, ToolsYes},
	{"mixtral", 4, ToolsYes},
	{"granite4", 7, ToolsYes},
	{"granite-4", 7, ToolsYes},
	{"granite3", 5, ToolsYes},
	{"granite-3", 5, ToolsYes},
	{"phi4", 5, ToolsNo},
	{"phi-4", 5, ToolsNo},
	{"phi4-mini", 5, ToolsYes},
	{"phi3", 3, ToolsNo},
	{"deepseek-r1", 5, ToolsNo},
	{"command-r", 6, ToolsYes},
	{"hermes3", 5, ToolsYes},
	{"smollm", 1, ToolsNo},
	{"tinyllama", 0, ToolsNo},
}

const unknownRank = 2

var notWriters = regexp.MustCompile(`(?i)(embed|rerank|minilm|whisper|guard|moderation|colbert|(^|[-_/.])(bge|gte|e5|tts|clip|nomic-bert)([-_/.:]|$))`)

// Writes reports whether a model can write answers, judged by its name. Models that embed, rank,
// transcribe or classify cannot.
func Writes(name string) bool { return !notWriters.MatchString(name) }

// Leaves reports whether Ollama runs the named model on Ollama's servers, so that data leaves this
// machine.
func Leaves(name string) bool {
	return strings.HasSuffix(name, "-cloud") || strings.HasSuffix(name, ":cloud")
}

func familyOf(name string) family {
	bare := strings.ToLower(Shown(name))
	if i := strings.LastIndexByte(bare, '/'); i >= 0 {
		bare = bare[i+1:]
	}
	bare = strings.TrimPrefix(bare, "meta-")
	best := family{rank: unknownRank}
	for _, f := range families {
		if strings.HasPrefix(bare, f.prefix) && len(f.prefix) > len(best.prefix) {
			best = f
		}
	}
	return best
}

// Shown returns a model's name for people. If the name is the path of a .gguf file, as with
// llama.cpp, it returns the base name of the file.
func Shown(name string) string {
	base, isFile := strings.CutSuffix(name, ".gguf")
	if !isFile {
		return name
	}
	return base[strings.LastIndexAny(base, `/\`)+1:]
}

// sizeInName matches sizes in names: "qwen3:8b", "Qwen3-30B-A3B" (the first counts),
// "mixtral-8x7b", "SmolLM2-135M".
var sizeInName = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s?([bm])(?:[^a-z]|$)`)

// ParseSize returns the number of parameters, in billions, that a text states. The text is a name,
// such as "qwen3:8b", or a size, such as "361.82 M". It returns 0 if the text states none.
func ParseSize(text string) float64 {
	found := sizeInName.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	size, err := strconv.ParseFloat(found[2], 64)
	if err != nil {
		return 0
	}
	if experts, err := strconv.Atoi(found[1]); err == nil {
		size *= float64(experts)
	}
	if strings.EqualFold(found[3], "m") {
		size /= 1000
	}
	return size
}

// Complete fills in properties of a model that its server did not report. The size comes from the
// model's name, and the support for tools from a table of known families.
func Complete(m Model) Model {
	if m.Size == 0 {
		m.Size = ParseSize(Shown(m.Name))
	}
	if m.Tools == ToolsUnknown {
		m.Tools = familyOf(m.Name).tools
	}
	return m
}

// Small reports whether a model answers better from one request with the best passages than from
// searches with tools.
func (m Model) Small() bool {
	return m.Tools != ToolsYes || m.Size > 0 && m.Size <= SmallSize || m.Window > 0 && m.Window < WantedWindow/2
}

// QuotingIsBetter reports whether a model is so small that quotations are better than the text that
// it writes.
func (m Model) QuotingIsBetter() bool { return m.Size > 0 && m.Size < QuotingSize }

// sizeBand rates a model's size by the quality and speed of answers on one machine. Higher is
// better. The size is in billions of parameters, and 0 if unknown.
func sizeBand(billions float64) int {
	switch {
	case billions == 0:
		return 2
	case billions < QuotingSize:
		return 0
	case billions < 6:
		return 2
	case billions <= 40:
		return 3
	}
	return 1 // an answer takes minutes on most machines
}

// Compare orders models from best to worst, for [slices.SortFunc]. Models that are large enough
// come first, and among them models that call tools. Further criteria are size, family and whether
// the model is loaded.
func Compare(a, b Model) int {
	loaded := map[bool]int{true: 1}
	return cmp.Or(
		cmp.Compare(min(sizeBand(b.Size), 1), min(sizeBand(a.Size), 1)),
		cmp.Compare(b.Tools, a.Tools),
		cmp.Compare(sizeBand(b.Size), sizeBand(a.Size)),
		cmp.Compare(familyOf(b.Name).rank, familyOf(a.Name).rank),
		cmp.Compare(loaded[b.Loaded], loaded[a.Loaded]),
		cmp.Compare(b.Size, a.Size),
		cmp.Compare(a.Name, b.Name),
	)
}

// Offer is the best model of a server, which an operator may choose to write answers.
type Offer struct {
	Server Server
	Model  Model
}

// Offers returns the best model of each server, best first.
func Offers(servers []Server) []Offer {
	var offers []Offer
	for _, s := range servers {
		if len(s.Models) > 0 {
			offers = append(offers, Offer{s, slices.MinFunc(s.Models, Compare)})
		}
	}
	slices.SortStableFunc(offers, func(a, b Offer) int { return Compare(a.Model, b.Model) })
	return offers
}
