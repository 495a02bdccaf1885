package localmodel

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Describe returns a short description of a model, for example "qwen3:8b (8 B, calls tools, 32k)".
func (m Model) Describe() string {
	var parts []string
	if m.Size > 0 {
		parts = append(parts, billions(m.Size))
	}
	switch m.Tools {
	case ToolsYes:
		parts = append(parts, "calls tools")
	case ToolsNo:
		parts = append(parts, "calls no tools")
	case ToolsUnknown:
	}
	switch {
	case m.Window > 0 && m.Most > m.Window:
		parts = append(parts, fmt.Sprintf("%s of %s loaded", thousands(m.Window), thousands(m.Most)))
	case m.Window > 0:
		parts = append(parts, thousands(m.Window))
	case m.Most > 0:
		parts = append(parts, "up to "+thousands(m.Most))
	}
	if len(parts) == 0 {
		return Shown(m.Name)
	}
	return fmt.Sprintf("%s (%s)", Shown(m.Name), strings.Join(parts, ", "))
}

func billions(size float64) string {
	switch {
	case size >= 3:
		return fmt.Sprintf("%.0f B", size)
	case size >= 0.95:
		return fmt.Sprintf("%.1f B", size)
	}
	return fmt.Sprintf("%.0f M", size*1000)
}

func thousands(tokens int) string {
	if tokens < 1024 {
		return strconv.Itoa(tokens)
	}
	return fmt.Sprintf("%dk", tokens/1024)
}

// Question returns a text that asks the operator whether the first offer should write the answers.
// Further offers are numbered from 2.
func Question(offers []Offer) string {
	first := offers[0]
	says := fmt.Sprintf("%s runs here with %s.", first.Server.Kind, first.Model.Describe())
	choices := "Y/n"
	if first.Model.QuotingIsBetter() {
		says += " It is so small that quoting the documents is better."
		choices = "y/N"
	}
	for i, o := range offers[1:] {
		says += fmt.Sprintf(" %d: %s with %s.", i+2, o.Server.Kind, o.Model.Describe())
		choices += fmt.Sprintf("/%d", i+2)
	}
	which := "it"
	if len(offers) > 1 {
		which = Shown(first.Model.Name)
	}
	return fmt.Sprintf("%s Let %s write the answers? [%s] Nothing leaves this machine. ", says, which, choices)
}

// Reply parses the operator's answer to [Question]. It returns the index of an offer, or -1 if the
// operator declines. An empty line selects the default. ok is false for any other input.
func Reply(line string, offers []Offer) (chosen int, ok bool) {
	switch line = strings.ToLower(strings.TrimSpace(line)); line {
	case "":
		if offers[0].Model.QuotingIsBetter() {
			return -1, true
		}
		return 0, true
	case "y", "yes":
		return 0, true
	case "n", "no":
		return -1, true
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || n > len(offers) {
		return 0, false
	}
	return n - 1, true
}

// Again is the command that asks the operator to choose a model again.
const Again = "LOCAL_MODEL=again footnote chat"

// Writes returns a sentence that says which model writes the answers. window is in tokens.
func (o Offer) Writes(window int) string {
	return fmt.Sprintf("%s of %s writes the answers, with a window of %d tokens. Nothing leaves this machine.", Shown(o.Model.Name), o.Server.Kind, window)
}

// Raise returns instructions for loading the model with a larger context window than window, in
// tokens. It returns "" if the window is large enough.
func (o Offer) Raise(window int) string {
	want := WantedWindow
	if o.Model.Most > 0 {
		want = min(want, o.Model.Most)
	}
	if window >= want {
		return ""
	}
	name := quoted(o.Model.Name)
	command := ""
	switch o.Server.Kind {
	case Ollama:
		command = fmt.Sprintf("OLLAMA_CONTEXT_LENGTH=%d ollama serve", want)
	case LMStudio:
		command = fmt.Sprintf("lms load %s --context-length %d", name, want)
	case LlamaCpp:
		command = fmt.Sprintf("llama-server -m %s -c %d", name, want)
	case VLLM:
		command = fmt.Sprintf("vllm serve %s --max-model-len %d", name, want)
	case Docker:
		command = fmt.Sprintf("docker model configure --context-size %d %s", want, name)
	case Jan:
		command = fmt.Sprintf("curl http://%s/v1/models/load -H 'Content-Type: application/json' -d '{\"model\": %s, \"ctx_size\": %d}'",
			o.Server.Address, strings.ReplaceAll(strconv.Quote(o.Model.Name), "'", `'\''`), want)
	}
	return fmt.Sprintf("A window of %d tokens holds few passages. For %d, restart the server with: %s", window, want, command)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$|^/[A-Za-z0-9._:/@+-]+$`)

func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Settings returns the environment variables that make footnote serve use the model.
func (o Offer) Settings() string {
	settings := fmt.Sprintf("OPENAI_BASE_URL=%s LLM_MODEL=%s", o.Server.BaseURL(), quoted(o.Model.Name))
	if o.Model.Window > 0 {
		settings += fmt.Sprintf(" LLM_WINDOW=%d", o.Model.Window)
	}
	if o.Model.Small() {
		settings += " LLM_PROFILE=small"
	}
	return settings
}

// Unusable returns a sentence that says why the server's models cannot write answers.
func (s Server) Unusable() string {
	return fmt.Sprintf("%s runs here at %s, but %s.", s.Kind, s.Address, s.Fault)
}

// Gone returns a sentence for the operator that the chosen model is unavailable, and that answers
// quote documents until it is back. why is a clause.
func Gone(kind Kind, model, address, why string) string {
	return fmt.Sprintf("%s of %s at %s cannot write the answers now: %s. Until it can, they quote the documents. To choose again: %s", Shown(model), kind, address, why, Again)
}

// Narrow returns a warning if the server has loaded the model with fewer than window tokens.
// Otherwise it returns "".
func (o Offer) Narrow(window int) string {
	if o.Model.Window == 0 || o.Model.Window >= window {
		return ""
	}
	return fmt.Sprintf("%s has loaded %d tokens and cuts longer prompts: set LLM_WINDOW=%d. %s", o.Server.Kind, o.Model.Window, o.Model.Window, o.Raise(o.Model.Window))
}

// Suggestion returns a sentence with commands that install a model server and a model. goos is
// runtime.GOOS.
func Suggestion(goos string) string {
	install := "curl -fsSL https://ollama.com/install.sh | sh"
	if goos == "darwin" {
		install = "brew install ollama && brew services start ollama"
	}
	return fmt.Sprintf("To have a model on this machine write the answers, run: %s, then: ollama pull qwen3:8b", install)
}
