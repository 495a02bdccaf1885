package pgindex

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
)

// Some documents name a node, whose readers are looked up for each search (view readable_node).
// Only these expressions and pgaccess.MayRead match access lists with the principals that
// access.Resolver found for everyone present. Arguments name parameters, such as "$2".

// listsOf returns a query for the access lists that a holder of some principals may read. The query
// returns each list's number, and whether the list itself names one of the principals. If it does
// not, the list consists of one node that one of the principals may read. A node is always alone in
// its list.
//
// The first part is served by access_list_principals. The second part is served by
// access_node_readers and by one look-up in the digests of lists per node. Looking up many
// principals in the index of lists would take a thousand times as long. Numbers are distinct unless
// a person holds a node.
func listsOf(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(`
		select number, true as by_itself from access_list where tenant_id = TENANT and principals && HELD::text[]
		union all
		select l.number, false from readable_node n
		cross join lateral (
			select number from access_list where tenant_id = TENANT and digest = sha256(convert_to(n.principal, 'UTF8')) offset 0
		) l
		where n.tenant_id = TENANT and n.readers && HELD::text[]`)
}

// readers returns an SQL expression for the readers of document d. The readers are the document's
// access list and the readers of the nodes in the list. Nodes are looked up only if held does not
// intersect the list.
func readers(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`case when d.acl && HELD::text[] then d.acl
			else d.acl || array(select unnest(n.readers) from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl)) end`)
}

// withAccess fills these expressions into a statement.
func withAccess(sql, tenant, held string) string {
	return strings.NewReplacer("{may_read}", pgaccess.MayRead(tenant, held), "{readers}", readers(tenant, held)).Replace(sql)
}
