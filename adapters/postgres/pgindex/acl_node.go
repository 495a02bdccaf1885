package pgindex

import "strings"

// Some documents name a node, whose readers are looked up whenever somebody asks (view readable_node). These are the only expressions that decide who
// may read; each is given as what parameters are called, such as "$2".

// listed is the condition that an access list may be read by whoever holds some principals: it names one of them, or a node that one of them may
// read. The nodes are looked up once, by access_node_readers, and the lists by access_list_principals.
func listed(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`principals && (HELD::text[] || array(select principal from readable_node where tenant_id = TENANT and readers && HELD::text[]))`)
}

// mayRead is the condition that a document d may be read by whoever holds some principals. A node is looked up by access_node_principal, and only where
// the list itself does not do.
func mayRead(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`(d.acl && HELD::text[] or exists (
			select from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl) and n.readers && HELD::text[]))`)
}

// readers is who may read a document d: its access list with the readers of the nodes in it, which are looked up where held does not meet the list.
func readers(tenant, held string) string {
	return strings.NewReplacer("TENANT", tenant, "HELD", held).Replace(
		`case when d.acl && HELD::text[] then d.acl
			else d.acl || array(select unnest(n.readers) from readable_node n where n.tenant_id = TENANT and n.principal = any(d.acl)) end`)
}

// withAccess fills these expressions into a statement.
func withAccess(sql, tenant, held string) string {
	return strings.NewReplacer("{may_read}", mayRead(tenant, held), "{readers}", readers(tenant, held)).Replace(sql)
}
