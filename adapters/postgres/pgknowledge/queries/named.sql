-- Entities and documents that go by one of some names ($2), as documents call them that the audience's principals ($3) may read now, of some sources ($4, null:
-- all) and documents ($5, null: all), and documents that are files of some paths ($7, with their normal forms $8). Served by entity_name's unique constraint, alias_name, the
-- unique constraint of document, and the primary keys.
select * from (
select n.form, a.entity, coalesce(e.kind, 'document'), coalesce(e.key, ''), a.shown, d.shard, d.id, d.external_id, d.url, d.title
from entity_name n
join alias a on a.tenant_id = $1 and a.name = n.id
cross join lateral (
    select * from document d where d.tenant_id = $1 and d.shard = a.shard and d.id = a.document and {may_read}
      and ($4::text[] is null or d.source_id = any($4::text[])) and ($5::text[] is null or d.external_id = any($5::text[])) offset 0
) d
left join entity e on e.tenant_id = $1 and e.id = a.entity
where n.tenant_id = $1 and n.form = any($2::text[])
union all
select p.form, 0, 'document', '', p.path, d.shard, d.id, d.external_id, d.url, d.title
from unnest($7::text[], $8::text[]) p (path, form)
join source s on s.tenant_id = $1 and ($4::text[] is null or s.id = any($4::text[]))
join index_shard i on i.tenant_id = $1
cross join lateral (
    select * from document d where d.tenant_id = $1 and d.shard = i.shard and d.external_id = s.id || ':' || p.path and {may_read}
      and ($5::text[] is null or d.external_id = any($5::text[])) offset 0
) d
) f (form, entity, kind, key, shown, shard, row, id, url, title)
order by length(form) desc, form, entity, shard, row
limit $6
