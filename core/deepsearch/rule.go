package deepsearch

import (
	"regexp"
	"strings"
)

// Decompose splits a question by rule, for use where no model does. It splits several questions in
// one, a list, "first … then …", a comparison, and names that "and" or "or" joins. Each part is
// complete by itself as far as its words show. A part that points back gets the subject of the part
// before it. A question that only describes what it asks about ("the team that owns …") becomes one
// part. Its first search finds names for a second one. No parts means that one search suffices.
func Decompose(question string) []SubQuestion {
	if question = strings.TrimSpace(question); len(question) > maxRuled {
		return nil
	}
	for _, rule := range []func(string) []SubQuestion{listed, sequence, several, clauses, compared, joined} {
		if parts := rule(question); len(parts) > 1 {
			return bounded(parts)
		}
	}
	if bridges(question) {
		return []SubQuestion{{Text: strings.Join(strings.Fields(question), " ")}}
	}
	return nil
}

// maxRuled is how long a question may be that is taken apart by rule, in bytes: what is longer
// holds text in addition to the question.
const maxRuled = 2_000

// bounded keeps the parts that can be asked.
func bounded(parts []SubQuestion) []SubQuestion {
	var out []SubQuestion
	seen := make(map[string]bool)
	for _, p := range parts {
		p.Text = strings.Join(strings.Fields(p.Text), " ")
		if key := fold(p.Text); key != "" && !seen[key] && len(out) < MaxQuestions {
			seen[key] = true
			p.Text = excerpt(p.Text, maxSubQuestion)
			out = append(out, p)
		}
	}
	for i := range out {
		out[i].After = min(out[i].After, i)
	}
	return out
}

var item = regexp.MustCompile(`(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+(.+)$`)

// listed are the items of a list, each behind the words that introduce it.
func listed(question string) []SubQuestion {
	items := item.FindAllStringSubmatch(question, -1)
	if len(items) < 2 {
		return nil
	}
	intro := strings.TrimSpace(question[:item.FindStringIndex(question)[0]])
	var out []SubQuestion
	for _, m := range items {
		text := strings.TrimSpace(m[1])
		if intro != "" && !strings.HasSuffix(text, "?") {
			text = strings.TrimRight(intro, " :?.") + ": " + text
		}
		out = append(out, SubQuestion{Text: text})
	}
	return out
}

var then = regexp.MustCompile(`(?i)^(?:first(?:ly)?|zuerst|erst),?\s+(.+?)[,;.]?\s+(?:and\s+|und\s+)?(?:then|afterwards|after that|dann|danach),?\s+(.+)$`)

// sequence is "first … then …": the second part speaks of what the first finds.
func sequence(question string) []SubQuestion {
	m := then.FindStringSubmatch(strings.Join(strings.Fields(question), " "))
	if m == nil {
		return nil
	}
	return []SubQuestion{{Text: m[1]}, {Text: m[2], After: 1}}
}

var questionEnd = regexp.MustCompile(`\?\s+`)

// several are questions that stand one after the other.
func several(question string) []SubQuestion {
	var out []SubQuestion
	for _, part := range questionEnd.Split(question, -1) {
		if len(strings.Fields(part)) < 2 {
			continue
		}
		out = append(out, after(strings.TrimRight(part, "? ")+"?", out))
	}
	return out
}

var clause = regexp.MustCompile(`(?i),?\s+(?:and|und|et|y)\s+((?:what|who|whom|whose|when|where|why|which|how|is|are|was|were|do|does|did|can|should|was|wer|wann|wo|warum|wie|welche[rsnm]?)\b[^,]{6,})`)

// clauses are several questions in one sentence: "what is X, how do I Y, and who Z?".
func clauses(question string) []SubQuestion {
	var out []SubQuestion
	for _, part := range cut(question) {
		out = append(out, after(strings.TrimRight(part, "?.!, ")+"?", out))
	}
	return out
}

// cut cuts a sentence in front of each clause that is a question, except where fewer than three
// words come before it.
func cut(sentence string) []string {
	at := clause.FindStringSubmatchIndex(sentence)
	if at == nil || len(strings.Fields(sentence[:at[0]])) < 3 {
		return []string{sentence}
	}
	return append([]string{sentence[:at[0]]}, cut(sentence[at[2]:])...)
}

