package pgaccess

import "strings"

// MayRead is the condition that a document d may be read by whoever holds some principals; both are
// given as what parameters are called, such as "$2". A node is looked up by access_node_principal,
// and only where the list itself does not do.
func MayRead(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`(d.acl && HELD::text[] or exists (
			select from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl) and n.readers && HELD::text[]))`)
}
