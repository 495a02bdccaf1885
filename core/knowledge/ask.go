package knowledge

import (
	"context"
	"slices"
	"strings"
)

const (
	mostAsked = 12 // words of what is asked about that may be a name
	mostForms = 90
)

// Forms are the names that a text may hold, in their normal form, the longest first: runs of its words that can be told from ordinary ones.
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

// Ask returns what is stated of what a text names. Of the names in it, those count that are longest among what the audience knows: "the billing service" is not
// asked for "service" where something is called "billing service". The names of the question are replaced.
func Ask(ctx context.Context, g Graph, about string, q Question) ([]Statement, error) {
	q.Names = Forms(about)
	if len(q.Names) == 0 {
		return nil, nil
	}
	named, err := g.Named(ctx, q)
	if err != nil || len(named) == 0 {
		return nil, err
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
