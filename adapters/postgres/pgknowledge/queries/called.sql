-- Who is called what: the names of some entities ($2) and of some people and teams by key ($3), and what goes by some names ($4), people, teams and abbreviations alone, as documents call
-- them that the audience's principals ($5) may read now, of some sources ($6, null: all) and documents ($7, null: all). Each spelling once, with a document that has it, up to
-- $8 of an entity or a name. Served by entity's unique constraint, alias_entity, alias_name and the primary keys.
with sought as (
    select id as entity, null::bigint as name from entity where tenant_id = $1 and (id = any($2::bigint[]) or kind in ('person', 'team') and key = any($3::text[]))
    union all
    select null, n from unnest($4::bigint[]) n
)
select e.id, e.kind, e.key, n.id, n.form, f.shown, f.external_id, f.source_id, f.kind, f.title, f.url
from sought w
cross join lateral (
    select s.entity, s.name, s.shown, d.*
    from (
        select distinct a.entity, a.name, a.shown from alias a where a.tenant_id = $1 and a.entity = w.entity and a.entity <> 0
        union all
        select distinct a.entity, a.name, a.shown from alias a where a.tenant_id = $1 and a.name = w.name and a.entity <> 0
    ) s
    cross join lateral (
        select d.external_id, d.source_id, d.kind, d.title, d.url
        from alias a join document d on d.tenant_id = $1 and d.shard = a.shard and d.id = a.document
        where a.tenant_id = $1 and a.name = s.name and a.entity = s.entity and a.shown = s.shown and {may_read}
          and ($6::text[] is null or d.source_id = any($6::text[])) and ($7::text[] is null or d.external_id = any($7::text[]))
        order by d.shard, d.id limit 1
    ) d
    limit $8
) f
join entity e on e.tenant_id = $1 and e.id = f.entity and e.kind in ('person', 'team', 'term')
join entity_name n on n.tenant_id = $1 and n.id = f.name
order by e.id, n.id, f.shown
