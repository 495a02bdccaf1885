package review

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/thread"
)

// Act is a change that a person makes to an answer in the console. Key identifies the form, so a
// form that is submitted twice changes the answer once.
type Act struct {
	Do        thread.Action
	Key, Text string
	Submitted bool // false: the person asks for the form
}

// May reports whether a viewer may remove or correct an answer. Only the asker may remove a private
// answer. Other answers require a role that opens PartModeration. A private or hidden answer cannot
// be corrected.
//
// A viewer who is signed in as an account of the machine may change nothing.
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
	case do == thread.ActionCorrect: // the form contains the answer
		return role.Opens(PartModeration) && !d.Private() && !d.Withheld && d.Outcome != ""
	}
	return false
}

// Request returns the request that sends an act to the answering service. The caller must have
// checked May.
func (d Detail) Request(tenant access.TenantID, v Viewer, role Role, a Act) action.Request {
	return action.Request{
		Do: a.Do, Tenant: tenant, Ref: d.Ref, Turn: d.Turn, Key: "console:" + a.Key, By: thread.Person{ID: v.Person.ID, Name: v.Name},
		Moderator: role.Opens(PartModeration), Text: a.Text, Submitted: a.Submitted,
	}
}
