package pgaccess

import "strings"

// MayRead returns the SQL condition that document d may be read by the holder of some principals.
// Both arguments are the names of parameters, for example "$2". The condition looks up a node
// through access_node_principal only if the document's own list is not enough.
func MayRead(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`(d.acl && HELD::text[] or exists (
			select from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl) and n.readers && HELD::text[]))`)
}
