package pgaccess

import "strings"

// MayRead returns an SQL condition that is true if a reader with the principals in held may read
// document d. Both arguments are parameter names, such as "$2".
//
// A document's access list may name a node, such as a folder. The condition looks up the node's
// readers only if the list itself does not match.
func MayRead(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`(d.acl && HELD::text[] or exists (
			select from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl) and n.readers && HELD::text[]))`)
}
