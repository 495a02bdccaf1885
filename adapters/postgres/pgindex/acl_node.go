package pgindex

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
)

// An access list may name a node of a source instead of people. The node's readers are looked up
// for each search (view readable_node). Only the expressions below and pgaccess.MayRead compare
// access lists with an audience's principals. Their arguments are SQL parameters, such as "$2".

// listsOf returns a query for the access lists that a holder of the principals held may read. The
// query returns each list's number. It also returns whether the list itself names one of the
// principals. Otherwise the list consists of a single node that one of the principals may read. A
// node is always alone in its list.
//
// The first part is served by access_list_principals. The second part is served by
// access_node_readers and by one look-up of a digest per node. Looking up many principals in the
// index of lists would take a thousand times as long. Numbers are distinct unless held contains a
// node.
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

// withAccess replaces {may_read} and {readers} in an SQL text by expressions for a tenant and the
// principals held.
func withAccess(sql, tenant, held string) string {
	return strings.NewReplacer("{may_read}", pgaccess.MayRead(tenant, held), "{readers}", readers(tenant, held)).Replace(sql)
}
