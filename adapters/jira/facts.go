package jira

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
)

// facts has the fields of an issue that determine its readers, together with the settings of its
// project.
type facts struct {
	Project string   `json:"p"`
	Level   string   `json:"l,omitempty"` // id of the issue's security level
	Roles   []string `json:"r,omitempty"` // ids of the roles that the issue is restricted to
	// Odd says that the issue is restricted in an unknown way and hidden from everyone.
	Odd bool `json:"o,omitempty"`
	// People and Groups are the ids in issue fields that grant a permission, by field id.
	People map[string][]string `json:"u,omitempty"`
	Groups map[string][]string `json:"g,omitempty"`
}

// node returns the id of the [index.Node] that has the issue's readers. If all issues of the
// project have the same readers, the id is the project's id. Otherwise a hash of the facts is
// added, so that issues with equal facts share a node.
func (f facts) node() string {
	if f.bare() && f.Level == "" {
		return f.Project
	}
	text, err := json.Marshal(f) // maps are encoded in order
	if err != nil {
		panic(err) // every field can be encoded
	}
	sum := sha256.Sum256(text)
	return f.Project + ":" + hex.EncodeToString(sum[:16])
}

// bare reports whether no field of the issue, other than the security level, affects its readers.
func (f facts) bare() bool {
	return len(f.Roles) == 0 && !f.Odd && len(f.People) == 0 && len(f.Groups) == 0
}

// fieldReporter and fieldAssignee are issue fields with a person. A permission scheme can grant a
// permission to that person.
const (
	fieldReporter = "reporter"
	fieldAssignee = "assignee"
)

// restriction restricts an issue of a team-managed project to roles
// (https://support.atlassian.com/jira-software-cloud/docs/restrict-access-to-an-issue-in-a-team-managed-project/):
// {"issuerestrictions": {"projectrole": [{"id": "10002"}]}}.
type restriction struct {
	By map[string]json.RawMessage `json:"issuerestrictions"`
}

const restrictionByRole = "projectrole"

// factsOf returns the facts that determine the readers of an issue. If the response lacks a field
// that could restrict the issue, it sets Odd, so that the issue is hidden from everyone.
func factsOf(project string, i issue, relevant relevance) facts {
	f := facts{Project: project}
	_, level := i.raw["security"]
	_, restriction := i.raw["issuerestriction"]
	f.Odd = !level && (relevant.Hidden || len(relevant.Levels) > 0) || !restriction && relevant.Single
	if i.Fields.Security != nil {
		if f.Level = string(i.Fields.Security.ID); f.Level == "" {
			f.Odd = true
		}
	}
	f.restrict(i.raw["issuerestriction"])
	for _, name := range relevant.Fields {
		people, groups, known := holdersInField(i.raw[name])
		if !known {
			continue // the field grants nothing
		}
		if len(people) > 0 {
			if f.People == nil {
				f.People = make(map[string][]string)
			}
			f.People[name] = people
		}
		if len(groups) > 0 {
			if f.Groups == nil {
				f.Groups = make(map[string][]string)
			}
			f.Groups[name] = groups
		}
	}
	return f
}

func (f *facts) restrict(raw json.RawMessage) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return
	}
	var r restriction
	if json.Unmarshal(raw, &r) != nil {
		f.Odd = true
		return
	}
	for by, list := range r.By {
		var roles []struct {
			ID atlassian.ID `json:"id"`
		}
		if err := json.Unmarshal(list, &roles); by != restrictionByRole && (err != nil || len(roles) > 0) || err != nil {
			f.Odd = true
			continue
		}
		for _, role := range roles {
			if !isID(string(role.ID)) {
				f.Odd = true
			}
			f.Roles = append(f.Roles, string(role.ID))
		}
	}
	slices.Sort(f.Roles)
	f.Roles = slices.Compact(f.Roles)
}

// holdersInField returns the ids of the people and groups in a field, which has one value or a
// list. A person has an account id or a key. A group has an id on Cloud, and only a name on Data
// Center. known is false if the field is missing or malformed.
func holdersInField(raw json.RawMessage) (people, groups []string, known bool) {
	if len(raw) == 0 {
		return nil, nil, false
	}
	if raw[0] != '[' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var all []*struct {
		account
		GroupID string `json:"groupId"`
	}
	if json.Unmarshal(raw, &all) != nil {
		return nil, nil, false
	}
	for _, one := range all {
		switch {
		case one == nil:
		case one.id() != "":
			people = append(people, one.id())
		case one.GroupID != "":
			groups = append(groups, one.GroupID)
		case one.Name != "" && one.DisplayName == "":
			// the name of a group: a person also has a display name
			groups = append(groups, one.Name)
		}
	}
	slices.Sort(people)
	slices.Sort(groups)
	return slices.Compact(people), slices.Compact(groups), true
}
