package github

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/index"
)

// What webhooks tell of, as subjects of hints. Each is a word with what it is about behind it.
const (
	hintAccess  = "access"  // who may read, of all repositories or of one: "access 12"
	hintContent = "content" // something that the next pass finds by itself
	hintThreads = "threads" // something was deleted or moved: "threads 12 issue"
	hintThread  = "thread"  // a part of something was deleted: "thread 12 issue 7 I_kwDO"
	hintWiki    = "wiki"    // "wiki 12"
)

// event is what is read of a webhook's payload.
type event struct {
	Action     string `json:"action"`
	Ref        string `json:"ref"`
	Repository *struct {
		ID            int64  `json:"id"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
	Issue *struct {
		subject
		PullRequest *struct{} `json:"pull_request"`
	} `json:"issue"`
	PullRequest *subject `json:"pull_request"`
	Discussion  *subject `json:"discussion"`
}

type subject struct {
	Number int    `json:"number"`
	NodeID string `json:"node_id"`
}

// ReadHook checks that a request is signed with the secret, and returns the subjects of hints that
// it is about. Nothing that it says is believed but that something may have changed. The error
// wraps index.ErrUnsigned where the signature is missing or wrong.
//
// "Your code should compute the hash using your secret token, HMAC-SHA256 and the payload body …
// The hash signature always starts with sha256= … never use a plain == operator"
// (https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries).
func ReadHook(secret string, header func(string) string, body []byte) (subjects []string, err error) {
	given, found := strings.CutPrefix(header("X-Hub-Signature-256"), "sha256=")
	sum, err := hex.DecodeString(given)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	if secret == "" || !found || err != nil || !hmac.Equal(sum, mac.Sum(nil)) {
		return nil, fmt.Errorf("a webhook of GitHub: %w", index.ErrUnsigned)
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("a webhook of GitHub cannot be read: set its content type to application/json (%w)", err)
	}
	return e.subjects(header("X-GitHub-Event")), nil
}

// subjects are what an event is about.
func (e *event) subjects(name string) []string {
	in := ""
	if e.Repository != nil {
		in = " " + strconv.FormatInt(e.Repository.ID, 10)
	}
	lost := e.Action == "deleted" || e.Action == "transferred"
	switch name {
	case "installation", "installation_repositories", "repository", "public":
		return []string{hintAccess + in, hintContent}
	case "member", "team_add", "team":
		return []string{hintAccess + in}
	case "membership", "organization":
		return []string{hintAccess}
	case "issues", "discussion":
		of := map[string]sort{"issues": issues, "discussion": discussions}[name]
		if lost && in != "" {
			return []string{hintThreads + in + " " + string(of)}
		}
		return []string{hintContent}
	case "issue_comment":
		if lost && in != "" && e.Issue != nil {
			of := issues
			if e.Issue.PullRequest != nil {
				of = pulls
			}
			return []string{e.Issue.hint(in, of)}
		}
		return []string{hintContent}
	case "discussion_comment":
		if lost && in != "" && e.Discussion != nil {
			return []string{e.Discussion.hint(in, discussions)}
		}
		return []string{hintContent}
	case "pull_request_review", "pull_request_review_comment":
		if in != "" && e.PullRequest != nil {
			return []string{e.PullRequest.hint(in, pulls)}
		}
		return []string{hintContent}
	case "pull_request", "label", "milestone":
		return []string{hintContent}
	case "push":
		if e.Repository != nil && e.Ref == "refs/heads/"+e.Repository.DefaultBranch {
			return []string{hintContent}
		}
	case "gollum":
		return []string{hintWiki + in}
	}
	return nil
}

func (s subject) hint(in string, of sort) string {
	return fmt.Sprintf("%s%s %s %d %s", hintThread, in, of, s.Number, s.NodeID)
}

// Hook implements index.Hooked.
func (c *Connector) Hook(header func(string) string, body []byte) ([]string, error) {
	return ReadHook(c.options.HookSecret, header, body)
}

// Listen has the connector follow what was heard of its source. It is called before anything is
// read.
func (c *Connector) Listen(hints index.Hints) { c.hints = hints }

// mostHints is how many hints a pass follows; the others wait for the next.
const mostHints = 500

// heard returns the hints that are about who may read, or the others, whatever they are about.
func (c *Connector) heard(ctx context.Context, access bool) ([]index.Hint, error) {
	if c.hints == nil {
		return nil, nil
	}
	all, err := c.hints.Heard(ctx, c.source.ID, mostHints)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(h index.Hint) bool {
		word, _, _ := strings.Cut(h.Subject, " ")
		return (word == hintAccess) != access
	}), nil
}

func (c *Connector) followed(ctx context.Context, hints []index.Hint) error {
	if len(hints) == 0 {
		return nil
	}
	return c.hints.Followed(ctx, c.source.ID, hints)
}

// follow has the pass look where hints point, and reads single threads at once. What is not there
// any more by GitHub's own word is removed.
func (p *pass) follow(ctx context.Context, now map[int64]standing, hints []index.Hint) error {
	var batch index.Batch
	for _, h := range hints {
		fields := strings.Fields(h.Subject)
		if len(fields) < 2 {
			continue
		}
		id, err := strconv.ParseInt(fields[1], 10, 64)
		s, there := now[id]
		if err != nil || !there {
			continue
		}
		progress := p.state.of(id, s.Name)
		switch {
		case fields[0] == hintWiki:
			progress.tree(wiki).At = 0
		case fields[0] == hintThreads && len(fields) == 3 && p.reads(sort(fields[2]), s):
			progress.walk(sort(fields[2])).Full = 0
		case fields[0] == hintThread && len(fields) == 5 && p.reads(sort(fields[2]), s):
			var got struct {
				Node *thread `json:"node"`
			}
			of, number := sort(fields[2]), fields[3]
			if _, err := p.client.query(ctx, "one", map[string]any{"id": fields[4]}, &got); err != nil && !denied(err) {
				return err
			}
			if got.Node == nil {
				batch.Deleted = append(batch.Deleted, p.id(id, of, number))
			} else if strconv.Itoa(got.Node.Number) == number && got.Node.sort() == of && strings.HasPrefix(got.Node.URL, s.URL+"/") {
				batch.Documents = append(batch.Documents, p.item(repositoryOf{id: id, node: s.NodeID, name: s.Name, url: s.URL, standing: s}, of, *got.Node, true))
			}
		}
	}
	if len(batch.Documents)+len(batch.Deleted) == 0 {
		return nil
	}
	return p.emit(batch)
}

func (t *thread) sort() sort {
	return map[string]sort{"Issue": issues, "PullRequest": pulls, "Discussion": discussions}[t.TypeName]
}
