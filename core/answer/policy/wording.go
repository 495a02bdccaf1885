package policy

import (
	"strings"
	"unicode"
)

// IsQuestion reports whether a text reads like a question. [TestMark] requires a question mark
// outside code and addresses. [TestWords] also accepts a sentence that begins with a question word,
// such as "how". IsQuestion uses no model, because it runs for every message of a channel.
func IsQuestion(text string, test QuestionTest) bool {
	text = withoutCode(text)
	for field := range strings.FieldsSeq(text) {
		if strings.Contains(field, "://") {
			continue
		}
		if strings.ContainsAny(field, "?？؟") {
			return true
		}
	}
	if test == TestMark {
		return false
	}
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!\n。！", r) }) {
		words := strings.Fields(plainWords(sentence))
		for len(words) > 1 && greetings[words[0]] { // "hi, how do I …"
			words = words[1:]
		}
		if len(words) > 1 && asking[words[0]] {
			return true
		}
	}
	return false
}

func withoutCode(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	parts := strings.Split(text, "`")
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 || i == len(parts)-1 {
			b.WriteString(part)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

var asking = words(`how what why where when who whom whose which can could does do did is are was were will would should has have may
	whats hows wheres anyone anybody
	wie was warum wieso weshalb wo wann wer wen wem welche welcher welches kann können könnte gibt weiß
	comment pourquoi où quand qui quel quelle quels quelles combien peut-on est-ce
	cómo como qué por dónde cuándo quién cuál cuánto
	come perché dove quando chi quale
	hoe wat waarom waar wanneer wie welke`)

// greetings has all words that small talk may contain.
var greetings = words(`hi hello hey hiya howdy yo hallo hei moin servus salut bonjour hola ciao ola olá greetings
	good morning afternoon evening night day guten morgen tag abend
	thanks thank thx thnx tnx thanx thnks thansk ty tysm cheers danke merci gracias grazie obrigado obrigada bedankt tack you very much so a lot many vielen dank beaucoup muchas
	great perfect awesome cool nice super lovely excellent wonderful amazing
	ok okay okey alright right understood yep yes no nope yeah sure fine works worked solved done
	bye byebye goodbye cya tschüss adieu later see welcome np
	got it that that's this is was all for now helps helped help it works there everyone everybody all team folks again bot footnote your help really me tons bunch`)

// courtesies has the words of greeting, thanks and assent. Small talk contains at least one of
// them. Otherwise "is this all for now" would be small talk.
var courtesies = words(`hi hello hey hiya howdy yo hallo hei moin servus salut bonjour hola ciao ola olá greetings morning afternoon evening
	morgen tag abend thanks thank thx thnx tnx thanx thnks thansk ty tysm cheers danke dank merci gracias grazie obrigado obrigada bedankt tack great perfect awesome cool nice
	super lovely excellent wonderful amazing ok okay okey alright understood bye byebye goodbye cya tschüss adieu np`)

const maxSmallTalk = 8

// IsSmallTalk reports whether a message consists of a greeting, thanks or assent. Such a message
// needs no search, which would match its words by chance.
func IsSmallTalk(text string) bool {
	if strings.ContainsAny(text, "?？؟") || strings.Contains(text, "`") {
		return false
	}
	said := strings.Fields(plainWords(text))
	switch {
	case len(said) == 0:
		return onlySymbols(text)
	case asksAbout(said):
		return false
	}
	courteous := false
	for _, w := range said {
		if !greetings[w] {
			return false
		}
		courteous = courteous || courtesies[w]
	}
	return courteous && len(said) <= maxSmallTalk
}

// onlySymbols reports whether a message without words consists of emoji or punctuation, such as
// "👍". A message that consists only of mentions does not count.
func onlySymbols(text string) bool {
	for field := range strings.FieldsSeq(text) {
		if strings.HasPrefix(field, "<@") {
			continue
		}
		for _, r := range field {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return false
			}
		}
		return true
	}
	return false
}

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
