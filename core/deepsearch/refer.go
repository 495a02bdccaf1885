package deepsearch

import (
	"regexp"
	"strings"
)

var (
	// pointing is what a part holds that speaks of what stands in the part before it.
	pointing = regexp.MustCompile(`(?i)\b(it|its|they|them|their|this|that one|these|those|he|she|his|her|there|es|sie|er|dies\w*|davon|dazu)\b|\bwhich one\b|\bthe (?:other|former|latter)\b|\bones?[\s?.!]*$`)
	// existing is a "there" that points nowhere.
	existing = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|been) there\b|\bthere (?:is|are|was|were)\b`)
	// pointed is what does so instead of a thing, at the end of a part.
	pointed = regexp.MustCompile(`(?i)\b(?:it|them|one|ones|these|those|this|that one|each|both)[\s?.!]*$`)
	// between is what stands before the two sides of a difference.
	between = regexp.MustCompile(`(?i)^.*\b(?:difference|differences|unterschied|unterschiede)\b.*?\b(?:between|zwischen)\s+`)
	// thing begins with an article or what stands for one. German "die" is none here, since it is
	// an English verb.
	thing = regexp.MustCompile(`(?i)(?:^|\s)((?:an?|the|our|my|your|einen?|einem|einer|der|das|dem|unser\w*|mein\w*)\s+\S.*)$`)
	// result begins a question whose answer is a thing or a person, so that what follows may speak
	// of that.
	result = regexp.MustCompile(`(?i)^(?:and |so |und )?(?:who\w*|which|wer|wem|welche[rsnm]?|what\s+(?:[a-z]+ed|owns|runs|replaces|causes|\w+ing)|whose)\b`)
	// aside is what a part was given of the one before it.
	aside = regexp.MustCompile(`\(([^()]+)\)[\s?.!]*$`)
)

// empty are words at the edges of a question that name nothing.
var empty = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`what which who whom whose when where why how is are was were do does did can could should would will has have i we you to many much
		long often and or but so please tell me about there wer was wann wo warum wie ist sind hat haben kann ich man wir und`) {
		set[w] = true
	}
	return set
}()

// maxSubject is how many words of a part another one is given.
const maxSubject = 12

// subject is what a part is about: the sides of a difference, the thing that it names with an
// article, else its words without those that ask.
func subject(part string) string {
	part = strings.TrimRight(strings.Join(strings.Fields(part), " "), "?.! ")
	var words []string
	if m := aside.FindStringSubmatch(part); m != nil {
		words = strings.Fields(m[1])
	} else if sides := between.ReplaceAllString(part, ""); sides != part {
		words = strings.Fields(sides)
	} else if m := thing.FindStringSubmatch(part); m != nil {
		words = strings.Fields(m[1])
	} else {
		words = strings.Fields(part)
		for len(words) > 0 && empty[strings.ToLower(bare(words[0]))] {
			words = words[1:]
		}
	}
	for len(words) > 0 && empty[strings.ToLower(bare(words[len(words)-1]))] {
		words = words[:len(words)-1]
	}
	return strings.Join(words[:min(len(words), maxSubject)], " ")
}

// after is a part that stands behind another one. If it points back to what that names, it gets
// this in place of "it" where that ends it, and is a separate question. If it may point to the
// answer, or "it" stands elsewhere, it comes after the other one, and what that is about is put
// behind it.
func after(part string, before []SubQuestion) SubQuestion {
	q := SubQuestion{Text: part}
	if len(before) == 0 || !pointing.MatchString(existing.ReplaceAllString(part, "")) {
		return q
	}
	last := before[len(before)-1].Text
	about := subject(last)
	switch at := pointed.FindStringIndex(part); {
	case about == "" || pointing.MatchString(about):
		q.After = len(before)
	case at != nil && thing.MatchString(about) && !result.MatchString(last):
		q.Text = strings.TrimSpace(part[:at[0]]) + " " + about + "?"
	default:
		q.After = len(before)
		q.Text = with(part, []string{about})
	}
	return q
}
