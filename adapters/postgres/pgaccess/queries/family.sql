-- The nodes given ($3) with all that take readers from them, and all from which those take theirs. Nodes that have stopped counting are among the
-- given ones: what followed from them does so no more. Going round in a circle ends, since union drops repeats. Served by the primary key and by
-- access_node_parent.
with recursive given as (
    select unnest($3::text[]) as id
    union
    select id from access_node where tenant_id = $1 and source_id = $2 and until <= now()
), down as (
    select id from given
    union
    select n.id from down d join access_node n on n.tenant_id = $1 and n.source_id = $2 and n.parent = d.id and n.parent <> '' and n.inherit <> 0
), up as (
    select id from down
    union
    select n.parent from up u join access_node n on n.tenant_id = $1 and n.source_id = $2 and n.id = u.id and n.inherit <> 0 and n.parent <> ''
)
select n.id, n.parent, n.inherit, n.clauses, n.readers, n.read_at, n.unread, n.until, now()
from up join access_node n on n.tenant_id = $1 and n.source_id = $2 and n.id = up.id
