package knowledge_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/google/go-cmp/cmp"
)

// who reads "KEY: NAME, NAME; KEY: …" as what documents call people, and teams where the key begins
// with "team ".
func who(said string) (called []knowledge.Called) {
	for line := range strings.SplitSeq(said, "; ") {
		key, names, _ := strings.Cut(line, ": ")
		id := person(key)
		for name := range strings.SplitSeq(names, ", ") {
			called = append(called, knowledge.Called{ID: id, Form: knowledge.Form(name), Shown: name})
		}
	}
	return called
}

func person(key string) knowledge.ID {
	if team, is := strings.CutPrefix(key, "team "); is {
		return knowledge.ID{Kind: knowledge.Team, Key: team}
	}
	return knowledge.ID{Kind: knowledge.Person, Key: key}
}

// Which names count as one, and which never do.
func TestWhoIsOne(t *testing.T) {
	t.Parallel()
	pairs := func(keys []string) (out []knowledge.Pair) {
		for i := 0; i+1 < len(keys); i += 2 {
			out = append(out, knowledge.Pair{One: person(keys[i]), Other: person(keys[i+1])})
		}
		return out
	}
	for name, c := range map[string]struct {
		called        string
		merged, apart []string
		start         string
		want          string // keys with reasons
	}{
		"an address with its name":               {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, ann@a.example", start: "ann lee", want: "ann@a.example name"},
		"from the other side":                    {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, ann@a.example", start: "ann@a.example", want: "ann lee name"},
		"letter case and accents":                {called: "rene muller: RENE MÜLLER; r@a.example: René Muller", start: "r@a.example", want: "rene muller name"},
		"another script":                         {called: "анна ли: Анна Ли; ann@a.example: Anna Li", start: "ann@a.example"},
		"two people of one name":                 {called: "ann lee: Ann Lee; ann@a.example: Ann Lee; ann@b.example: Ann Lee", start: "ann lee"},
		"a person and an account of one name":    {called: "ann lee: Ann Lee; ann@a.example: Ann Lee; @ann: Ann Lee", start: "ann lee"},
		"an address and its account":             {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, @ann; @ann: @ann", start: "ann lee", want: "ann@a.example name, @ann identities"},
		"an account of two addresses":            {called: "a@a.example: Ann Lee, @ann; b@a.example: Bo Chen, @ann; @ann: @ann", start: "@ann"},
		"an address that was somebody else's":    {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, Bo Chen", start: "ann lee"},
		"a name that is longer elsewhere":        {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, Ann M. Lee, A. Lee, alee", start: "ann lee", want: "ann@a.example name"},
		"one word":                               {called: "ann: Ann; ann@a.example: Ann", start: "ann"},
		"an initial":                             {called: "a lee: A. Lee; ann@a.example: A. Lee", start: "a lee"},
		"names that are alike":                   {called: "ann lee: Ann Lee; ann@a.example: Anne Lee", start: "ann lee"},
		"a team's account":                       {called: "team infra: Infra team, infra; team @acme/infra: @acme/infra, infra", start: "team infra", want: "@acme/infra name"},
		"teams of one name":                      {called: "team infra: Infra team, infra; team @acme/infra: @acme/infra, infra; team @b/infra: @b/infra, infra", start: "team infra"},
		"the operator says so":                   {called: "ann lee: Ann Lee", merged: []string{"ann lee", "анна ли"}, start: "анна ли", want: "ann lee said"},
		"two addresses of one person":            {called: "ann lee: Ann Lee; ann@a.example: Ann Lee; ann@b.example: Ann Lee", merged: []string{"ann@b.example", "ann@a.example"}, start: "ann@b.example", want: "ann@a.example said, ann lee name"},
		"the operator says that she married":     {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, Ann Cho", merged: []string{"ann lee", "ann@a.example", "ann@a.example", "ann cho"}, start: "ann cho", want: "ann@a.example said, ann lee said"},
		"the operator keeps them apart":          {called: "ann lee: Ann Lee; ann@a.example: Ann Lee", apart: []string{"ann@a.example", "ann lee"}, start: "ann lee"},
		"apart whatever leads from one to other": {called: "ann lee: Ann Lee; ann@a.example: Ann Lee, @ann; @ann: @ann", apart: []string{"ann lee", "@ann"}, start: "ann lee", want: "ann@a.example name"},
		"a circle":                               {merged: []string{"a", "b", "b", "c", "c", "a"}, start: "a", want: "b said, c said"},
	} {
		e := knowledge.Evidence{Called: who(c.called), Merged: pairs(c.merged), Apart: pairs(c.apart)}
		var got []string
		for _, j := range e.Cluster(person(c.start)) {
			got = append(got, j.Key+" "+string(j.Reason))
			if (j.By == nil) != (j.Reason == knowledge.BySomebody) {
				t.Errorf("%s: %+v", name, j)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAbbreviations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ask the Site Reliability Engineering (SRE) team.":     "site reliability engineering: SRE",
		"SRE (Site Reliability Engineering) is on call.":       "site reliability engineering: SRE",
		"our single-sign on (SSO)":                             "single sign on: SSO",
		"the Ministry of Foreign Affairs (MFA)":                "ministry of foreign affairs: MFA",
		"Infra (INF), something else entirely (SRE) and (SRE)": "",
		"It ends here. Reliability Engineering (SRE)":          "",
		"a pull request (PR) and Public Relations (PR)":        "",
		"unfinished Site Reliability Engineering (SRE":         "",
	} {
		var got string
		for _, e := range read("docs:a.md", nil, text).Terms {
			got += e.Key + ": " + strings.Join(e.Other, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	called := []knowledge.Called{}
	add := func(key, form string) {
		called = append(called, knowledge.Called{ID: knowledge.ID{Kind: knowledge.Term, Key: key}, Form: form})
	}
	add("site reliability engineering", "sre")
	add("site reliability engineering", "site reliability engineering")
	add("pull request body", "prb")
	add("public relations board", "prb")
	for name, want := range map[string]string{"sre": "site reliability engineering", "site reliability engineering": "sre", "prb": "", "pull request body": "", "other": ""} {
		if got := strings.Join(knowledge.Widen([]string{name}, called)[1:], ", "); got != want {
			t.Errorf("%s is widened by %q, want %q", name, got, want)
		}
	}
}
