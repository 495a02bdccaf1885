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

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// hintAccess and the constants below say what kind of change a webhook has reported. Each is the
// first word of an [index.Hint.Subject]. The ids of the changed object may follow.
const (
	hintAccess  = "access"  // permissions of all repositories, or of one: "access 12"
	hintContent = "content" // a change that the next pass finds
	hintThreads = "threads" // a thread was deleted or moved: "threads 12 issue"
	hintThread  = "thread"  // a part of a thread was deleted: "thread 12 issue 7 I_kwDO"
	hintWiki    = "wiki"    // a wiki was changed: "wiki 12"
)

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

// ReadHook checks the signature of a webhook's request and returns which objects may have changed.
// The error wraps index.ErrUnsigned if the signature is missing or wrong.
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

// subjects returns what an event reports, in the form of [index.Hint.Subject]. name is GitHub's
// name of the event, such as "issues".
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
		of := map[string]contentSort{"issues": issues, "discussion": discussions}[name]
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

func (s subject) hint(in string, of contentSort) string {
	return fmt.Sprintf("%s%s %s %d %s", hintThread, in, of, s.Number, s.NodeID)
}

// Hook implements index.Hooked.
func (c *Connector) Hook(header func(string) string, body []byte) ([]string, error) {
	return ReadHook(c.options.HookSecret, header, body)
}

// Listen makes the connector process the webhooks of its source. Call it before the first scan.
func (c *Connector) Listen(hints index.Hints) {
	c.hints = hintFilter{hints, true}
	c.Engine.Listen(hintFilter{hints, false})
}

// hintFilter returns only some of the hints: those about permissions if access is set, otherwise
// those about content.
type hintFilter struct {
	index.Hints
	access bool
}

// mostHints is the maximum number of hints that are processed together. The others wait.
const mostHints = 500

// Heard implements index.Hints.
func (a hintFilter) Heard(ctx context.Context, source document.SourceID, _ int) ([]index.Hint, error) {
	all, err := a.Hints.Heard(ctx, source, mostHints)
	return slices.DeleteFunc(all, func(h index.Hint) bool {
		word, _, _ := strings.Cut(h.Subject, " ")
		return (word == hintAccess) != a.access
	}), err
}
