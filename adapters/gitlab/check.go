package gitlab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/plural"
)

// soon is how long before a token's expiry Check starts to warn.
const soon = 14 * day

// Check returns a summary of what the token can read, and notes about what may be unintended. If
// what is empty, err says why nothing can be read. Otherwise err says what cannot be read and what
// to do.
func (c *Connector) Check(ctx context.Context) (what string, notes []string, err error) {
	faults := []error{c.token(ctx)}
	who, err := c.client.self(ctx)
	if err != nil {
		return "", nil, errors.Join(append(faults, err)...)
	}
	list, err := c.projects(ctx)
	if err != nil {
		return "", nil, errors.Join(append(faults, err)...)
	}
	for _, path := range c.options.Projects {
		if !slices.ContainsFunc(list, func(p project) bool { return strings.EqualFold(p.Path, path) }) {
			faults = append(faults, fmt.Errorf("the token sees no project %s: check the path, and give its account the role Reporter there", path))
		}
	}
	for _, group := range c.options.Groups {
		if !slices.ContainsFunc(list, func(p project) bool { return below(p.Path, group) }) {
			faults = append(faults, fmt.Errorf("the token sees no project of the group %s: check the path, and give its account the role Reporter there", group))
		}
	}
	if len(list) == 0 {
		return "", nil, errors.Join(append(faults, errors.New("the token sees no project: give its account the role Reporter in the groups that are to be read"))...)
	}
	faults = append(faults, c.try(ctx, list))
	switch {
	case len(c.options.Domains) == 0:
		notes = append(notes, "people are not matched by address, because managed_domains lists no domain: list those whose addresses your GitLab vouches for, or name people with footnote people import")
	case !who.IsAdmin:
		notes = append(notes, "only the addresses of a group's enterprise users are shown to a token that is no administrator's: name other people with footnote people import")
	}
	if i := slices.IndexFunc(list, func(p project) bool { return p.Visibility == "internal" }); i >= 0 && !who.IsAdmin {
		notes = append(notes, fmt.Sprintf("only its members read the internal project %s here, because which accounts are external is shown to administrators alone", list[i].Path))
	}
	of := make(map[string]int)
	for _, p := range list {
		of[p.Visibility]++
	}
	what = fmt.Sprintf("%s (%d private, %d internal, %d public)", plural.Count(len(list), "project"), of["private"], of["internal"], of["public"])
	return what, notes, errors.Join(faults...)
}

// token returns an error if the token lacks the scope read_api or expires soon
// (https://docs.gitlab.com/api/personal_access_tokens/). It returns nil if GitLab does not show the
// token.
func (c *Connector) token(ctx context.Context) error {
	var t struct {
		Scopes  []string `json:"scopes"`
		Expires string   `json:"expires_at"`
	}
	switch err := c.client.get(ctx, "personal_access_tokens/self", &t); {
	case absent(err):
		return nil
	case err != nil:
		return err
	case !slices.Contains(t.Scopes, "read_api") && !slices.Contains(t.Scopes, "api"):
		return errors.New("the token lacks the scope read_api: make one that has it, and set GITLAB_TOKEN")
	}
	if at, err := time.Parse(time.DateOnly, t.Expires); err == nil && at.Before(c.client.config.Now().Add(soon)) {
		return fmt.Errorf("the token expires on %s: make another one before, and set GITLAB_TOKEN", t.Expires)
	}
	return nil
}

// try requests a small sample of each feature, and the members of one project. For a feature it
// takes a project in which the feature is private. The errors name the missing role.
func (c *Connector) try(ctx context.Context, list []project) error {
	var faults []error
	lacks := func(err error, what string, p project) {
		switch {
		case absent(err):
			faults = append(faults, fmt.Errorf("%s of %s cannot be read: give the account of the token the role Reporter there", what, p.Path))
		case err != nil:
			faults = append(faults, err)
		}
	}
	closed := func(f feature) (project, bool) {
		i := slices.IndexFunc(list, func(p project) bool {
			return c.options.reads(f) && p.has(f) && (p.Visibility == "private" || p.level(f) == "private")
		})
		return list[max(i, 0)], i >= 0
	}
	for _, f := range []feature{issues, merges} {
		if p, ok := closed(f); ok {
			_, _, err := page(ctx, c.client, "projects/"+p.key()+"/"+segment(f)+"?per_page=1", thread.valid)
			lacks(err, "the "+strings.ReplaceAll(segment(f), "_", " "), p)
		}
	}
	if p, ok := closed(code); ok {
		_, err := (&vendor{Connector: c}).head(ctx, p)
		lacks(err, "the files", p)
	}
	_, _, err := page(ctx, c.client, "projects/"+list[0].key()+"/members/all?per_page=100", member.valid)
	lacks(err, "the members", list[0])
	return errors.Join(faults...)
}
