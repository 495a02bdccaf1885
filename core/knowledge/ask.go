package knowledge

import (
	"context"
	"path"
	"slices"
	"strings"
)

const (
	maxAskedWords = 12 // words of a possible name
	maxForms      = 90
)

// Forms returns the sequences of words in a text that may be names ([Nameable]). They are in normal
// form ([Form]), longest first.
func Forms(text string) []string {
	all := slices.Collect(words(text))
	all = all[:min(len(all), 40)]
	var forms []string
	for n := min(len(all), maxAskedWords); n > 0; n-- {
		for at := 0; at+n <= len(all) && len(forms) < maxForms; at++ {
			form := strings.Join(all[at:at+n], " ")
			if Nameable(form) && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

const maxPaths = 2

// Paths returns the words of a text that may be file paths, because they contain a slash or an
// extension.
func Paths(text string) []string {
	var paths []string
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimPrefix(strings.Trim(word, "`'\"“”‘’«»()[]<>,;:?!/"), "./")
		word = strings.TrimRight(word, ".")
		if (strings.Contains(word, "/") || path.Ext(word) != "") && len(word) <= MaxNameBytes && Form(word) != "" && len(paths) < maxPaths {
			paths = append(paths, word)
		}
	}
	return paths
}

// Ask returns the statements about the things that a text names. It uses only the longest names
// that match: "billing service" rather than "service" for "the billing service". It ignores q.Names
// and q.Paths.
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
		if named = slices.DeleteFunc(named, func(n Named) bool { return !coversWords(n.Form, about) }); len(named) == 0 {
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

// kindWords are words that accompany a name and are not part of it: "the billing service", "the
// page Payments".
var kindWords = func() map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(`service services page pages document documents doc docs file files folder folders repository repo project team teams space ticket
		epic milestone code dienst seite dokument datei ordner projekt`) {
		set[word] = true
	}
	return set
}()

func coversWords(form, text string) bool {
	for word := range words(text) {
		if !ordinary[word] && !kindWords[word] && !strings.Contains(" "+form+" ", " "+word+" ") {
			return false
		}
	}
	return true
}