// comparisons name two things between words that say that they are compared. Of what stands before
// and behind them, what speaks of the comparison is left out.
var comparisons = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?P<before>.*?)\b(?:difference|differences|unterschied|unterschiede)\b.*?\b(?:between|of|zwischen)\s+(?P<a>.+?)\s+(?:and|und)\s+(?P<b>.+?)(?P<after>\s+(?:in|on|for|with|when|regarding|by|bei|für)\s+.+?)?[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>)(?:please\s+)?(?:compare|vergleiche?|contrast)\s+(?P<a>.+?)\s+(?:and|with|to|und|mit)\s+(?P<b>.+?)(?P<after>\s+(?:in|on|for|regarding|by|bei|für)\s+.+?)?[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>.*?)(?P<a>\S+)\s+(?:vs\.?|versus|gegenüber)\s+(?P<b>\S+)(?P<after>.*?)[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>(?:which|who|what|whose|welche[rs]?|wer)\b.+?)[,:]\s*(?P<a>.+?)\s+(?:or|oder)\s+(?P<b>.+?)(?P<after>)[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>(?:how\s+|wie\s+)?(?:are|were|is|was|do|did|does|have|sind|waren|haben)\s+(?:both\s+)?)(?P<a>[^,]+?)\s+(?:and|or|und|oder)\s+(?P<b>[^,]+?)(?P<after>\s+(?:both|either|from|the same|of the same|located|based|born|known|related|part|older|younger|larger|smaller|differ|compare|relate|beide|unterscheiden)\b.*?)[?.!]*$`),
}

// article stands before what says that there is a comparison.
var article = regexp.MustCompile(`(?i)\s+(?:the|a|an|der|die|das)$`)

// compared are the two sides of a comparison, each with what is asked about both.
func compared(question string) []SubQuestion {
	question = strings.Join(strings.Fields(question), " ")
	for _, pattern := range comparisons {
		m := pattern.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		get := func(name string) string { return strings.TrimSpace(m[pattern.SubexpIndex(name)]) }
		a, b := get("a"), get("b")
		// "monthly and annual plans": the first is plans, too.
		if words := strings.Fields(b); len(words) == 2 && len(strings.Fields(a)) == 1 && strings.ToLower(a) == a && strings.ToLower(words[1]) == words[1] {
			a += " " + words[1]
		}
		var out []SubQuestion
		for _, side := range []string{a, b} {
			text := strings.Join(strings.Fields(article.ReplaceAllString(get("before"), "")+" "+side+" "+get("after")), " ")
			text = strings.TrimRight(text, "?.! ")
			if text != strings.TrimRight(side, "?.! ") { // else it is a name, and no question
				text += "?"
			}
			out = append(out, SubQuestion{Text: text})
		}
		return out
	}
	return nil
}

// name is how names are written: capitals, code, quotation marks.
const name = `(?:[\p{Lu}][\p{L}\p{N}_.'’/-]*(?:\s+(?:of\s+|the\s+|de\s+|von\s+)?[\p{Lu}\p{N}][\p{L}\p{N}_.'’/-]*)*|` + "`[^`]+`" + `|"[^"]+"|“[^”]+”)`

var names = regexp.MustCompile(`(?:^|[^\p{L}\p{N}])(` + name + `(?:,\s+` + name + `)*,?\s+(?:and|or|und|oder|et|y|o|ou)\s+` + name + `)`)

var conjunction = regexp.MustCompile(`,?\s+(?:and|or|und|oder|et|y|o|ou)\s+|,\s+`)

// joined are names that "and" or "or" joins, each in the question without the others.
func joined(question string) []SubQuestion {
	at := names.FindStringSubmatchIndex(question)
	if at == nil {
		return nil
	}
	before, list, after := question[:at[2]], question[at[2]:at[3]], question[at[3]:]
	var out []SubQuestion
	for _, one := range conjunction.Split(list, -1) {
		out = append(out, SubQuestion{Text: before + one + after})
	}
	return out
}

var bridge = regexp.MustCompile(`(?i)\S\s+(that|which|who|whose|whom|where|whereby|dessen|deren|welche[rsnm]?)\s+\S|\S,\s+(?:der|die|das)\s+\S|\S['’]s\s+(?:\S+\s+){1,3}(?:of|for)\s|\bof\s+(?:the\s+)?(?:\S+\s+){1,3}of\s+(?:the\s+)?\S`)

// bridges reports whether a question asks about something that it describes and does not name, so that a first search has to find its name.
func bridges(question string) bool { return bridge.MatchString(question) }
