package deepsearch

import (
	"regexp"
	"strings"
)

// Decompose splits a question into parts by rules, without a model. It splits consecutive
// questions, lists, "first … then …", comparisons, and names joined by "and" or "or". If a part
// refers to the previous part by a pronoun, it gets the subject of that part. If one search is
// enough, Decompose returns nil.
//
// A question that describes its subject without a name ("the team that owns …") becomes a single
// part. Its search finds names for a second search.
func Decompose(question string) []SubQuestion {
	if question = strings.TrimSpace(question); len(question) > maxDecomposed {
		return nil
	}
	for _, rule := range []func(string) []SubQuestion{listItems, sequence, consecutive, clauses, comparison, conjoined} {
		if parts := rule(question); len(parts) > 1 {
			return limitParts(parts)
		}
	}
	if describesThing(question) {
		return []SubQuestion{{Text: strings.Join(strings.Fields(question), " ")}}
	}
	return nil
}

// maxDecomposed is the maximum length in bytes of a question that is split by rules. A longer text
// is not only a question.
const maxDecomposed = 2_000

func limitParts(parts []SubQuestion) []SubQuestion {
	var out []SubQuestion
	seen := make(map[string]bool)
	for _, p := range parts {
		p.Text = strings.Join(strings.Fields(p.Text), " ")
		if key := normalise(p.Text); key != "" && !seen[key] && len(out) < MaxQuestions {
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

// listItems makes a sub-question of each item of a list in a question. It puts the words that
// introduce the list before each item.
func listItems(question string) []SubQuestion {
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

var firstThen = regexp.MustCompile(`(?i)^(?:first(?:ly)?|zuerst|erst),?\s+(.+?)[,;.]?\s+(?:and\s+|und\s+)?(?:then|afterwards|after that|dann|danach),?\s+(.+)$`)

// sequence splits "first … then …". The second part refers to the finding of the first.
func sequence(question string) []SubQuestion {
	m := firstThen.FindStringSubmatch(strings.Join(strings.Fields(question), " "))
	if m == nil {
		return nil
	}
	return []SubQuestion{{Text: m[1]}, {Text: m[2], After: 1}}
}

var questionEnd = regexp.MustCompile(`\?\s+`)

func consecutive(question string) []SubQuestion {
	var out []SubQuestion
	for _, part := range questionEnd.Split(question, -1) {
		if len(strings.Fields(part)) < 2 {
			continue
		}
		out = append(out, linkPart(strings.TrimRight(part, "? ")+"?", out))
	}
	return out
}

var clause = regexp.MustCompile(`(?i),?\s+(?:and|und|et|y)\s+((?:what|who|whom|whose|when|where|why|which|how|is|are|was|were|do|does|did|can|should|was|wer|wann|wo|warum|wie|welche[rsnm]?)\b[^,]{6,})`)

// clauses splits a sentence with several questions, such as "what is X, how do I Y, and who Z?".
func clauses(question string) []SubQuestion {
	var out []SubQuestion
	for _, part := range splitClauses(question) {
		out = append(out, linkPart(strings.TrimRight(part, "?.!, ")+"?", out))
	}
	return out
}

// splitClauses cuts a sentence before each interrogative clause that follows at least three words.
func splitClauses(sentence string) []string {
	at := clause.FindStringSubmatchIndex(sentence)
	if at == nil || len(strings.Fields(sentence[:at[0]])) < 3 {
		return []string{sentence}
	}
	return append([]string{sentence[:at[0]]}, splitClauses(sentence[at[2]:])...)
}

// comparisons match questions that compare two things. The groups a and b match the things. The
// groups before and after match the rest of the question.
var comparisons = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?P<before>.*?)\b(?:difference|differences|unterschied|unterschiede)\b.*?\b(?:between|of|zwischen)\s+(?P<a>.+?)\s+(?:and|und)\s+(?P<b>.+?)(?P<after>\s+(?:in|on|for|with|when|regarding|by|bei|für)\s+.+?)?[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>)(?:please\s+)?(?:compare|vergleiche?|contrast)\s+(?P<a>.+?)\s+(?:and|with|to|und|mit)\s+(?P<b>.+?)(?P<after>\s+(?:in|on|for|regarding|by|bei|für)\s+.+?)?[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>.*?)(?P<a>\S+)\s+(?:vs\.?|versus|gegenüber)\s+(?P<b>\S+)(?P<after>.*?)[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>(?:which|who|what|whose|welche[rs]?|wer)\b.+?)[,:]\s*(?P<a>.+?)\s+(?:or|oder)\s+(?P<b>.+?)(?P<after>)[?.!]*$`),
	regexp.MustCompile(`(?i)^(?P<before>(?:how\s+|wie\s+)?(?:are|were|is|was|do|did|does|have|sind|waren|haben)\s+(?:both\s+)?)(?P<a>[^,]+?)\s+(?:and|or|und|oder)\s+(?P<b>[^,]+?)(?P<after>\s+(?:both|either|from|the same|of the same|located|based|born|known|related|part|older|younger|larger|smaller|differ|compare|relate|beide|unterscheiden)\b.*?)[?.!]*$`),
}

var article = regexp.MustCompile(`(?i)\s+(?:the|a|an|der|die|das)$`)

func comparison(question string) []SubQuestion {
	question = strings.Join(strings.Fields(question), " ")
	for _, pattern := range comparisons {
		m := pattern.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		get := func(name string) string { return strings.TrimSpace(m[pattern.SubexpIndex(name)]) }
		a, b := get("a"), get("b")
		// In "monthly and annual plans", "plans" belongs to both sides.
		if words := strings.Fields(b); len(words) == 2 && len(strings.Fields(a)) == 1 && strings.ToLower(a) == a && strings.ToLower(words[1]) == words[1] {
			a += " " + words[1]
		}
		var out []SubQuestion
		for _, side := range []string{a, b} {
			text := strings.Join(strings.Fields(article.ReplaceAllString(get("before"), "")+" "+side+" "+get("after")), " ")
			text = strings.TrimRight(text, "?.! ")
			if text != strings.TrimRight(side, "?.! ") { // otherwise it is only a name
				text += "?"
			}
			out = append(out, SubQuestion{Text: text})
		}
		return out
	}
	return nil
}

// name matches capitalised names, code and quotations.
const name = `(?:[\p{Lu}][\p{L}\p{N}_.'’/-]*(?:\s+(?:of\s+|the\s+|de\s+|von\s+)?[\p{Lu}\p{N}][\p{L}\p{N}_.'’/-]*)*|` + "`[^`]+`" + `|"[^"]+"|“[^”]+”)`

var names = regexp.MustCompile(`(?:^|[^\p{L}\p{N}])(` + name + `(?:,\s+` + name + `)*,?\s+(?:and|or|und|oder|et|y|o|ou)\s+` + name + `)`)

var conjunction = regexp.MustCompile(`,?\s+(?:and|or|und|oder|et|y|o|ou)\s+|,\s+`)

// conjoined splits names joined by "and" or "or". Each part is the question with only one of them.
func conjoined(question string) []SubQuestion {
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

var describedThing = regexp.MustCompile(`(?i)\S\s+(that|which|who|whose|whom|where|whereby|dessen|deren|welche[rsnm]?)\s+\S|\S,\s+(?:der|die|das)\s+\S|\S['’]s\s+(?:\S+\s+){1,3}(?:of|for)\s|\bof\s+(?:the\s+)?(?:\S+\s+){1,3}of\s+(?:the\s+)?\S`)

// describesThing reports whether a question describes its subject without naming it. A first search
// must then find the name.
func describesThing(question string) bool { return describedThing.MatchString(question) }
