-- All turns that show, or showed, the same answer as the newest turn of a chain ($2) of a tenant ($1): those that it replaced, what stood in
-- their place before the question was edited, and the copies that were shared of any of them. By the primary key, turn_place and turn_origin.
with recursive line as (
    select t.id, t.origin, t.origin_as, t.session_id, coalesce(t.place, t.sequence) as place from turn t where t.tenant_id = $1 and t.id = $2
    union all
    select t.id, t.origin, t.origin_as, t.session_id, coalesce(t.place, t.sequence)
    from line l join turn t on l.origin_as = 'retry' and t.tenant_id = $1 and t.id = l.origin
),
same as (
    select id from line
    union
    select e.id from line l join turn e
        on e.tenant_id = $1 and e.session_id = l.session_id and coalesce(e.place, e.sequence) = l.place
        and e.outcome = 'superseded' and e.platform_message = ''
)
select id::text from same
union
select s.id::text from same l join turn s on s.tenant_id = $1 and s.origin = l.id and s.origin_as = 'share'
order by 1
