package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
)

// ID identifies an entity within its tenant.
type ID struct {
	Kind Kind
	Key  string
}

// Called is a name that a document uses for an entity.
type Called struct {
	ID
	Form     string // normal form of the name
	Shown    string // the name, as the document writes it
	Document document.Ref
}

// Pair is two entities that the operator declared to be the same or to be different.
type Pair struct{ One, Other ID }

// Reason says why two entities count as the same.
type Reason string

// The values of [Reason].
const (
	BySomebody Reason = "said" // stated by the operator
	// ByName means that a document gives a name for an account or address. No other account or
	// address has this name.
	ByName Reason = "name"
	ByBoth Reason = "identities" // a document gives one person's account and address
)

// Joined says that two entities are the same, and why.
type Joined struct {
	ID
	With   ID
	Reason Reason
	By     *Called // the document that states this; nil if the operator stated it
}

// Evidence holds the names that an audience may know, and the operator's statements about them.
// Clusters are computed only from this evidence, so they reveal no name that a reader may not read.
type Evidence struct {
	Called        []Called
	Merged, Apart []Pair // by the operator, in either order
}

// Cluster returns the entities that are the same as start, without start itself.
//
// It joins only people and teams:
//
//   - entities that the operator merged;
//   - an account and an address that a document gives for one person, if neither is
//     given together with another address or account;
//   - a name and the account or address that a document gives for it, if no other
//     account or address has that name.
//
// It does not join entities because of:
//
//   - a common name of two accounts or two addresses;
//   - similar names, transliterations or parts of names;
//   - the single-word name of a person;
//   - an address or account that documents give for differently named people.
//
// It never joins entities that the operator keeps apart.
func (e *Evidence) Cluster(start ID) []Joined {
	joins := e.joins()
	members := []ID{start}
	var cluster []Joined
	for at := 0; at < len(members); at++ {
		for _, j := range joins {
			if j.With != members[at] {
				j.ID, j.With = j.With, j.ID
			}
			if j.With == members[at] && !slices.Contains(members, j.ID) && !slices.ContainsFunc(members, func(m ID) bool { return containsPair(e.Apart, m, j.ID) }) {
				members = append(members, j.ID)
				cluster = append(cluster, j)
			}
		}
	}
	return cluster
}

