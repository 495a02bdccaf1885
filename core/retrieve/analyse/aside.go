package analyse

import (
	"regexp"
	"strings"
)

// Regular expressions for names in a question that are not its topic, such as "At ACME, how …".
const (
	namePattern = `\p{Lu}[\pL\pN'’&.-]*`
	people      = namePattern + `(?:[ \t]+` + namePattern + `){0,2}`
	// body matches a noun next to a name, such as "team" in "the Falcon team".
	body = `(?:project|team|squad|department|division|group|office|branch|unit|customer|client|account|company|region|site|tenant|` +
		`projekt|abteilung|gruppe|kunde|firma|équipe|projet|proyecto|equipo)`
	// ticket matches a ticket number. It does not match "S3" and "k8s", because such words are the
	// topic of a question.
	ticket = `(?:\pL{1,10}[-#/_]\d[\pL\pN./_-]*|\pL{2,5}\d{4,}|#\d+)`
)

var asides = []*regexp.Regexp{
	// "(OPS-1234)", "[#1234]", "(cc Priya)", "(for Project Heron)"
	regexp.MustCompile(`[(\[]\s*(?:(?i:re|ref|see|ticket|issue|case|for|cc|fyi|via)[:.]?\s+)?#?` + ticket + `\s*[)\]]`),
	regexp.MustCompile(`[(\[]\s*(?i:cc|fyi|attn|for|from|via|at|in|with|` + body + `)[:.]?\s+[^)\]?]{1,60}[)\]]`),
	// "OPS-1234: how often …"
	regexp.MustCompile(`^\s*#?` + ticket + `\s*[:–—]\s`),
	// "cc Priya: how …", "… cc Priya and Tom"
	regexp.MustCompile(`(?:^|[\s.,;?!])(?i:cc|fyi|attn)[:.]?\s+` + people + `(?:\s*(?:,|&|and|und|et|y)\s*` + people + `)*`),
	// "In Project Heron, how …", "For the Falcon team, …"
	regexp.MustCompile(`^\s*(?i:in|at|for|on|within|inside|from|über|für|bei|im|pour|chez|para|en)\s+(?i:the|our|my|der|die|das|unser\pL*|le|la|el)?\s*(?i:` + body + `)\s+` + people + `\s*,`),
	regexp.MustCompile(`^\s*(?i:in|at|for|on|within|inside|from|für|bei|im|pour|chez|para|en)\s+(?i:the|our|my)?\s*` + people + `\s+(?i:` + body + `)\s*,`),
	// "At ACME, how …", "… at ACME?"
	regexp.MustCompile(`(?:^|\s)(?i:at|bei|chez)\s+(?i:the\s+)?` + people + `\s*(?:[,.?!]|$)`),
	// "As Priya says, how …", "Priya asks how …", "…, Priya?"; "Kafka, how …" is about Kafka
	regexp.MustCompile(`^\s*(?i:as\s+)` + person + `(?:[ \t]+` + person + `)?\s+(?:asks|asked|says|said)\s*,`),
	regexp.MustCompile(`^\s*` + person + `(?:[ \t]+` + person + `)?\s+(?:asks|asked|wonders|wondered|wants to know|is asking)\b`),
	regexp.MustCompile(`^[^,]*,\s*` + person + `\s*[?.!]*\s*$`),
}

var bodies = set(strings.NewReplacer("(?:", "", ")", "", "|", " ").Replace(body))

// asidesIn returns the byte ranges of names that are not the topic of a question, such as "(cc
// Priya)".
func asidesIn(text string) [][2]int {
	const looked = 2 << 10 // pasted text has no asides
	if len(text) > looked {
		return nil
	}
	var spans [][2]int
	for _, at := range asides {
		for _, match := range at.FindAllStringSubmatchIndex(text, -1) {
			spans = append(spans, [2]int(match[len(match)-2:])) // the group, or else the whole match
		}
	}
	return spans
}

func (n *names) isAside(from, to int) bool {
	for _, span := range n.asides {
		if span[0] <= from && to <= span[1] {
			return true
		}
	}
	return false
}
