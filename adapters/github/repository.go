package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// repository is a repository in a list of GitHub. Its ID never changes and is never reused. Its
// Name can change and be reused.
type repository struct {
	ID         int64  `json:"id"`
	NodeID     string `json:"node_id"`
	Name       string `json:"full_name"`
	Private    bool   `json:"private"`
	Visibility string `json:"visibility"` // public, internal, private
	Archived   bool   `json:"archived"`
	Owner      struct {
		Login string `json:"login"`
		ID    int64  `json:"id"`
		Type  string `json:"type"` // User, Organization
	} `json:"owner"`
}

// valid reports whether the repository has an id, and names that are safe in paths.
func (r repository) valid() bool {
	owner, name, parted := strings.Cut(r.Name, "/")
	return r.ID > 0 && isNodeID(r.NodeID) && r.Owner.ID > 0 && parted && isName(owner) && isName(name) && isName(r.Owner.Login)
}

func isNodeID(text string) bool {
	return text != "" && len(text) <= 200 && strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_=+/", r))
	}) < 0
}

func isName(text string) bool {
	return text != "" && len(text) <= 200 && strings.Trim(text, ".") != "" && strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r))
	}) < 0
}

func (r repository) key() string { return strconv.FormatInt(r.ID, 10) }

// public reports whether everyone may read the repository. It returns false if Visibility and
// Private contradict each other.
func (r repository) public() bool { return r.Visibility == "public" && !r.Private }

// internal reports whether all members of the enterprise may read the repository
// (https://docs.github.com/en/repositories/creating-and-managing-repositories/about-repositories#about-internal-repositories).
func (r repository) internal() bool { return r.Visibility == "internal" }

// repositories returns the repositories of the source by number. It omits repositories that the
// credential cannot access.
func (c *Connector) repositories(ctx context.Context) (map[int64]repository, error) {
	all := make(map[int64]repository)
	if len(c.options.Repositories) > 0 {
		for _, name := range c.options.Repositories {
			found, err := list(ctx, c.client, "repos/"+name, func(body []byte) ([]repository, error) {
				var one repository
				err := json.Unmarshal(body, &one)
				return []repository{one}, err
			}, repository.valid)
			if absent(err) {
				continue // Check reports it
			}
			if err != nil {
				return nil, err
			}
			c.add(all, found)
		}
		return all, nil
	}
	place, read := "orgs/"+c.options.Organization+"/repos?type=all&sort=created&direction=asc&per_page=100", array[repository]
	if c.client.config.Credential.IsApp() {
		place, read = "installation/repositories?per_page=100", func(body []byte) ([]repository, error) {
			var page struct {
				Repositories []repository `json:"repositories"`
			}
			err := json.Unmarshal(body, &page)
			return page.Repositories, err
		}
	}
	found, err := list(ctx, c.client, place, read, repository.valid)
	if absent(err) && !errors.Is(err, index.ErrRevoked) { // if revoked, the App itself was not found
		return nil, fmt.Errorf("GitHub does not show the repositories of %s to this credential: check the name of the organisation, and that the credential was given access to it (%w): %w",
			c.options.Organization, err, index.ErrRevoked)
	}
	if err != nil {
		return nil, err
	}
	c.add(all, slices.DeleteFunc(slices.Clone(found), func(r repository) bool { return !strings.EqualFold(r.Owner.Login, c.options.Organization) }))
	return all, nil
}

// add adds repositories to all, by numeric id, and caches their GraphQL ids.
func (c *Connector) add(all map[int64]repository, found []repository) {
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	for _, r := range found {
		if r.ID != 0 {
			all[r.ID] = r
			c.client.nodes[r.ID] = r.NodeID
		}
	}
}

func inOrder(all map[int64]repository) []repository {
	out := make([]repository, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[id])
	}
	return out
}

// repositoryState is the current state of a repository. It has the settings, the latest commit, and
// the length and newest change of each list.
type repositoryState struct {
	NodeID           string    `json:"id"`
	ID               int64     `json:"databaseId"`
	Name             string    `json:"nameWithOwner"`
	URL              string    `json:"url"`
	Visibility       string    `json:"visibility"`
	Archived         bool      `json:"isArchived"`
	HasIssues        bool      `json:"hasIssuesEnabled"`
	HasDiscussions   bool      `json:"hasDiscussionsEnabled"`
	HasWiki          bool      `json:"hasWikiEnabled"`
	PushedAt         time.Time `json:"pushedAt"`
	DefaultBranchRef *struct {
		Name   string `json:"name"`
		Target struct {
			OID string `json:"oid"`
		} `json:"target"`
	} `json:"defaultBranchRef"`
	Issues       connection[dated] `json:"issues"`
	PullRequests connection[dated] `json:"pullRequests"`
	Discussions  connection[dated] `json:"discussions"`
}

type dated struct {
	UpdatedAt time.Time `json:"updatedAt"`
}

func (s repositoryState) key() string { return strconv.FormatInt(s.ID, 10) }

// atOnce is GitHub's maximum number of objects per query.
const atOnce = 100

// byNode queries repositories by GraphQL id, in batches, and calls found for each of them. It skips
// repositories that are not readable. If found returns false, byNode returns an error, because
// GitHub sent a repository that was not requested.
func byNode[T any](ctx context.Context, c *Client, name string, ids []string, found func(T) bool) error {
	for some := range slices.Chunk(ids, atOnce) {
		var got struct {
			Nodes []*T `json:"nodes"`
		}
		if _, err := c.query(ctx, name, map[string]any{"ids": some}, &got); err != nil {
			return err
		}
		if len(got.Nodes) != len(some) {
			return fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", sourcehttp.ErrIncomplete)
		}
		for _, one := range got.Nodes {
			if one != nil && !found(*one) {
				return fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", sourcehttp.ErrIncomplete)
			}
		}
	}
	return nil
}

// repositoryStates requests the states of repositories and returns them by numeric id. It omits
// unreadable repositories.
func (c *Connector) repositoryStates(ctx context.Context, all []repository) (map[int64]repositoryState, error) {
	ids := make([]string, len(all))
	asked := make(map[int64]bool, len(all))
	for i, r := range all {
		ids[i], asked[r.ID] = r.NodeID, true
	}
	out := make(map[int64]repositoryState, len(all))
	err := byNode(ctx, c.client, "repositories", ids, func(s repositoryState) bool {
		out[s.ID] = s
		return asked[s.ID] && isNodeID(s.NodeID)
	})
	return out, err
}

type named struct {
	NodeID     string `json:"id"`
	ID         int64  `json:"databaseId"`
	Name       string `json:"nameWithOwner"`
	Visibility string `json:"visibility"` // PUBLIC, INTERNAL, PRIVATE
}

// names requests the current names of repositories by GraphQL id, and returns them by numeric id.
// It omits unreadable repositories.
func (c *Connector) names(ctx context.Context, ids []string) (map[int64]named, error) {
	out := make(map[int64]named, len(ids))
	err := byNode(ctx, c.client, "names", ids, func(n named) bool {
		out[n.ID] = n
		return n.ID > 0
	})
	return out, err
}

type account struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

func (a account) valid() bool { return a.ID > 0 }

func (a account) key() string { return strconv.FormatInt(a.ID, 10) }

func (c *Client) accounts(ctx context.Context, place string) ([]account, error) {
	return list(ctx, c, place, array[account], account.valid)
}
