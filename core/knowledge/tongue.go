package knowledge

import (
	"regexp"
	"strings"
)

// periodLanguage holds one language's patterns for periods. The patterns have no capturing groups
// and ignore case.
type periodLanguage struct {
	months [12]string
	// day, week, month, quarter and year, as they follow the words for last and this; after a
	// number, an "s" may follow
	units                        [5]string
	last, this, today, yesterday string
	// words before a number of units, such as "in the last"
	lastFew string
	// words before a moment; day is the form before a date
	between, from, before, since, after, in, day string
	and, to                                      string // between two moments
	// words of questions about documents themselves, and words of questions about recent events
	documents, news string
}

var tongues = []periodLanguage{
	{
		months: [12]string{`jan(?:uary)?`, `feb(?:ruary)?`, `mar(?:ch)?`, `apr(?:il)?`, `may`, `june?`, `july?`, `aug(?:ust)?`, `sept?(?:ember)?`, `oct(?:ober)?`, `nov(?:ember)?`, `dec(?:ember)?`},
		units:  [5]string{`day`, `week`, `month`, `quarter`, `year`},
		last:   `(?:the\s+)?(?:last|previous|past)`, this: `this`, today: `today`, yesterday: `yesterday`, lastFew: `(?:(?:in|over|during|within)\s+)?(?:the\s+)?(?:last|past|previous)`,
		between: `between`, and: `and`, from: `from`, to: `(?:to|until|till)`, before: `(?:before|until|till|up to)`, since: `(?:since|from)`, after: `after`, in: `(?:in|during|for|over)`, day: `on`,
		documents: `documents?|docs|pages?|notes|minutes|messages?|posts?|tickets?|issues?|commits?|pull requests?|announcements?|written|published|posted|updated|edited`,
		news:      `changed?|changes|new|news|added|removed|decided|decisions?|announced|discussed|said|told|fixed|merged|shipped`,
	},
	{
		months: [12]string{`j[aä]n(?:uar|ner)?`, `feb(?:ruar)?`, `m(?:ä|ae)rz`, `apr(?:il)?`, `mai`, `juni?`, `juli?`, `aug(?:ust)?`, `sept?(?:ember)?`, `okt(?:ober)?`, `nov(?:ember)?`, `dez(?:ember)?`},
		units:  [5]string{`tag(?:e[ns]?)?`, `wochen?`, `monat(?:e[ns]?|s)?`, `quartal(?:e[ns]?|s)?`, `jahr(?:e[ns]?|s)?`},
		last:   `(?:(?:im|in der|dem|der|das)\s+)?(?:letzt|vergangen|vorig)e[mnrs]?`, this: `(?:(?:in|im)\s+)?diese[mrsn]?`, today: `heute`, yesterday: `gestern`,
		lastFew: `(?:(?:in|während)\s+)?(?:(?:den|der|die)\s+)?(?:letzt|vergangen)en`,
		between: `zwischen`, and: `und`, from: `von`, to: `bis`, before: `(?:vor(?:\s+dem)?|bis)`, since: `(?:seit(?:\s+dem)?|ab|von)`, after: `nach(?:\s+dem)?`, in: `(?:im(?:\s+jahr)?|in|während)`, day: `am`,
		documents: `dokumente?|seiten?|notizen|protokolle?|nachrichten|beiträge|vorgänge|ankündigungen|geschrieben|veröffentlicht|aktualisiert|bearbeitet`,
		news:      `geändert|änderungen|neu(?:e[mnrs]?|igkeiten)?|hinzugefügt|entfernt|entschieden|entscheidung(?:en)?|beschlossen|angekündigt|besprochen|gesagt|behoben`,
	},
}

func anyWord(of func(t *periodLanguage) string) *regexp.Regexp {
	var all []string
	for i := range tongues {
		all = append(all, of(&tongues[i]))
	}
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:` + strings.Join(all, "|") + `)(?:[^\pL]|$)`)
}
