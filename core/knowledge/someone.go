package knowledge

import (
	"cmp"
	"slices"
	"strings"
)

const maxNames = 50

// splitNames splits a list of names at commas and semicolons. If every word is an account or a mail
// address, it splits at spaces.
func splitNames(value string) []string {
	value = strings.TrimSpace(strings.Trim(strings.TrimSpace(value), "[]"))
	fields := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
	if words := strings.Fields(value); len(fields) == 1 && len(words) > 1 {
		accounts := true
		for _, w := range words {
			accounts = accounts && strings.Contains(w, "@") && !strings.ContainsAny(w, "<(")
		}
		if accounts {
			fields = words
		}
	}
	var names []string
	for _, f := range fields[:min(len(fields), maxNames)] {
		if f = strings.Trim(f, " \t\"'*_`"); f != "" {
			names = append(names, f)
		}
	}
	return names
}

// personOrTeam returns the person or team that a text names, or nil. Examples of texts are "Ann Lee
// <ann@acme.example>", "ann@acme.example", "@ann", "@acme/infra", "Infra team" and "Ann Lee".
func personOrTeam(text string) *Entity {
	text = stripLink(text)
	if name, given := identities(text); len(given) > 0 {
		return person(name, given)
	}
	switch {
	case isMail(text):
		return person("", []string{text})
	case strings.HasPrefix(text, "@") && strings.Contains(text, "/"):
		_, short, _ := strings.Cut(text, "/")
		e := team(short)
		e.Key, e.Name = strings.ToLower(text), text
		e.Other = append([]string{short}, e.Other...)
		return e
	case strings.HasPrefix(text, "@"):
		if Form(text) == "" {
			return nil
		}
		return &Entity{Kind: Person, Key: strings.ToLower(text), Name: text}
	}
	form := Form(text)
	if form == "" || strings.Contains(text, ": ") || len(form) > MaxNameBytes || strings.Count(form, " ") > 5 {
		return nil
	}
	for _, word := range teamWords {
		if strings.HasSuffix(form, " "+word) || strings.HasPrefix(form, word+" ") {
			return team(text)
		}
	}
	return &Entity{Kind: Person, Key: form, Name: text}
}

var teamWords = []string{"team", "group", "squad", "crew", "guild", "department", "tribe"}

func team(name string) *Entity {
	name = stripLink(name)
	short := Form(name)
	for _, word := range teamWords {
		short = strings.TrimSuffix(strings.TrimPrefix(short, word+" "), " "+word)
	}
	return &Entity{Kind: Team, Key: short, Name: name, Other: []string{short, short + " team"}}
}

// identities splits a text such as "Ann Lee <ann@acme.example> (@ann)" into a name, mail addresses
// and accounts. Brackets around an address after the name are optional.
func identities(text string) (name string, given []string) {
	if at := strings.LastIndexAny(text, " \t"); at > 0 && isMail(text[at+1:]) && !strings.ContainsAny(text, "<(") {
		// Some markup loses the brackets: "Ann Lee ann@acme.example".
		if name := strings.TrimSpace(text[:at]); !strings.Contains(name, "@") {
			return name, []string{text[at+1:]}
		}
	}
	for left := text; left != ""; {
		open := strings.IndexAny(left, "<(")
		if open < 0 {
			name += left
			break
		}
		name += left[:open]
		end := strings.IndexAny(left[open:], ">)")
		if end < 0 {
			end = len(left) - open
		}
		inside := strings.TrimSpace(left[open+1 : open+end])
		if !isMail(inside) && !(strings.HasPrefix(inside, "@") && Form(inside) != "" && !strings.ContainsAny(inside, "/ ")) {
			return "", nil
		}
		given = append(given, inside)
		left = left[min(len(left), open+end+1):]
	}
	return strings.TrimSpace(name), given
}

// person returns a person with a name and the given mail addresses and accounts. Its key is an
// address, or else an account, because other people may have the same name.
func person(name string, given []string) *Entity {
	key := given[0]
	if at := slices.IndexFunc(given, isMail); at >= 0 {
		key = given[at]
	}
	e := &Entity{Kind: Person, Key: strings.ToLower(key), Name: cmp.Or(name, key)}
	for _, g := range given {
		if g != e.Name {
			e.Other = append(e.Other, g)
		}
	}
	return e
}

func isMail(text string) bool {
	at := strings.IndexByte(text, '@')
	return at > 0 && strings.Contains(text[at:], ".") && !strings.ContainsAny(text, " /<>()\t")
}

// stripLink returns "Ann" for "Ann (https://…)" and "[Ann](…)".
func stripLink(text string) string {
	if open := strings.Index(text, " (http"); open > 0 {
		text = text[:open]
	}
	if strings.HasPrefix(text, "[") {
		if name, _, found := strings.Cut(text[1:], "]("); found {
			text = name
		}
	}
	return strings.Trim(text, " \t\"'*_`.")
}
