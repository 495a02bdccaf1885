-- The newest turns ($4) before a turn ($3) in its session ($2) of a tenant ($1), with their questions and what their best model did; for a
-- private session the questions of its thread as well. The turns by turn_place, their messages by message's unique
-- (tenant_id, turn_id, model_index, ordinal).
with me as (
    select coalesce(t.place, t.sequence) as place from turn t where t.tenant_id = $1 and t.id = $3
),
past as (
    select t.tenant_id, t.id, t.session_id = $2::uuid as own, coalesce(t.place, t.sequence) as place, t.outcome = 'stopped' as stopped,
           case when t.session_id = $2::uuid then t.number else t.number - $5::int end as number
    from turn t, me
    where t.tenant_id = $1
      and t.session_id in (
            select $2::uuid
            union all
            select s.id from session o join session s
                on s.tenant_id = o.tenant_id and s.platform = o.platform and s.workspace = o.workspace and s.channel = o.channel
                and s.thread = o.thread and s.owner = ''
            where o.tenant_id = $1 and o.id = $2::uuid and o.owner <> '')
      and coalesce(t.place, t.sequence) < me.place
      and t.replaced_by is null and t.outcome is not null and t.outcome not in ('superseded', 'declined')
    order by place desc limit $4
)
select m.id::text, m.turn_id::text, t.number, m.model_index, m.role, m.author, m.text, m.call_id, m.tokens, m.at, t.stopped
from past t
cross join lateral (
    select coalesce(min(model_index) filter (where outcome = 'answered'), 0) as best from run
    where run.tenant_id = t.tenant_id and run.turn_id = t.id
) r
join message m on m.tenant_id = t.tenant_id and m.turn_id = t.id and (m.model_index = -1 or t.own and m.model_index = r.best)
order by t.place, t.number, m.model_index, m.ordinal
