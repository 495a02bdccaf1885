-- Stores nodes ($3, as JSON) that a run ($4) of a pass ($5) has read, and returns those whose readers may follow differently from now on. Served by
-- the primary key.
with told as materialized (
    select * from jsonb_to_recordset($3::jsonb) as t (id text, principal text, name text, parent text, inherit smallint, clauses jsonb)
), was as materialized (
    select n.id, n.parent, n.inherit, n.clauses, n.unread
    from told t join access_node n on n.tenant_id = $1 and n.source_id = $2 and n.id = t.id
), stored as (
    insert into access_node (tenant_id, source_id, id, principal, name, parent, inherit, clauses, read_at, seen_at)
    select $1, $2, id, principal, name, parent, inherit, clauses, $4, $5 from told
    on conflict (tenant_id, source_id, id) do update set name = excluded.name, parent = excluded.parent, inherit = excluded.inherit,
        clauses = excluded.clauses, read_at = excluded.read_at, seen_at = excluded.seen_at, unread = false
)
select t.id from told t left join was w on w.id = t.id
where w.id is null or w.unread or (w.parent, w.inherit, w.clauses) is distinct from (t.parent, t.inherit, t.clauses)
