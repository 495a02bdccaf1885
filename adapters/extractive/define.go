package extractive

import (
	"regexp"
	"strings"
)

// defined reports whether a sentence says what is asked about is, and how many other words its
// subject has: a sentence about a backflow valve does not say what a backflow is. Its subject
// stands before the first verb that explains, is the term of a definition list, or is what
// something is called.
func (s *scorer) defined(text string, p *piece, what []int) (others int, does bool) {
	if p.kind == item && p.term != "" {
		return s.subject(p.term, what)
	}
	if verb := defining.FindStringIndex(text); verb != nil && verb[0] <= maxSubject && !noSubject.MatchString(text) {
		subject := text[:verb[0]]
		passive := copula.MatchString(text[verb[0]:verb[1]]) && participle.MatchString(text[verb[1]:])
		for _, name := range alternatives.Split(subject, -1) {
			if noSubject.MatchString(name) { // "in all daemons" of "Disable it (…) in all daemons except one that is …"
				continue
			}
			if n, is := s.subject(name, what); is && (!does || n < others) {
				others, does = n, true
			}
		}
		if passive { // what is done with it is not what it is
			others += 2
		}
	}
	for at := 0; !does; {
		m := naming.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		denied := denies.MatchString(text[:at+m[0]])
		at += m[1]
		if denied {
			continue
		}
		rest := text[at:]
		if end := strings.IndexAny(rest, ".,;:()"); end >= 0 {
			rest = rest[:end]
		}
		words := strings.Fields(rest)
		if n, is := s.subject(strings.Join(words[:min(len(words), len(what)+1)], " "), what); is && n <= 1 {
			return n, true
		}
	}
	return others, does
}

var (
	copula     = regexp.MustCompile(`(?i)^(is|are|was|were|ist|sind|est|sont|es|son)$`)
	participle = regexp.MustCompile(`(?i)^\s+((also|usually|normally|generally|typically|often|then|thus|automatically|implicitly|currently|still)\s+)*(not|always|never|only|\w{2,}ed|\w+[^e]en|made|set|kept|held|done|sent|found|built|run|read|put|available|possible|useful|helpful|important|different|similar|easy|hard|free|ready|true|false|necessary)\b`)
)

// noSubject begins sentences that say something about what they name, but not what it is.
var noSubject = regexp.MustCompile(`(?i)^\W*(if|when|whenever|as|because|since|unless|until|while|whether|where|for|in|on|to|by|with|within|after|before|once|although|though|note|there|this|these|that|those|any|each|no|all|some|many|most|wenn|falls|als|si|cuando)\b`)

const maxSubject = 120 // bytes

// defining are the verbs by which a sentence explains its subject.
var defining = regexp.MustCompile(`(?i)\b(is|are|was|were|means?|refers? to|denotes?|represents?|consists? of|describes?|provides?|allows?|records?|holds?|contains?|stores?|keeps?|controls?|determines?|stands? for|specif(y|ies)|defines?|ist|sind|bedeutet|est|sont|désigne|es|son)\b`)

var (
	alternatives = regexp.MustCompile(`\s+or\s+|[(),]|\s+[–—]\s+|\s+(?:oder|ou|o)\s+`)
	naming       = regexp.MustCompile(`(?i)\b(called|known as|referred to as|termed|genannt|appelée?s?|llamad[oa]s?)\s+(an?\s+|the\s+|its\s+|this\s+)?`)
)

// denies ends what comes before the name that something does not have.
var denies = regexp.MustCompile(`(?i)\b(not|never|n['’]t|no longer|hardly|rarely)\W+(\w+\W+){0,2}$`)

// subject reports whether a name is what is asked about, and how many other words it has.
func (s *scorer) subject(name string, what []int) (others int, is bool) {
	holds := s.read(strings.ToLower(name)) | s.read(name)
	for _, i := range what {
		if !s.asked.words[i].holds(holds) {
			return 0, false
		}
	}
	if len(what) == 0 {
		return 0, false
	}
	for stem := range stems(strings.ToLower(inBrackets.ReplaceAllString(name, " ")), s.language) {
		if s.reader.slots[stem] == 0 {
			others++
		}
	}
	return others, others <= 4
}