func (e *Evidence) joins() []Joined {
	var all []Joined
	for _, m := range e.Merged {
		all = append(all, Joined{ID: m.One, With: m.Other, Reason: BySomebody})
	}
	both := e.pairedIdentities()
	all = append(all, both...)
	// identified: by an entity that is only a name, the accounts and addresses that have this name
	there, identified := make(map[ID]bool), make(map[ID][]Called)
	for _, c := range e.Called {
		there[c.ID] = true
		if c.identified() && c.Whole() {
			identified[ID{c.Kind, c.Form}] = append(identified[ID{c.Kind, c.Form}], c)
		}
	}
	for bare, called := range identified {
		if !there[bare] {
			continue
		}
		one := func(a, b ID) bool {
			return a == b || containsPair(e.Merged, a, b) || slices.ContainsFunc(both, func(j Joined) bool { return (Pair{j.ID, j.With}).matches(a, b) })
		}
		if !slices.ContainsFunc(called, func(c Called) bool { return !one(called[0].ID, c.ID) || len(e.Reused(c.ID)) > 0 }) {
			for _, c := range called {
				all = append(all, Joined{ID: c.ID, With: bare, Reason: ByName, By: &c})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Joined) int { // the operator's statements first
		return cmp.Or(-cmp.Compare(a.Reason, b.Reason), compareIDs(a.ID, b.ID), compareIDs(a.With, b.With))
	})
	return all
}

func (e *Evidence) pairedIdentities() []Joined {
	var given []Joined
	for _, c := range e.Called {
		if other, is := c.Identity(); is && c.Kind == Person && c.identified() && other.isMail() != c.isMail() {
			given = append(given, Joined{ID: c.ID, With: other, Reason: ByBoth, By: &c})
		}
	}
	return slices.DeleteFunc(given, func(j Joined) bool {
		return len(e.Reused(j.ID))+len(e.Reused(j.With)) > 0 || slices.ContainsFunc(given, func(o Joined) bool {
			shared := o.ID == j.ID || o.ID == j.With || o.With == j.ID || o.With == j.With
			return shared && !(Pair{o.ID, o.With}).matches(j.ID, j.With)
		})
	})
}

// Reused returns the names that documents give for an account or address, if these belong to
// different people. Otherwise it returns nil. Names that the operator merged with the account or
// address count as names of one person.
func (e *Evidence) Reused(id ID) []string {
	if id.Kind != Person || !id.identified() {
		return nil
	}
	var names []string
	confirmed := func(form string) bool { return containsPair(e.Merged, id, ID{id.Kind, form}) }
	for _, c := range e.Called {
		if _, is := c.Identity(); c.ID == id && !is && !slices.Contains(names, c.Form) {
			names = append(names, c.Form)
		}
	}
	slices.Sort(names)
	for i, one := range names {
		for _, other := range names[:i] {
			if !SamePerson(one, other) && !(confirmed(one) && confirmed(other)) {
				return names
			}
		}
	}
	return nil
}

// SamePerson reports whether two names that occur with the same address may belong to one person.
// Both are in normal form. They match if one contains all words or initials of the other. They
// match if one is an account made from the other, such as "alee" from "ann lee".
func SamePerson(one, other string) bool {
	few, many := strings.Fields(one), strings.Fields(other)
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 {
		return false
	}
	first, last := many[0], many[len(many)-1]
	if len(few) == 1 && slices.Contains([]string{strings.Join(many, ""), first + last, initial(first) + last, first + initial(last), last + initial(first), initial(last) + first}, few[0]) {
		return true
	}
	left := slices.Clone(many)
	for _, word := range few {
		at := slices.Index(left, word)
		if at < 0 {
			at = slices.IndexFunc(left, func(w string) bool {
				return utf8.RuneCountInString(word) == 1 && strings.HasPrefix(w, word) || utf8.RuneCountInString(w) == 1 && strings.HasPrefix(word, w)
			})
		}
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

func initial(word string) string {
	_, size := utf8.DecodeRuneInString(word)
	return word[:size]
}

// Widen returns names together with the abbreviations and full forms that documents give for them.
// The names are in normal form. Abbreviations with several full forms are ignored.
func Widen(names []string, called []Called) []string {
	stands := make(map[string][]string) // full forms that documents give, by abbreviation
	for _, c := range called {
		if c.Kind == Term && c.Form != c.Key && !slices.Contains(stands[c.Form], c.Key) {
			stands[c.Form] = append(stands[c.Form], c.Key)
		}
	}
	wide := slices.Clone(names)
	add := func(form string) {
		if !slices.Contains(wide, form) {
			wide = append(wide, form)
		}
	}
	for short, long := range stands {
		if len(long) != 1 {
			continue
		}
		if slices.Contains(names, short) {
			add(long[0])
		}
		if slices.Contains(names, long[0]) {
			add(short)
		}
	}
	slices.Sort(wide[len(names):])
	return wide
}

// identified reports whether the key is an account or a mail address, rather than a name.
func (id ID) identified() bool {
	return (id.Kind == Person || id.Kind == Team) && (strings.HasPrefix(id.Key, "@") || id.isMail())
}

func (id ID) isMail() bool { return id.Kind == Person && isMail(id.Key) }

// Identity interprets the name as an account or mail address. is reports whether it is one.
func (c Called) Identity() (id ID, is bool) {
	id = ID{c.Kind, strings.ToLower(c.Shown)}
	return id, id.identified()
}

// Whole reports whether a name is complete. The name of a person needs two words that are not
// initials.
func (c Called) Whole() bool {
	if _, is := c.Identity(); is {
		return false
	}
	long := 0
	for word := range strings.FieldsSeq(c.Form) {
		if utf8.RuneCountInString(word) > 1 {
			long++
		}
	}
	return long > 1 || c.Kind == Team && long > 0
}

func (p Pair) matches(a, b ID) bool { return p.One == a && p.Other == b || p.One == b && p.Other == a }

func containsPair(pairs []Pair, a, b ID) bool {
	return slices.ContainsFunc(pairs, func(p Pair) bool { return p.matches(a, b) })
}

func compareIDs(a, b ID) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key)) }
