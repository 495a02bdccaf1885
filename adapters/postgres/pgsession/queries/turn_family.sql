-- All turns that ask the same question as one of them ($2) of a tenant ($1): those that it replaced or that replaced it, what stood in its
-- place before the question was edited, and what was made of any of them: private answers and the copies that were shared. They have one place
-- in whatever sessions they stand. By the primary key, turn_place and turn_origin.
with recursive family as (
    select e.id, e.session_id, coalesce(e.place, e.sequence) as place
    from turn t join turn e on e.tenant_id = t.tenant_id and e.session_id = t.session_id and coalesce(e.place, e.sequence) = coalesce(t.place, t.sequence)
    where t.tenant_id = $1 and t.id = $2
    union
    select e.id, e.session_id, coalesce(e.place, e.sequence)
    from family f
    join turn d on d.tenant_id = $1 and d.origin = f.id
    join turn e on e.tenant_id = d.tenant_id and e.session_id = d.session_id and coalesce(e.place, e.sequence) = coalesce(d.place, d.sequence)
)
select id::text from family order by 1
