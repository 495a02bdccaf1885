package gitlab

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"

	"github.com/footnotehq/footnote/core/index"
)

// event has the required fields of a webhook's payload
// (https://docs.gitlab.com/user/project/integrations/webhook_events/).
type event struct {
	Kind    string `json:"object_kind"`
	Ref     string `json:"ref"`
	Project struct {
		ID     int64  `json:"id"`
		Branch string `json:"default_branch"`
	} `json:"project"`
	Attributes numbered  `json:"object_attributes"`
	Issue      *numbered `json:"issue"`
	Merge      *numbered `json:"merge_request"`
}

type numbered struct {
	IID int64 `json:"iid"`
}

// Hook implements index.Hooked. GitLab sends the configured secret in the header X-Gitlab-Token
// (https://docs.gitlab.com/user/project/integrations/webhooks/).
func (c *Connector) Hook(header func(name string) string, body []byte) ([]string, error) {
	given, secret := header("X-Gitlab-Token"), c.options.HookSecret
	if secret == "" || subtle.ConstantTimeCompare([]byte(given), []byte(secret)) != 1 {
		return nil, fmt.Errorf("a webhook of GitLab: %w", index.ErrUnsigned)
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("a webhook of GitLab cannot be read: %w", err)
	}
	return e.subjects(), nil
}

// subjects returns a list with the object that an event reports as changed. For example, "issue 12
// 7" is issue 7 of project 12, and "wiki 12" is the wiki. It returns nil for other events.
func (e event) subjects() []string {
	if e.Project.ID <= 0 {
		return nil
	}
	thread := func(f feature, n *numbered) []string {
		if n == nil || n.IID <= 0 {
			return nil
		}
		return []string{fmt.Sprintf("%s %d %d", f, e.Project.ID, n.IID)}
	}
	switch e.Kind {
	case "issue", "work_item":
		return thread(issues, &e.Attributes)
	case "merge_request":
		return thread(merges, &e.Attributes)
	case "note":
		if e.Merge != nil {
			return thread(merges, e.Merge)
		}
		return thread(issues, e.Issue)
	case "wiki_page":
		return []string{fmt.Sprintf("%s %d", wiki, e.Project.ID)}
	case "push":
		if e.Ref == "refs/heads/"+e.Project.Branch {
			return []string{fmt.Sprintf("%s %d", code, e.Project.ID)}
		}
	}
	return nil
}
