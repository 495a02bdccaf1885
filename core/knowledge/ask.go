package knowledge

import (
	"context"
	"path"
	"slices"
	"strings"
)

const (
	mostAsked = 12 // words of what is asked about that may be a name
	mostForms = 90
)

// Forms are the names that a text may hold, in their normal form, the longest first: runs of its
// words that can be told from ordinary ones.
func Forms(text string) []string {
	all := slices.Collect(words(text))
	all = all[:min(len(all), 40)]
	var forms []string
	for n := min(len(all), mostAsked); n > 0; n-- {
		for at := 0; at+n <= len(all) && len(forms) < mostForms; at++ {
			form := strings.Join(all[at:at+n], " ")
			if Nameable(form) && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// mostPaths is how many paths of files may stand in what is asked about.
const mostPaths = 2

// Paths are the words of a text that may be paths of files: those with a slash or an ending.
func Paths(text string) []string {
	var paths []string
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimPrefix(strings.Trim(word, "`'\"“”‘’«»()[]<>,;:?!/"), "./")
		word = strings.TrimRight(word, ".")
		if (strings.Contains(word, "/") || path.Ext(word) != "") && len(word) <= MaxNameBytes && Form(word) != "" && len(paths) < mostPaths {
			paths = append(paths, word)
		}
	}
	return paths
}

// Ask returns what is stated of what a text names. Of the names in it, those count that are longest among what the audience knows: "the billing service" is not
// asked for "service" where something is called "billing service". The names of the question are replaced.
func Ask(ctx context.Context, g Graph, about string, q Question) ([]Statement, error) {
	q.Names, q.Paths = Forms(about), Paths(about)
	if len(q.Names) == 0 {
		return nil, nil
	}
	named, err := g.Named(ctx, q)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	if q.Whole {
		if named = slices.DeleteFunc(named, func(n Named) bool { return !holds(n.Form, about) }); len(named) == 0 {
			return nil, nil
		}
	}
	longest := strings.Count(named[0].Form, " ")
	for _, n := range named {
		longest = max(longest, strings.Count(n.Form, " "))
	}
	q.Names = nil
	for _, n := range named {
		if strings.Count(n.Form, " ") == longest && !slices.Contains(q.Names, n.Form) {
			q.Names = append(q.Names, n.Form)
		}
	}
	return g.Statements(ctx, q)
}

// kinds are words by which things are called in addition to their names: "the billing service", "the page Payments".
var kinds = func() map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(`service services page pages document documents doc docs file files folder folders repository repo project team teams space ticket
		epic milestone code dienst seite dokument datei ordner projekt`) {
		set[word] = true
	}
	return set
}()

// holds reports whether a name, in its normal form, holds every word of a text but ordinary ones and those that say what sort of thing it is.
func holds(form, text string) bool {
	for word := range words(text) {
		if !ordinary[word] && !kinds[word] && !strings.Contains(" "+form+" ", " "+word+" ") {
			return false
		}
	}
	return true
}
