package accesstest

import "github.com/footnotehq/footnote/core/access"

// Present is who is present where a platform says of them that they are an audience, and nothing
// else.
func Present(a access.Audience) access.Presence {
	p := access.Presence{Tenant: a.Tenant()}
	for _, principal := range a.Principals() {
		p.Held = append(p.Held, access.Held{Principal: principal, From: "the platform says so"})
	}
	return p
}
