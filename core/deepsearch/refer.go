package deepsearch

import (
	"regexp"
	"strings"
)

var (
	// pronouns matches words that may refer to the previous part of the question.
	pronouns = regexp.MustCompile(`(?i)\b(it|its|they|them|their|this|that one|these|those|he|she|his|her|there|es|sie|er|dies\w*|davon|dazu)\b|\bwhich one\b|\bthe (?:other|former|latter)\b|\bones?[\s?.!]*$`)
	// existentialThere matches a "there" that refers to nothing, such as in "is there a limit".
	existentialThere = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|been) there\b|\bthere (?:is|are|was|were)\b`)
	// finalPronoun matches a pronoun for a thing at the end of a question: "how do I install it?".
	finalPronoun = regexp.MustCompile(`(?i)\b(?:it|them|one|ones|these|those|this|that one|each|both)[\s?.!]*$`)
	// differenceIntro matches the words that precede the two sides of a difference.
	differenceIntro = regexp.MustCompile(`(?i)^.*\b(?:difference|differences|unterschied|unterschiede)\b.*?\b(?:between|zwischen)\s+`)
	// nounPhrase matches a phrase that begins with an article or possessive. It excludes German
	// "die", which is also an English verb.
	nounPhrase = regexp.MustCompile(`(?i)(?:^|\s)((?:an?|the|our|my|your|einen?|einem|einer|der|das|dem|unser\w*|mein\w*)\s+\S.*)$`)
	// subjectQuestion matches questions whose answer is a thing or a person, to which the next part
	// may refer.
	subjectQuestion = regexp.MustCompile(`(?i)^(?:and |so |und )?(?:who\w*|which|wer|wem|welche[rsnm]?|what\s+(?:[a-z]+ed|owns|runs|replaces|causes|\w+ing)|whose)\b`)
	// parenthesised matches the names that [WithName] has appended.
	parenthesised = regexp.MustCompile(`\(([^()]+)\)[\s?.!]*$`)
)

var functionWords = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`what which who whom whose when where why how is are was were do does did can could should would will has have i we you to many much
		long often and or but so please tell me about there wer was wann wo warum wie ist sind hat haben kann ich man wir und`) {
		set[w] = true
	}
	return set
}()

const maxSubject = 12

// subject returns what a part of a question is about: both sides of a difference, or the noun
// phrase. Without either, it is the part without the function words at its beginning and end.
func subject(part string) string {
	part = strings.TrimRight(strings.Join(strings.Fields(part), " "), "?.! ")
	var words []string
	if m := parenthesised.FindStringSubmatch(part); m != nil {
		words = strings.Fields(m[1])
	} else if sides := differenceIntro.ReplaceAllString(part, ""); sides != part {
		words = strings.Fields(sides)
	} else if m := nounPhrase.FindStringSubmatch(part); m != nil {
		words = strings.Fields(m[1])
	} else {
		words = strings.Fields(part)
		for len(words) > 0 && functionWords[strings.ToLower(trimPunctuation(words[0]))] {
			words = words[1:]
		}
	}
	for len(words) > 0 && functionWords[strings.ToLower(trimPunctuation(words[len(words)-1]))] {
		words = words[:len(words)-1]
	}
	return strings.Join(words[:min(len(words), maxSubject)], " ")
}

// linkPart converts a part of a question to a [SubQuestion] and resolves a pronoun for the previous
// part. A pronoun at the end is replaced by the subject of that part. For any other pronoun, the
// subject is appended in parentheses, and After refers to the previous part.
func linkPart(part string, before []SubQuestion) SubQuestion {
	q := SubQuestion{Text: part}
	if len(before) == 0 || !pronouns.MatchString(existentialThere.ReplaceAllString(part, "")) {
		return q
	}
	last := before[len(before)-1].Text
	about := subject(last)
	switch at := finalPronoun.FindStringIndex(part); {
	case about == "" || pronouns.MatchString(about):
		q.After = len(before)
	case at != nil && nounPhrase.MatchString(about) && !subjectQuestion.MatchString(last):
		q.Text = strings.TrimSpace(part[:at[0]]) + " " + about + "?"
	default:
		q.After = len(before)
		q.Text = withNames(part, []string{about})
	}
	return q
}
