package textcall

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

type scan struct {
	depth   int
	quoted  bool
	escaped bool
}

// end returns the offset in s at which the JSON value ends, or -1 if s contains only a part of it.
// It scans from pos, and continues the scan of the previous call.
func (sc *scan) end(s string, pos int) int {
	for i := pos; i < len(s); i++ {
		switch c := s[i]; {
		case sc.escaped:
			sc.escaped = false
		case sc.quoted:
			sc.escaped = c == '\\'
			sc.quoted = c != '"'
		case c == '"':
			sc.quoted = true
		case c == '{' || c == '[':
			sc.depth++
		case c == '}' || c == ']':
			if sc.depth--; sc.depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

var (
	invokeTag   = regexp.MustCompile(`(?is)<invoke\s+name\s*=\s*["']?([^"'>\s]+)["']?[^>]*>(.*?)(?:</invoke>|$)`)
	functionTag = regexp.MustCompile(`(?is)<function=([^>\s]+)\s*>(.*?)(?:</function>|$)`)
	parameter   = regexp.MustCompile(`(?is)<parameter(?:\s+name\s*=\s*["']?|=)([^"'>\s]+)["']?[^>]*>(.*?)</parameter>`)
	calledName  = regexp.MustCompile(`"name"\s*:\s*"([^"]+)"`)
)

// parseTags parses the calls in a block that is marked by tags. If the block is complete (whole),
// it returns malformed calls too, so that the model receives an error for them.
func parseTags(text string, specs []llm.ToolSpec, whole bool) []llm.ToolCall {
	var calls []llm.ToolCall
	for _, tag := range []*regexp.Regexp{invokeTag, functionTag} {
		for _, m := range tag.FindAllStringSubmatch(text, -1) {
			if call, ok := parseParameters(m[1], m[2]); ok || whole {
				calls = append(calls, call)
			}
		}
	}
	if len(calls) > 0 {
		return calls
	}
	body := text
	if i := strings.IndexAny(text, "{"); i >= 0 {
		body = text[i:]
		if j := strings.LastIndexByte(text[:i], '['); j >= 0 && strings.TrimSpace(text[j+1:i]) == "" {
			body = text[j:]
		}
	}
	if calls := parseJSON(body, specs, true); len(calls) > 0 {
		return calls
	}
	if !whole {
		return nil
	}
	name := "unreadable"
	if m := calledName.FindStringSubmatch(body); m != nil {
		name = m[1]
	}
	return []llm.ToolCall{{Name: name, Arguments: body}}
}

// parseParameters parses the parameters of a call in tags. A value that looks like JSON is parsed
// as JSON. Any other value is text.
func parseParameters(name, body string) (llm.ToolCall, bool) {
	arguments := make(map[string]any)
	for _, m := range parameter.FindAllStringSubmatch(body, -1) {
		value := html.UnescapeString(strings.TrimSpace(m[2]))
		var parsed any
		if json.Unmarshal([]byte(value), &parsed) == nil {
			arguments[m[1]] = parsed
		} else {
			arguments[m[1]] = value
		}
	}
	if len(arguments) == 0 {
		return llm.ToolCall{Name: name, Arguments: strings.TrimSpace(body)}, false
	}
	text, err := json.Marshal(arguments)
	return llm.ToolCall{Name: name, Arguments: string(text)}, err == nil
}

// parseJSON parses the tool calls in JSON text. If declared is true, tags mark the text as calls,
// and parseJSON accepts unknown tools. Otherwise it returns nil unless all values are calls of
// tools in specs.
func parseJSON(text string, specs []llm.ToolSpec, declared bool) []llm.ToolCall {
	var calls []llm.ToolCall
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		found := parseValue(value, specs, declared, 0)
		if len(found) == 0 && !declared {
			return nil
		}
		calls = append(calls, found...)
	}
	return calls
}

// maxDepth is the maximum depth of wrappers such as {"tool_calls":[{"function":{…}}]}.
const maxDepth = 4

func parseValue(value json.RawMessage, specs []llm.ToolSpec, declared bool, depth int) []llm.ToolCall {
	if depth > maxDepth {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		var calls []llm.ToolCall
		for _, item := range list {
			calls = append(calls, parseValue(item, specs, declared, depth+1)...)
		}
		return calls
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) != nil || len(object) == 0 {
		return nil
	}
	for _, wrapper := range []string{"tool_calls", "tool_call", "function", "function_call"} {
		if inner, ok := object[wrapper]; ok && (inner[0] == '{' || inner[0] == '[') {
			return parseValue(inner, specs, declared, depth+1)
		}
	}
	for _, key := range []string{"name", "tool", "tool_name", "function"} {
		var name string
		if json.Unmarshal(object[key], &name) == nil && name != "" && (declared || isKnownTool(name, specs)) {
			return []llm.ToolCall{{Name: name, Arguments: arguments(object)}}
		}
	}
	for _, spec := range specs {
		if inner, ok := object[spec.Name]; ok && len(object) == 1 && inner[0] == '{' {
			return []llm.ToolCall{{Name: spec.Name, Arguments: string(inner)}}
		}
	}
	return bareArguments(value, object, specs)
}

func arguments(object map[string]json.RawMessage) string {
	for _, key := range []string{"arguments", "parameters", "args", "input"} {
		if a, ok := object[key]; ok {
			return string(a)
		}
	}
	return "{}"
}

func isKnownTool(name string, specs []llm.ToolSpec) bool {
	return slices.ContainsFunc(specs, func(s llm.ToolSpec) bool { return strings.EqualFold(s.Name, name) })
}

// bareArguments interprets an object as the arguments of a tool. The object must have all required
// parameters of the tool and no unknown ones. Exactly one tool must fit.
func bareArguments(value json.RawMessage, object map[string]json.RawMessage, specs []llm.ToolSpec) []llm.ToolCall {
	var calls []llm.ToolCall
	for _, spec := range specs {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		if json.Unmarshal(spec.Parameters, &schema) != nil || len(schema.Required) == 0 {
			continue
		}
		fits := true
		for _, name := range schema.Required {
			_, has := object[name]
			fits = fits && has
		}
		for name := range object {
			_, has := schema.Properties[name]
			fits = fits && has
		}
		if fits {
			calls = append(calls, llm.ToolCall{Name: spec.Name, Arguments: string(value)})
		}
	}
	if len(calls) != 1 {
		return nil
	}
	return calls
}
