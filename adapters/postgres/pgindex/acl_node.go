package pgindex

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
)

// Some documents name a node, whose readers are looked up for each search (view readable_node).
// Only these expressions and pgaccess.MayRead match access lists with the principals that
// access.Resolver found for everyone present. Arguments name parameters, such as "$2".

// listsOf selects the numbers of the access lists that may be read by whoever holds some
// principals, and whether by the list itself: it names one of them. Else it is the list of a node
// that one of them may read, and of nothing more: a node stands alone in its list. The former are
// served by access_list_principals, the latter by access_node_readers and, one look-up for each
// node, by the digests of lists: to look for many principals in the index of lists takes a thousand
// times as long. No number comes twice, unless a person holds a node.
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

// readers is who may read a document d: its access list with the readers of the nodes in it, which
// are looked up where held does not meet the list.
func readers(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`case when d.acl && HELD::text[] then d.acl
			else d.acl || array(select unnest(n.readers) from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl)) end`)
}

// withAccess fills these expressions into a statement.
func withAccess(sql, tenant, held string) string {
	return strings.NewReplacer("{may_read}", pgaccess.MayRead(tenant, held), "{readers}", readers(tenant, held)).Replace(sql)
}
