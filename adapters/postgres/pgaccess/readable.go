package pgaccess

import "strings"

// MayRead returns an SQL condition for "the reader may read document d". tenant and held are names
// of parameters, such as "$2". held is the list of the reader's principals.
//
// An entry of a document's access list may be a node, such as a folder. The condition looks up its
// readers only if the other entries do not match.
func MayRead(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`(d.acl && HELD::text[] or exists (
			select from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl) and n.readers && HELD::text[]))`)
}
