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

// Forms returns the names that a text may hold, in their normal form, longest first. A name is a
// run of the text's words that can be told from ordinary words.
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

// Paths returns the words of a text that may be file paths: those with a slash or an extension.
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

// Ask returns the statements about the things that a text names. Of the text's names that the
// audience knows, it uses only the longest. If a thing is called "billing service", "the billing
// service" does not also ask for "service". Ask replaces the question's Names.
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
