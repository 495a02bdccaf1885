package analyse

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	hail = `(?:hi|hello|hey|hiya|howdy|dear|greetings|good (?:morning|afternoon|evening|day)|morning|thanks|thank you|hallo|hi zusammen|moin|servus|liebe[rs]?|` +
		`guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|hola|buenos d[ií]as|buenas tardes|ciao|buongiorno|ol[aá]|bom dia|hoi|beste|hej)`
	farewell = `(?:(?:many |best |kind |warm |with best |with kind )?(?:thanks|thank you|thx|regards|wishes)|cheers|ty|tia|sincerely|yours (?:sincerely|truly|faithfully)|br|rgds|` +
		`(?:vielen |besten |herzlichen |schon mal )?dank|danke(?: sch[oö]n)?|(?:viele|liebe|beste|sch[oö]ne|herzliche) gr(?:ü|ue)(?:ß|ss)e|gr(?:u|ü|ue)(?:ß|ss)e?|` +
		`mit freundlichen gr(?:ü|ue)(?:ß|ss)en|lg|vg|mfg|(?:un grand )?merci|cordialement|bien à vous|(?:muchas )?gracias|saludos|un saludo|(?:mille )?grazie|saluti|` +
		`cordiali saluti|obrigad[oa]|bedankt|groet(?:en|jes)?|met vriendelijke groet|tack)`
	person = `\p{Lu}[\p{Ll}'’.-]+`
)

var (
	mention = regexp.MustCompile(`(^|\s)@[\pL\pN._-]+[,:]?`)
	// opening matches a greeting before the question, such as "Hi Bob," or "Good morning team!".
	opening = regexp.MustCompile(`(?i)^\s*` + hail + `\b(?:[ \t]+[\pL'’.-]+){0,3}[ \t]*(?:[,.!:;\n]+|\s[-–—]+\s)\s*`)
	// closing matches thanks or a farewell at the end of the text, such as "? Thanks in advance,
	// Bob Miller".
	closing = regexp.MustCompile(`(?i)(?:[.?!,;:)\n]|\s[-–—]+\s)\s*` + farewell + `\b(?:[ \t]+(?:in advance|a lot|so much|very much|again|all|everyone|everybody|team|folks|guys|you|im voraus|d['’]avance|de antemano|mille))*` +
		`[ \t]*[,.!;:–—-]*\s*(?:[\pL'’.-]+[ \t]*){0,3}[.!,\s]*$`)
	// signature matches a name at the end, on a separate last line or behind a dash.
	signature = regexp.MustCompile(`(?:\n\s*(?:[-–—_]+\s*\n?\s*)?|[.?!]\s+[-–—]+\s*)` + person + `(?:[ \t]+` + person + `){0,2}[ \t]*(?:\n[^\n?]{0,60}){0,2}\s*$`)
)

// withoutPoliteness removes mentions, greetings, thanks and signatures around a question. If
// nothing else is in the text, the polite phrases stay.
func withoutPoliteness(text string) string {
	const looked = 4 << 10 // bytes from each end: polite phrases are short
	rest := mention.ReplaceAllString(text, "$1")
	if len(rest) > 2*looked {
		return text
	}
	for range 2 { // "Hello all! Hi Bob, …", "… Thanks! Cheers, Bob"
		rest = trimMatch(rest, opening)
	}
	for range 2 {
		rest = trimMatch(rest, signature)
		rest = trimMatch(rest, closing)
	}
	return rest
}

// trimMatch removes the match of a regular expression from the beginning or end of a text. It keeps
// the character before a match at the end, such as "?". If no letter would remain, it returns the
// text unchanged.
func trimMatch(text string, at *regexp.Regexp) string {
	match := at.FindStringIndex(text)
	if match == nil {
		return text
	}
	rest := text[:match[0]] + text[match[1]:]
	if match[0] > 0 {
		rest = text[:match[0]+1] // one byte: a sign, a blank or a line's end
	}
	if !strings.ContainsFunc(rest, unicode.IsLetter) {
		return text
	}
	return rest
}
