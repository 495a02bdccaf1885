package review

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/thread"
)

// Act is what a person of the console wants done to an answer. Key is the form's: a form that is
// sent twice changes something once.
type Act struct {
	Do        thread.Action
	Key, Text string
	Submitted bool // else the form is wanted
}

// May reports whether a viewer with a role may do something to the answer of a question. A role
// that opens PartModeration counts as a moderator of the platform, for what it sees. Who is signed
// in as an account of the machine has no name on the platform and changes nothing there.
func (d Detail) May(v Viewer, role Role, do thread.Action) bool {
	p := v.Person
	if p.Platform != string(d.Ref.Platform) || p.Workspace.ID != "" && p.Workspace.ID != d.Ref.Workspace || d.Removed {
		return false
	}
	switch {
	case do == thread.ActionRemove && d.Private():
		return v.Scope().own(d.Question)
	case do == thread.ActionRemove:
		return role.Opens(PartModeration)
	case do == thread.ActionCorrect: // its form holds the answer
		return role.Opens(PartModeration) && !d.Private() && !d.Withheld && d.Outcome != ""
	}
	return false
}

// Request is an act as a request to the service that answers, for a viewer who May do it.
func (d Detail) Request(tenant access.TenantID, v Viewer, role Role, a Act) action.Request {
	return action.Request{
		Do: a.Do, Tenant: tenant, Ref: d.Ref, Turn: d.Turn, Key: "console:" + a.Key, By: thread.Person{ID: v.Person.ID, Name: v.Name},
		Moderator: role.Opens(PartModeration), Text: a.Text, Submitted: a.Submitted,
	}
}
