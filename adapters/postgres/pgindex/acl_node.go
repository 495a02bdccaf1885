package pgindex

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
)

// An access list may name a node of a source instead of people. The node's readers are looked up
// for each search (view readable_node). Only the expressions below and pgaccess.MayRead compare
// access lists with an audience's principals. Their arguments are SQL parameters, such as "$2".

// listsOf returns an SQL query for the numbers of all access lists that a reader may read. held is
// the parameter with the reader's principals, such as "$2". The second column is false if the
// reader may read a list only through a node in it, such as a folder.
//
// A node is always alone in its list, so its list is found by digest, which is much faster. The
// halves use the indexes access_list_principals and access_node_readers.
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

// readers returns an SQL expression for the principals that may read document d. If the document's
// access list contains none of those in the parameter held, the result includes the readers of
// nodes in the list, such as folders.
func readers(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`case when d.acl && HELD::text[] then d.acl
			else d.acl || array(select unnest(n.readers) from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl)) end`)
}

// withAccess replaces {may_read} and {readers} in an SQL text. tenant and held are parameters such
// as "$2".
func withAccess(sql, tenant, held string) string {
	return strings.NewReplacer("{may_read}", pgaccess.MayRead(tenant, held), "{readers}", readers(tenant, held)).Replace(sql)
}
