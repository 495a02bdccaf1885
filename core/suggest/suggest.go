// Package suggest converts headings of document sections to questions that the documents can
// answer.
package suggest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Heading is the heading of a section that has text.
type Heading struct {
	Document string // any key that identifies the document
	Language string // BCP 47 primary subtag; empty: English
	Text     string
}

const (
	mostWords  = 8
	mostLetter = 70
)

// sentence matches a heading that consists of words only, without code, paths, version numbers or
// signs.
var sentence = regexp.MustCompile(`^\pL[\pL’'-]*(,? [\pL\pN’'-]+)*\??$`)

// numbering matches the numbers before headings: "3.2. ", "4) ", "Chapter 5: ".
var numbering = regexp.MustCompile(`^(?:(?:Chapter|Section|Step|Part|Appendix)\s+)?(?:\d+(?:\.\d+)*|[A-Z]\.\d+(?:\.\d+)*)[.):]?\s+`)

var questionWords = wordSet("what why when where which who whose how can does is are should do")

var tasks = wordSet(`access add administer answer apply approve archive assign authenticate automate back back-up
	backup build call cancel change check choose clean clone close collect compile compute configure confirm connect
	convert copy create customise customize debug define delete deploy design detect diagnose disable discover
	download edit enable encrypt enforce export extend filter find fix format generate get give grant handle host implement
	ignore import improve index inspect install integrate invite join keep launch limit link list load log make
	manage measure merge migrate modify monitor mount move open optimise optimize order organise organize package
	patch pause pay plan prepare prevent protect provide publish pull push query read rebuild recover reduce
	register remove rename renew replace report request reset resize resolve restart restore resume retrieve review
	revoke roll rotate run save scale schedule search secure select send serve set share show sign sort start stop
	store submit subscribe switch sync test trace track transfer troubleshoot tune turn uninstall unlock update
	upgrade upload use validate verify view watch work write`)

// gerunds maps the "-ing" form of each verb in tasks to the verb, such as "setting" to "set".
var gerunds = func() map[string]string {
	forms := make(map[string]string, len(tasks))
	for verb := range tasks {
		forms[verb+"ing"] = verb
		if stem, ok := strings.CutSuffix(verb, "e"); ok {
			forms[stem+"ing"] = verb
		}
		forms[verb+verb[len(verb)-1:]+"ing"] = verb // "setting", "running"
	}
	return forms
}()

var genericHeadings = wordSet(`introduction overview contents index license licence changelog changes references summary notes
	appendix conclusion background preface foreword acknowledgements acknowledgments examples example bibliography
	miscellaneous other more todo glossary credits contributors abstract description synopsis name author authors`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// Question converts a heading to a question. A lower rank means a more natural question, and 0 is
// the best rank. ok is false if the heading does not make a good question.
func Question(h Heading) (question string, rank int, ok bool) {
	text := strings.TrimSpace(numbering.ReplaceAllString(strings.Join(strings.Fields(h.Text), " "), ""))
	words := strings.Fields(strings.TrimSuffix(text, "?"))
	if len(words) == 0 || len(words) > mostWords || utf8.RuneCountInString(text) > mostLetter || !sentence.MatchString(text) {
		return "", 0, false
	}
	first := strings.ToLower(words[0])
	switch english, isQuestion := h.Language == "" || h.Language == "en", strings.HasSuffix(text, "?"); {
	case !english:
		return text, 0, isQuestion
	case len(words) == 1 && !isQuestion && countContentWords(words) == 1 && !genericHeadings[first]:
		return aboutQuestion(text), 4, true
	case countContentWords(words) < 2:
		return "", 0, false
	case isQuestion:
		return capital(text), 0, true
	}
	second, rest := strings.ToLower(words[1]), strings.Join(words[1:], " ")
	switch {
	case first == "how" && second == "to" && len(words) > 2:
		return "How do I " + lower(words[2]) + joined(words[3:]) + "?", 0, true
	case questionWords[first] && auxiliary[second]:
		return capital(text) + "?", 0, true
	case questionWords[first]: // "What this does" is no question
		return "", 0, false
	case gerunds[first] != "" && verbFollowers[second]:
		return "How do I " + gerunds[first] + " " + rest + "?", 1, true
	case tasks[first] && verbFollowers[second]: // "Select statements" are statements
		return "How do I " + first + " " + rest + "?", 1, true
	case gerunds[first] != "" && strings.HasSuffix(words[len(words)-1], "s"):
		return "How do I " + gerunds[first] + " " + rest + "?", 2, true
	case stopWords[first] && first != "the": // "For the release team"
		return "", 0, false
	case genericHeadings[first] || genericHeadings[strings.ToLower(words[len(words)-1])]:
		return "", 0, false
	}
	return aboutQuestion(text), 3, true
}

// auxiliary is the set of verbs that make a heading a question after a question word, such as "is"
// in "What is …".
var auxiliary = wordSet("is are was do does did can should must will has have to happens")

// verbFollowers are second words that show that the first word is a verb: "Rotate the key",
// "Connect to Slack".
var verbFollowers = wordSet("a an the your our its all each every new to from with on in into for up at by as it")

var stopWords = wordSet(`a an the it its this that these those they them i you we he she there here one all any and or
	not to of in into on at by for from with as if so up down out over off back about before after other others each
	more own use used read get make set add show keep turn`)

func countContentWords(words []string) int {
	n := 0
	for _, w := range words {
		w = strings.ToLower(strings.Trim(w, ",?"))
		if !stopWords[w] && !questionWords[w] && !auxiliary[w] {
			n++
		}
	}
	return n
}

func aboutQuestion(text string) string { return "What do the documents say about “" + text + "”?" }

func joined(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// lower converts the first letter of a word to lower case, unless the word is an abbreviation or a
// name.
func lower(word string) string {
	for i, r := range word {
		if i > 0 && unicode.IsUpper(r) {
			return word
		}
	}
	r, size := utf8.DecodeRuneInString(word)
	if size == len(word) && r == 'I' {
		return word
	}
	return string(unicode.ToLower(r)) + word[size:]
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// Questions turns headings into up to n questions, the most natural first. It prefers questions
// from different documents.
func Questions(headings []Heading, n int) []string {
	type candidate struct {
		question, document string
		rank               int
	}
	var all []candidate
	for _, h := range headings {
		if question, rank, ok := Question(h); ok {
			all = append(all, candidate{question, h.Document, rank})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	var questions []string
	used := make(map[string]bool)
	for _, again := range []bool{false, true} { // whether a document may repeat
		for _, c := range all {
			if len(questions) == n {
				return questions
			}
			if !again && used[c.document] || slices.Contains(questions, c.question) {
				continue
			}
			used[c.document] = true
			questions = append(questions, c.question)
		}
	}
	return questions
}
