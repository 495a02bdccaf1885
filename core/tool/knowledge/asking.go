package knowledge

import (
	"regexp"
	"strings"
)

// asking is a form of question that the tool can answer, such as "who owns …". The groups of the
// regular expression match the thing that the question is about. what is a key of questionSpecs.
type asking struct {
	form *regexp.Regexp
	what string
}

// askings lists all forms of questions, in the order in which they are tried. Each form must match
// the whole question.
var askings = func() (all []asking) {
	for _, a := range [][2]string{
		{`(?:who|which team|which person|what team) (?:currently |now )?(?:owns|own|maintains|is responsible for|is in charge of|looks after)\s+(.+)`, "owners"},
		{`who (?:is|are) (?:the )?(?:code ?)?(?:owners?|maintainers?) of\s+(.+)`, "owners"},
		{`(?:wem gehört|wer (?:ist|sind) (?:verantwortlich|zuständig) für|wer betreut)\s+(.+)`, "owners"},
		{`what (?:does|do)\s+(.+?)\s+(?:own|maintain|look after)()`, "owned"},
		{`what (?:is|are)\s+(.+?)\s+(?:responsible for|in charge of)()`, "owned"},
		{`who (?:wrote|has written|is the author of|are the authors of)\s+(.+)`, "authors"},
		{`wer (?:hat\s+(.+)\s+geschrieben|schrieb\s+(.+))`, "authors"},
		{`who (?:worked|works|is working|has worked|has been working) on\s+(.+)`, "worked_on"},
		{`what (?:did|does|has|have|is|are)\s+(.+?)\s+(?:work|worked|working|been working) on\b(.*)`, "worked_on"},
		{`woran (?:hat|haben|arbeitet|arbeiten|arbeitete)\s+(.+?)(?:\s+gearbeitet)?`, "worked_on"},
		{`what (?:did|has|have)\s+(.+?)\s+(?:do|done|ship|shipped)\b(.*)`, "worked_on"},
		{`who (?:knows (?:the )?(?:most|best|more)(?: about)?|knows about|is the expert (?:on|for)|are the experts (?:on|for)|should i (?:ask|talk to) about)\s+(.+)`, "experts"},
		{`who(?: is|'s)\s+(.+)`, "person"},
		{`what (?:has )?(?:replaced|replaces|superseded|supersedes)\s+(.+)`, "replaced_by"},
		{`(?:by )?what (?:was|is|has)\s+(.+?)\s+(?:been )?(?:replaced|superseded)(?: by| with)?\b(.*)`, "replaced_by"},
		{`(?:was hat|wodurch wurde)\s+(.+)\s+ersetzt`, "replaced_by"},
		{`what (?:does|did)\s+(.+?)\s+(?:replace|supersede)()`, "replaces"},
		{`(?:what|which \w+) (?:depends? on|needs?|requires?)\s+(.+)`, "needed_by"},
		{`what (?:does|do)\s+(.+?)\s+(?:depend on|need|require)()`, "depends_on"},
		{`(?:what|which (?:pages|documents)) (?:links?|points?) to\s+(.+)`, "linked_from"},
		{`what (?:belongs to|is part of|is in)\s+((?:the )?(?:project|epic|milestone|space|repository)\b.+)`, "belongs_to"},
		{`what (?:is|documents are|pages are) related to\s+(.+)`, "related"},
	} {
		all = append(all, asking{regexp.MustCompile(`(?i)^(?:so |and |please )?` + a[0] + `$`), a[1]})
	}
	return all
}()

// longestAsking is the maximum length, in bytes, of a question that Asked converts. Longer texts
// are rarely one question.
const longestAsking = 300

// Asked converts a question to arguments of the tool. about is the thing that the question is
// about, and what is the kind of question, such as "owners". ok is false if no form matches.
func Asked(question string) (about, what string, ok bool) {
	if len(question) > longestAsking {
		return "", "", false
	}
	question = strings.TrimRight(strings.Join(strings.Fields(question), " "), "?!. ")
	for _, a := range askings {
		if m := a.form.FindStringSubmatch(question); m != nil {
			return strings.Join(strings.Fields(strings.Join(m[1:], " ")), " "), a.what, true
		}
	}
	return "", "", false
}
